package draft

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"darkroom/api"
	"darkroom/api/expand"
)

// varied is the list of a field; it goes when the field gets a value that it lacks.
type varied struct {
	values []string
	at     string // the field's own value when the list was made
}

// expandDraft makes the requests that the draft stands for; the first is checked.
func (d *Draft) expandDraft() {
	d.Pattern = d.Request
	d.Pattern.Vary = d.varyNow()
	d.Set, d.Err = expand.Requests(d.Pattern, d.Lists, d.env.Settings.VariationsLimit())
	if len(d.Set.All) > 0 {
		d.Request = d.Set.All[0].Request
	}
}

// markVaried says in the form which fields have a list: "41–44 ×4".
func (d *Draft) markVaried() {
	for _, s := range d.own() {
		text := ""
		if values := d.Pattern.Vary[s.Name]; len(values) > 0 {
			text = expand.Text(s.Field, values)
			if s.isNumber() {
				text = strings.ReplaceAll(text, "-", "–")
			}
			text += " ×" + strconv.Itoa(len(values))
		}
		s.choice.SetSeveral(text)
	}
}

func (d *Draft) varyNow() map[string][]string {
	maps.DeleteFunc(d.vary, func(name string, v varied) bool {
		own := d.OwnValue(name)
		return own != v.at && !slices.Contains(v.values, own)
	})
	out := d.savedVary()
	maps.DeleteFunc(out, func(name string, _ []string) bool { return !slices.Contains(d.applies, name) })
	if len(out) == 0 {
		return nil
	}
	return out
}

// Varying are the settings for the model and mode: each can have a list.
func (d *Draft) Varying() []*api.Field {
	return slices.DeleteFunc(api.Settings(d.Kind), func(f *api.Field) bool { return !slices.Contains(d.applies, f.Name) })
}

func (d *Draft) OwnValue(name string) string { return d.Choice(name).Value() }

func (d *Draft) Varied(name string) []string { return slices.Clone(d.vary[name].values) }

// Repeats reports whether the next send is several requests or may be an old one.
func (d *Draft) Repeats() bool { return len(d.Pattern.Vary) > 0 || d.Request.Seed != nil }

func (d *Draft) Single() {
	d.vary = nil
	d.Seed.SetValue("")
	d.Form.Settle()
}

func (d *Draft) SetVary(lists map[string][]string) {
	d.vary = map[string]varied{}
	for name, values := range lists {
		if f := api.FieldNamed(name); len(values) > 0 && f != nil && f.Name == name && f.Varies() {
			d.vary[name] = varied{values, d.OwnValue(name)}
		}
	}
}

func (d *Draft) savedVary() map[string][]string {
	if len(d.vary) == 0 {
		return nil
	}
	out := map[string][]string{}
	for name, v := range d.vary {
		out[name] = v.values
	}
	return out
}
