package draft

import (
	"slices"
	"strings"

	"darkroom/api"
	"darkroom/ui/form"
)

// values is every value of the form, also of fields that do not apply now.
func (d *Draft) values(rows func(kind int) []string) api.Request {
	r := api.Request{Kind: d.Kind, Model: d.Model.Value(), Prompt: d.Prompt.Value(), Vary: d.savedVary()}
	for _, s := range d.own() {
		s.Set(&r, s.choice.Value()) // one that is not a number has a problem of its own
	}
	d.moreValues(&r)
	if d.Kind == api.KindVideo && d.Mode.Value() == api.ModeFirstLastFrame {
		r.FunctionMode = api.ModeFirstLastFrame
	}
	for kind, f := range materialFields(r.Mode()) {
		f.Set(&r, rows(kind)...)
	}
	return r
}

// sendable is the request to send: the draft without fields that do not apply.
func (d *Draft) sendable() api.Request {
	r := d.values(d.Materials.Values)
	r.Vary = nil
	for _, f := range api.Fields(d.Kind) {
		if !slices.Contains(d.applies, f.Name) {
			f.Set(&r)
		}
	}
	if !slices.Contains(d.applies, api.FieldFunctionMode) { // there is one image, whatever the mode was
		r.ImageURL = d.material(singleImage)
	}
	return r
}

// Load fills the form with a request. With keep, prompt and materials stay as
// they are and only what the request sets is taken over.
func (d *Draft) Load(r api.Request, keep bool) {
	d.Touched, d.loading, d.filled = true, true, true
	defer func() { d.loading = false }()
	if r.Model != "" || !keep {
		d.Model.SetValue(r.Model)
	}
	d.wanted = ""
	for _, s := range d.settings {
		if v := s.Text(&r); v != "" || !keep {
			d.choose(s.Name, v)
		}
	}
	if !keep {
		d.setExtras(r)
		d.Prompt.SetValue(r.Prompt)
		d.Prompt.ToEnd()
		d.loadMaterials(r)
		d.SetVary(r.Vary)
		d.Form.ForgetUndo()
	}
	d.Form.Fresh()
	d.Form.Focus(d.Prompt)
	d.Form.Settle()
	d.give(nil)
}

func (d *Draft) loadMaterials(r api.Request) {
	d.Mode.SetValue(r.Mode())
	rows := make([][]string, lastFrame+1)
	for kind, f := range materialFields(r.Mode()) {
		rows[kind] = f.Texts(&r)
	}
	d.Materials.SetValues(rows...)
}

// material returns the address of a kind that has one row; more are a problem.
func (d *Draft) material(kind int) string {
	if all := d.Materials.Values(kind); len(all) > 0 {
		return all[0]
	}
	return ""
}

// Empty reports whether nothing was written that could be lost.
func (d *Draft) Empty() bool {
	for kind := range d.Materials.Kinds {
		if len(d.Materials.Drafted(kind)) > 0 {
			return false
		}
	}
	return strings.TrimSpace(d.Prompt.Value()) == ""
}

func (d *Draft) Unsent() bool { return !d.Empty() && !Same(d.Request, d.Sent) }

// Saved returns the draft as it is kept, with text that is not taken over yet.
func (d *Draft) Saved() api.Request {
	r := d.values(d.Materials.Drafted)
	r.Extra = append(r.Extra, d.kept...)
	return r
}

// Remember takes a request as it was sent: choosing its model brings back its values.
func (d *Draft) Remember(r api.Request) {
	if d.last == nil {
		d.last = map[string]api.Request{}
	}
	if r.Kind == d.Kind {
		d.last[r.Model] = r
	}
}

// Recall is Remember for requests of before, of which the first counts.
func (d *Draft) Recall(r api.Request) {
	if _, known := d.last[r.Model]; !known {
		d.Remember(r)
	}
}

// ownValues are the fields that have values which the person set.
func (d *Draft) ownValues() map[string]bool {
	own := map[string]bool{}
	for name, v := range d.given {
		own[name] = d.OwnValue(name) != v
	}
	return own
}

// give marks all values but the person's own as given.
func (d *Draft) give(own map[string]bool) {
	if d.given == nil {
		d.given = map[string]string{}
	}
	for _, s := range d.own() {
		if !s.isNumber() && !own[s.Name] {
			d.given[s.Name] = s.choice.Value()
		}
	}
}

// recall brings back the values last sent with a model where the person set none.
func (d *Draft) recall(model string, own map[string]bool) {
	if r, ok := d.last[model]; ok {
		for _, s := range d.own() {
			c := s.choice
			if s.isNumber() || own[s.Name] {
				continue
			}
			v, options := s.Text(&r), c.Options()
			offered := slices.ContainsFunc(options, func(o form.Option) bool { return o.Value == v })
			if offered || len(options) == 0 || v != "" && c.Free {
				c.SetValue(v)
			}
		}
	}
}
