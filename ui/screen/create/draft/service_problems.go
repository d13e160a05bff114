package draft

import (
	"encoding/json"
	"slices"
	"strings"

	"darkroom/api"
	"darkroom/ui/form"
	"darkroom/ui/widget"
)

// serviceProblem is what the service rejected about a field. It is shown as
// long as the field has the value that was rejected.
type serviceProblem struct {
	form.Problem
	field string // of the spec
	value string
}

// Same reports whether two requests are the same.
func Same(a, b api.Request) bool {
	one, err1 := json.Marshal(a)
	two, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && string(one) == string(two)
}

// setServiceProblems takes the service's errors for fields of the request in
// the form. Errors for fields that the form does not have stay with the job.
func (d *Draft) SetServiceProblems(found []api.FieldError) {
	d.serviceProblems, d.seen = nil, false
	for _, e := range found {
		name, _, _ := strings.Cut(e.Field, ".")
		if name == api.FieldRatio {
			name = api.FieldAspectRatio
		}
		if !slices.Contains(d.applies, name) || name == api.FieldAsync {
			continue
		}
		text := widget.OneLine(e.Text.String())
		at, text := d.formField(strings.Replace(e.Field, api.FieldRatio+".", name+".", 1), text)
		if at == api.FieldRatio {
			at = name
		}
		p := form.Problem{Field: at, Text: d.env.Say("The service: %s", text), Early: true}
		d.serviceProblems = append(d.serviceProblems, serviceProblem{Problem: p, field: name, value: valueOf(d.Request, name)})
	}
	d.Form.Settle()
}

// openServiceProblems are those whose values have not changed since.
func (d *Draft) openServiceProblems() []form.Problem {
	var out []form.Problem
	for _, p := range d.serviceProblems {
		if valueOf(d.Request, p.field) == p.value {
			out = append(out, p.Problem)
		}
	}
	return out
}

// Send is called when the draft is to be sent. Sent again as it is, what the
// service rejected is in the way no more: the person means it.
func (d *Draft) Send() {
	if d.seen {
		d.serviceProblems = nil
	}
	d.seen = len(d.openServiceProblems()) > 0
}

// Refused takes what the service rejected about a request, and reports whether
// that is shown: only when it is the draft's, and about its fields.
func (d *Draft) Refused(r api.Request, found []api.FieldError) bool {
	if d.Kind != r.Kind || !Same(d.Request, r) {
		return false
	}
	d.SetServiceProblems(found)
	return len(d.serviceProblems) > 0
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
