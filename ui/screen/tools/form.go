package tools

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/ui/env"
	"darkroom/ui/form"
)

type toolForm struct {
	k      *env.Env
	schema string // what it was made from
	reads  mcp.Form
	*form.Form
	fields []argument
}

type argument struct {
	arg   mcp.Field
	field interface {
		form.Field
		Value() string
		SetValue(string)
		Touch()
	}
}

// form is the form of the selected tool; it is made once, and anew when the
// service changed the schema.
func (s *Screen) form() *toolForm {
	t := s.list.selected()
	f, ok := s.forms[t.Name]
	if ok && f.schema == string(t.Schema) {
		return f
	}
	made := newToolForm(s.k, t.Schema)
	if ok {
		made.keep(f)
	}
	s.forms[t.Name] = made
	return made
}

func newToolForm(k *env.Env, schema json.RawMessage) *toolForm {
	s := &toolForm{k: k, schema: string(schema), reads: mcp.ReadForm(schema)}
	s.Form = form.New(s.look())
	args := s.reads.Fields
	if s.reads.Free {
		args = []mcp.Field{{Name: mcp.FreeField, Label: api.Clean(mcp.FreeField, 60), Type: mcp.FieldJSON, Long: true}}
	}
	for _, arg := range args {
		f := argument{arg: arg}
		name, label := arg.Name, arg.Label.String()
		switch {
		case len(arg.Choices) > 0 || arg.Type == mcp.FieldYesNo:
			f.field = form.NewChoice(name, label)
		case arg.Long:
			long := form.NewPrompt(name, label, 0)
			if arg.Type == mcp.FieldText {
				long.Limit = arg.MaxLen
			}
			long.Lines = longLines
			f.field = long
		default:
			text := form.NewText(name, label)
			if arg.Type == mcp.FieldWhole || arg.Type == mcp.FieldNumber {
				text.Allow = func(r rune) bool { return unicode.IsDigit(r) || strings.ContainsRune("+-.eE", r) }
			}
			f.field = text
		}
		s.Add(false, f.field)
		s.fields = append(s.fields, f)
	}
	s.label()
	s.Rules(s.rules)
	s.Settle()
	return s
}

func (s *toolForm) look() *form.Look { return &form.Look{Theme: s.k.Theme, Say: s.k.Say} }

// longLines is how many lines a field of several takes.
const longLines = 3

// label says what is ours in the language of the interface; names and
// descriptions are the service's.
func (s *toolForm) label() {
	for _, f := range s.fields {
		about := api.OneLine(f.arg.About.String())
		if s.reads.Free {
			about = s.k.Say("one JSON object, such as %s", `{"id": "…"}`)
		}
		empty := s.required(f.arg, cmp.Or(about, s.hint(f.arg)))
		switch field := f.field.(type) {
		case *form.Text:
			field.Empty = empty
		case *form.Prompt:
			field.Empty = empty
		case *form.Choice:
			field.SetOptions(s.options(f.arg))
			field.SetNote(about)
		}
		f.field.Touch()
	}
}

// hint says what a field takes when the service does not.
func (s *toolForm) hint(arg mcp.Field) string {
	k := s.k
	switch arg.Type {
	case mcp.FieldWhole:
		return k.Say("a whole number")
	case mcp.FieldNumber:
		return k.Say("a number")
	case mcp.FieldLines, mcp.FieldNumbers:
		return k.Say("one a line")
	case mcp.FieldJSON:
		return k.Say("JSON")
	}
	return k.Say("text")
}

func (s *toolForm) required(arg mcp.Field, about string) string {
	switch {
	case arg.Required:
		return s.k.Say("%s (required)", about)
	case arg.Default != "":
		return s.k.Say("%s (default %s)", about, api.OneLine(api.Clean(arg.Default, 60).String()))
	}
	return about
}

func (s *toolForm) options(arg mcp.Field) []form.Option {
	unset := s.k.Say("not set")
	if arg.Default != "" {
		unset = s.k.Say("default %s", api.OneLine(api.Clean(arg.Default, 60).String()))
	}
	if arg.Required {
		unset = s.k.Say("choose")
	}
	options := []form.Option{{Value: "", Label: unset}}
	if arg.Type == mcp.FieldYesNo && len(arg.Choices) == 0 {
		return append(options, form.Option{Value: "true", Label: s.k.Say("yes")}, form.Option{Value: "false", Label: s.k.Say("no")})
	}
	for _, c := range arg.Choices {
		options = append(options, form.Option{Value: c, Label: api.Clean(c, 100).String()})
	}
	return options
}

// arguments are the arguments as they stand.
func (s *toolForm) arguments() (json.RawMessage, []api.Problem) {
	values := make(map[string]string, len(s.fields))
	for _, f := range s.fields {
		values[f.arg.Name] = f.field.Value()
	}
	return s.reads.Args(values)
}

func (s *toolForm) rules() []form.Problem {
	_, found := s.arguments()
	var out []form.Problem
	for _, p := range found {
		out = append(out, form.Problem{Field: p.Field, Text: env.AsSentence(s.k.Problem(p)), Early: p.Early})
	}
	return out
}

// keep takes over what was typed into fields that are still there.
func (s *toolForm) keep(was *toolForm) {
	for _, f := range s.fields {
		j := slices.IndexFunc(was.fields, func(o argument) bool { return o.arg.Name == f.arg.Name })
		if j < 0 {
			continue
		}
		v := was.fields[j].field.Value()
		if _, choice := f.field.(*form.Choice); !choice || v == "" || slices.Contains(f.arg.Choices, v) {
			f.field.SetValue(v)
		}
	}
	s.Settle()
}
