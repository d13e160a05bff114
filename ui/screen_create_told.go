package ui

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/form"
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
func (c *create) refused(m refusedMsg) tea.Cmd {
	for _, s := range c.sheets {
		if s.kind != m.request.Kind || !sameRequest(s.req, m.request) {
			continue
		}
		s.tell(m.told)
		c.drawn = createDrawn{}
		if len(s.told) > 0 {
			return say(toneWarn, c.k.say("The service refused the request: what it said stands beside the fields in Create."))
		}
	}
	return nil
}

func sameRequest(a, b api.Request) bool {
	one, err1 := json.Marshal(a)
	two, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && string(one) == string(two)
}

// tell takes the service's words for fields of the request in the form. Words
// for fields that the form does not have stay with the job.
func (s *sheet) tell(told []api.FieldError) {
	s.told, s.toldSeen = nil, false
	for _, t := range told {
		name, _, _ := strings.Cut(t.Field, ".")
		if name == api.FieldRatio {
			name = api.FieldAspectRatio
		}
		if !slices.Contains(s.applies, name) || name == api.FieldAsync {
			continue
		}
		text := oneLine(t.Text.String())
		at, text := s.beside(strings.Replace(t.Field, api.FieldRatio+".", name+".", 1), text)
		if at == api.FieldRatio {
			at = name
		}
		p := form.Problem{Field: at, Text: s.k.say("The service: %s", text), Early: true}
		s.told = append(s.told, toldProblem{Problem: p, spec: name, value: valueOf(s.req, name)})
	}
	s.form.Settle()
}

// toldProblems are those that still stand.
func (s *sheet) toldProblems() []form.Problem {
	var out []form.Problem
	for _, p := range s.told {
		if valueOf(s.req, p.spec) == p.value {
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
		return materialsField, text
	}
	return field, text
}
