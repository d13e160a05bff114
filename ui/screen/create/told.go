package create

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/form"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// toldProblem is what the service had against a field. It stands as long as
// the field has the value that it was about.
type toldProblem struct {
	form.Problem
	spec  string // the spec's field
	value string
}

// refused puts what the service said beside the fields, unless the draft is
// about something else by now.
func (c *Screen) refused(m msg.RefusedMsg) tea.Cmd {
	for _, s := range c.sheets {
		if s.kind != m.Request.Kind || !sameRequest(s.Req, m.Request) {
			continue
		}
		s.Tell(m.Problems)
		c.drawn = createDrawn{}
		if len(s.Told) > 0 {
			return msg.Notify(msg.ToneWarn, c.k.Say("The service refused the request: what it said stands beside the fields in Create."))
		}
	}
	return nil
}

func sameRequest(a, b api.Request) bool {
	one, err1 := json.Marshal(a)
	two, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && string(one) == string(two)
}

// Tell takes the service's words for fields of the request in the form. Words
// for fields that the form does not have stay with the job.
func (s *sheet) Tell(told []api.FieldError) {
	s.Told, s.toldSeen = nil, false
	for _, t := range told {
		name, _, _ := strings.Cut(t.Field, ".")
		if name == api.FieldRatio {
			name = api.FieldAspectRatio
		}
		if !slices.Contains(s.applies, name) || name == api.FieldAsync {
			continue
		}
		text := widget.OneLine(t.Text.String())
		at, text := s.beside(strings.Replace(t.Field, api.FieldRatio+".", name+".", 1), text)
		if at == api.FieldRatio {
			at = name
		}
		p := form.Problem{Field: at, Text: s.k.Say("The service: %s", text), Early: true}
		s.Told = append(s.Told, toldProblem{Problem: p, spec: name, value: valueOf(s.Req, name)})
	}
	s.Form.Settle()
}

// ToldProblems are those that still stand.
func (s *sheet) ToldProblems() []form.Problem {
	var out []form.Problem
	for _, p := range s.Told {
		if valueOf(s.Req, p.spec) == p.value {
			out = append(out, p.Problem)
		}
	}
	return out
}

// valueOf is one value of a request as text, to tell whether it changed.
func valueOf(r api.Request, field string) string {
	text, err := json.Marshal(r)
	var values map[string]json.RawMessage
	if err != nil || json.Unmarshal(text, &values) != nil {
		return ""
	}
	if field == api.FieldFunctionMode {
		field = "function_mode"
	}
	return string(values[field])
}

// beside gives the form's field for a field of the spec, and the text with the
// material that it is about.
func (s *sheet) beside(field, text string) (string, string) {
	name, n, listed := strings.Cut(field, ".")
	for i, list := range [3]string{api.FieldImageFiles, api.FieldVideoFiles, api.FieldAudioFiles} {
		if name != list {
			continue
		}
		if number, err := strconv.Atoi(n); listed && err == nil {
			text = fmt.Sprintf("%s%d: %s", s.materials.Kinds[i].Label, s.materials.Kinds[i].First+number, text)
		}
		return MaterialsField, text
	}
	return field, text
}
