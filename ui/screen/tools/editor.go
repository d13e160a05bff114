package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strings"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/ui/env"
	"darkroom/ui/form"
)

// editor edits the arguments of a tool as one JSON object.
type editor struct {
	*form.Form
	k      *env.Env
	schema json.RawMessage // that takes was read from
	takes  *mcp.Arguments
	text   *form.Prompt
	blank  string // the text it began with

	checked string // the text that was last found wrong
	found   []api.Problem

	lacks string // the first required argument that is empty
}

// editor is the one of the selected tool; it is made once.
func (s *Screen) editor() *editor {
	t := s.list.selected()
	e := s.editors[t.Name]
	if e == nil {
		e = &editor{k: s.k, text: form.NewPrompt(mcp.FieldArguments, "", 0)}
		e.Form = form.New(e.look(), e.text, e.problems)
		e.label()
		s.editors[t.Name] = e
	}
	if e.takes == nil || !bytes.Equal(e.schema, t.Schema) {
		e.follow(t.Schema)
	}
	return e
}

// follow begins with the arguments of another schema. What was written stays.
func (e *editor) follow(schema json.RawMessage) {
	untouched := e.text.Value() == e.blank
	e.schema, e.takes = schema, mcp.ReadSchema(schema)
	e.blank = e.takes.Blank()
	if untouched {
		e.text.SetValue(e.blank)
		if before, _, ok := strings.Cut(e.blank, `""`); ok {
			e.text.CursorBehind(before + `"`)
		}
	}
	e.Settle()
}

func (e *editor) look() *form.Look { return &form.Look{Theme: e.k.Theme, Say: e.k.Say} }

func (e *editor) label() {
	e.text.SetLabel(e.k.Say("Arguments"))
	e.text.SetNote("JSON")
	e.text.Empty = e.k.Say("one JSON object, such as %s", `{"id": "…"}`)
}

// arguments returns the text on one line; it must have no problems.
func (e *editor) arguments() json.RawMessage {
	var b bytes.Buffer
	_ = json.Compact(&b, []byte(cmp.Or(strings.TrimSpace(e.text.Value()), "{}")))
	return b.Bytes()
}

// problems are those of the text: broken JSON at once, of the schema when checked.
func (e *editor) problems() (out []form.Problem) {
	text := e.text.Value()
	add := func(words string) { out = append(out, form.Problem{Field: mcp.FieldArguments, Text: words}) }
	var broken *json.SyntaxError
	var given map[string]any
	err := json.Unmarshal([]byte(text), &given)
	e.lacks = ""
	for i := 0; e.takes != nil && i < len(e.takes.List) && e.lacks == ""; i++ {
		if a := &e.takes.List[i]; a.Required && err == nil && cmp.Or(given[a.Name], any("")) == "" {
			e.lacks = api.Clean(a.Name, 60).String()
		}
	}
	switch {
	case strings.TrimSpace(text) == "":
	case errors.As(err, &broken):
		line := 1 + strings.Count(text[:max(broken.Offset-1, 0)], "\n")
		add(e.k.Say("Line %d is not JSON: look at its quotes, commas and brackets.", line))
	case text == e.checked:
		for _, p := range e.found {
			add(env.AsSentence(e.k.Problem(p)))
		}
	}
	return out
}
