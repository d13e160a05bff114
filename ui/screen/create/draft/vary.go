package draft

import (
	"slices"
	"strconv"
	"strings"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/ui/form"
)

// varied is the list of a field. It goes when the field's own value changes to
// one that the list does not have.
type varied struct {
	values []string
	at     string // the field's own value when the list was made
}

// expandDraft makes the requests that the draft stands for; the first of them
// is what the form checks and prices.
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

// varyNow are the lists of the fields that apply now.
func (d *Draft) varyNow() map[string][]string {
	var out map[string][]string
	for name, v := range d.vary {
		if own := d.OwnValue(name); own != v.at && !slices.Contains(v.values, own) {
			delete(d.vary, name)
			continue
		}
		if !slices.Contains(d.applies, name) {
			continue
		}
		if out == nil {
			out = map[string][]string{}
		}
		out[name] = v.values
	}
	return out
}

// Varying are the settings for the model and mode: each can have a list.
func (d *Draft) Varying() []*api.Field {
	return slices.DeleteFunc(api.Settings(d.Kind), func(f *api.Field) bool { return !slices.Contains(d.applies, f.Name) })
}

// OwnValue is the form's value of a setting.
func (d *Draft) OwnValue(name string) string {
	if s := d.setting(name); s != nil {
		return s.choice.Value()
	}
	return ""
}

// Choice is the form's choice with the name.
func (d *Draft) Choice(name string) *form.Choice {
	if s := d.setting(name); s != nil {
		return s.choice
	}
	return nil
}

// Varied is the list of a field, nil for none.
func (d *Draft) Varied(name string) []string { return slices.Clone(d.vary[name].values) }

// SetVary takes the lists of a request, such as a saved draft's.
func (d *Draft) SetVary(lists map[string][]string) {
	d.vary = map[string]varied{}
	for name, values := range lists {
		if len(values) > 0 {
			d.vary[name] = varied{values, d.OwnValue(name)}
		}
	}
}

// savedVary are the lists as they are saved with the draft.
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
