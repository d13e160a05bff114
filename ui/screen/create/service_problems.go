package create

import (
	"encoding/json"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/form"
	"darkroom/ui/msg"
)

// serviceProblem is what the service rejected about a field. It is shown as
// long as the field has the value that was rejected.
type serviceProblem struct {
	form.Problem
	field string // of the spec
	value string
}

// refused shows what the service rejected beside the fields, unless the draft
// holds another request by now.
func (c *Screen) refused(m msg.RefusedMsg) tea.Cmd {
	for _, d := range c.drafts {
		if d.kind != m.Request.Kind || !sameRequest(d.request, m.Request) {
			continue
		}
		d.setServiceProblems(m.Problems)
		if len(d.serviceProblems) > 0 {
			return msg.Notify(msg.ToneWarn, c.env.Say("The service refused the request: see the marked fields in Create."))
		}
	}
	return nil
}

func sameRequest(a, b api.Request) bool {
	one, err1 := json.Marshal(a)
	two, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && string(one) == string(two)
}

// setServiceProblems takes the service's errors for fields of the request in
// the form. Errors for fields that the form does not have stay with the job.
func (d *draft) setServiceProblems(found []api.FieldError) {
	d.serviceProblems, d.seen = nil, false
	for _, e := range found {
		name, _, _ := strings.Cut(e.Field, ".")
		if name == api.FieldRatio {
			name = api.FieldAspectRatio
		}
		if !slices.Contains(d.applies, name) || name == api.FieldAsync {
			continue
		}
		text := api.OneLine(e.Text.String())
		at, text := d.formField(strings.Replace(e.Field, api.FieldRatio+".", name+".", 1), text)
		if at == api.FieldRatio {
			at = name
		}
		p := form.Problem{Field: at, Text: d.env.Say("The service: %s", text), Early: true}
		d.serviceProblems = append(d.serviceProblems, serviceProblem{Problem: p, field: name, value: valueOf(d.request, name)})
	}
	d.form.Settle()
}

// openServiceProblems are those whose values have not changed since.
func (d *draft) openServiceProblems() []form.Problem {
	var out []form.Problem
	for _, p := range d.serviceProblems {
		if valueOf(d.request, p.field) == p.value {
			out = append(out, p.Problem)
		}
	}
	return out
}

// valueOf is one value of a request as text, to detect changes.
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
