package ui

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/ui/form"
)

// toolSheet is one tool's form with what was typed into it.
type toolSheet struct {
	k      *kit
	schema string // what it was made from
	reads  mcp.Form
	form   *form.Form
	fields []toolField
}

// toolField is one argument and the field it is written in.
type toolField struct {
	arg    mcp.Field
	text   *form.Text
	long   *form.Prompt
	choice *form.Choice
}

func (f *toolField) value() string {
	switch {
	case f.text != nil:
		return f.text.Value()
	case f.long != nil:
		return f.long.Value()
	}
	return f.choice.Value()
}

// sheet is the form of the selected tool; it is made once, and anew when the
// service changed the schema.
func (s *tools) sheet() *toolSheet {
	t := s.tool()
	if sheet, ok := s.sheets[t.Name]; ok && sheet.schema == string(t.Schema) {
		return sheet
	}
	sheet := newToolSheet(s.k, t.Schema)
	if was, ok := s.sheets[t.Name]; ok {
		sheet.keep(was)
	}
	s.sheets[t.Name] = sheet
	return sheet
}

func newToolSheet(k *kit, schema json.RawMessage) *toolSheet {
	s := &toolSheet{k: k, schema: string(schema), reads: mcp.ReadForm(schema)}
	s.form = form.New(s.look())
	args := s.reads.Fields
	if s.reads.Free {
		args = []mcp.Field{{Name: mcp.FreeField, Label: api.Clean(mcp.FreeField, 60), Type: mcp.FieldJSON, Long: true}}
	}
	for _, arg := range args {
		s.add(arg)
	}
	s.label()
	s.form.Rules(s.rules)
	s.form.Settle()
	return s
}

func (s *toolSheet) look() *form.Look { return &form.Look{Theme: s.k.theme, Say: s.k.say} }

// longLines is how many lines a field of several takes.
const longLines = 3

func (s *toolSheet) add(arg mcp.Field) {
	f := toolField{arg: arg}
	name, label := arg.Name, arg.Label.String()
	switch {
	case len(arg.Choices) > 0 || arg.Type == mcp.FieldYesNo:
		f.choice = form.NewChoice(name, label)
		s.form.Add(false, f.choice)
	case arg.Long:
		f.long = form.NewPrompt(name, label, 0)
		if arg.Type == mcp.FieldText {
			f.long.Limit = arg.MaxLen
		}
		f.long.Lines = longLines
		s.form.Add(false, f.long)
	default:
		f.text = form.NewText(name, label)
		if arg.Type == mcp.FieldWhole || arg.Type == mcp.FieldNumber {
			f.text.Allow = func(r rune) bool { return unicode.IsDigit(r) || strings.ContainsRune("+-.eE", r) }
		}
		s.form.Add(false, f.text)
	}
	s.fields = append(s.fields, f)
}

// label says what is ours in the language of the interface; names and
// descriptions are the service's.
func (s *toolSheet) label() {
	for i := range s.fields {
		f := &s.fields[i]
		about := oneLine(f.arg.About.String())
		if s.reads.Free {
			about = s.k.say("one JSON object, such as %s", `{"id": "…"}`)
		}
		empty := about
		if empty == "" {
			empty = s.hint(f.arg)
		}
		switch {
		case f.text != nil:
			f.text.Empty = s.required(f.arg, empty)
			f.text.Touch()
		case f.long != nil:
			f.long.Empty = s.required(f.arg, empty)
			f.long.Touch()
		default:
			f.choice.SetOptions(s.options(f.arg))
			f.choice.SetNote(about)
		}
	}
}

// hint says what a field takes when the service does not.
func (s *toolSheet) hint(arg mcp.Field) string {
	k := s.k
	switch arg.Type {
	case mcp.FieldWhole:
		return k.say("a whole number")
	case mcp.FieldNumber:
		return k.say("a number")
	case mcp.FieldLines, mcp.FieldNumbers:
		return k.say("one a line")
	case mcp.FieldJSON:
		return k.say("JSON")
	}
	return k.say("text")
}

func (s *toolSheet) required(arg mcp.Field, about string) string {
	switch {
	case arg.Required:
		return s.k.say("needed: %s", about)
	case arg.Default != "":
		return s.k.say("%s (default %s)", about, oneLine(api.Clean(arg.Default, 60).String()))
	}
	return about
}

func (s *toolSheet) options(arg mcp.Field) []form.Option {
	unset := s.k.say("not set")
	if arg.Default != "" {
		unset = s.k.say("default %s", oneLine(api.Clean(arg.Default, 60).String()))
	}
	if arg.Required {
		unset = s.k.say("choose")
	}
	options := []form.Option{{Value: "", Label: unset}}
	if arg.Type == mcp.FieldYesNo && len(arg.Choices) == 0 {
		return append(options, form.Option{Value: "true", Label: s.k.say("yes")}, form.Option{Value: "false", Label: s.k.say("no")})
	}
	for _, c := range arg.Choices {
		options = append(options, form.Option{Value: c, Label: api.Clean(c, 100).String()})
	}
	return options
}

// args are the arguments as they stand.
func (s *toolSheet) args() (json.RawMessage, []api.Problem) {
	values := make(map[string]string, len(s.fields))
	for i := range s.fields {
		values[s.fields[i].arg.Name] = s.fields[i].value()
	}
	return s.reads.Args(values)
}

func (s *toolSheet) rules() []form.Problem {
	_, found := s.args()
	var out []form.Problem
	for _, p := range found {
		out = append(out, form.Problem{Field: p.Field, Text: s.k.problem(p), Early: p.Early})
	}
	return out
}

// keep takes over what was typed into fields that are still there.
func (s *toolSheet) keep(was *toolSheet) {
	for i := range s.fields {
		f := &s.fields[i]
		j := slices.IndexFunc(was.fields, func(o toolField) bool { return o.arg.Name == f.arg.Name })
		if j < 0 {
			continue
		}
		v := was.fields[j].value()
		switch {
		case f.text != nil:
			f.text.SetValue(v)
		case f.long != nil:
			f.long.SetValue(v)
		case v == "" || slices.Contains(f.arg.Choices, v):
			f.choice.SetValue(v)
		}
	}
	s.form.Settle()
}
