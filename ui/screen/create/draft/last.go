package draft

import (
	"slices"

	"darkroom/api"
	"darkroom/ui/form"
)

// Remember takes a request as it was sent: choosing its model brings back its
// values.
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

// recall brings back the values last sent with a model, but for the values that the
// person set.
func (d *Draft) recall(model string, own map[string]bool) {
	if r, ok := d.last[model]; ok {
		for _, s := range d.own() {
			c := s.choice
			if s.isNumber() || own[s.Name] {
				continue
			}
			if v := s.Text(&r); c.Value() != v && (offers(c, v) || v != "" && c.Free) {
				c.SetValue(v)
			}
		}
	}
}

// offers reports whether a value is among the choices, or any value is.
func offers(c *form.Choice, v string) bool {
	return len(c.Options()) == 0 || slices.ContainsFunc(c.Options(), func(o form.Option) bool { return o.Value == v })
}
