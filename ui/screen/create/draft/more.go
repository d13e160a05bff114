package draft

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/ui/form"
)

// Values of the async field.
const (
	asyncTrue  = "true"
	asyncFalse = "false"
	asyncOmit  = "omit"
)

const moreField = "more"

// extra is a field for a parameter that the spec does not name.
type extra struct {
	*form.Choice
	parameter api.Parameter
}

func (d *Draft) newMore() {
	d.more = form.NewFold(moreField, "")
	d.async = form.NewChoice(api.FieldAsync, "")
	d.async.SetValue(asyncTrue)
	d.more.Show = func() bool { return d.more.Open() || len(d.extras) > 0 || d.async.Value() != asyncTrue }
	d.async.Show = func() bool { return d.more.Open() || d.async.Value() != asyncTrue }
}

// ShowMore opens what is seldom needed.
func (d *Draft) ShowMore() {
	d.more.SetOpen(true)
	d.Form.Settle()
	d.Form.Focus(d.async)
}

func (d *Draft) labelMore() {
	say := d.env.Say
	d.more.SetLabel(say("More"))
	d.async.SetLabel(say("Async"))
	d.async.SetOptions([]form.Option{
		{Value: asyncTrue, Label: say("true (recommended)")},
		{Value: asyncFalse, Label: say("false: wait for the result")},
		{Value: asyncOmit, Label: say("leave it out")},
	})
	for _, e := range d.extras {
		e.Empty = say("not set")
		e.Touch()
	}
	d.nameMore()
}

func (d *Draft) nameMore() {
	names := []string{d.async.Label}
	for _, e := range d.extras {
		names = append(names, e.Label)
	}
	d.more.SetClosed(strings.Join(names, ", "))
}

// takeExtras gives the form a field for each parameter that the spec does not name.
// Values that were set under the same name stay.
func (d *Draft) takeExtras() {
	old := d.extras
	d.extras = nil
	tail := []form.Field{d.async}
	for _, p := range d.Listing.Extras() {
		name := api.Clean(p.Name, 40).String()
		e := extra{parameter: p}
		if i := slices.IndexFunc(old, func(e extra) bool { return e.parameter.Name == p.Name }); i >= 0 {
			e.Choice = old[i].Choice
		} else {
			e.Choice = form.NewChoice(p.Name, name)
			e.Free = true
		}
		values := p.Values
		if p.JSONType() == api.TypeBoolean {
			values = []string{"true", "false"}
		}
		e.SetOptions(d.options(api.Rising(values), d.env.Say("not set")))
		e.Empty = d.env.Say("not set")
		if p.Default != "" {
			e.SetNote(d.env.Say("default: %s", api.Clean(p.Default, 40).String()))
		}
		choice := e.Choice
		e.Show = func() bool { return d.more.Open() || choice.Value() != "" }
		d.takeKept(e)
		d.extras = append(d.extras, e)
		tail = append(tail, e.Choice)
	}
	for _, e := range old {
		if value, ok := e.value(); ok && !slices.ContainsFunc(d.extras, func(now extra) bool { return now.parameter.Name == e.parameter.Name }) {
			d.kept = append(d.kept, value) // its model is not chosen any more
		}
	}
	d.nameMore()
	d.Form.Tail(tail...)
}

// value is the field's value, if it can be sent.
func (e extra) value() (api.Extra, bool) {
	value, ok := e.parameter.Extra(e.Value())
	return value, ok && e.Value() != ""
}

// takeKept gives a field the value that was kept under its name.
func (d *Draft) takeKept(e extra) {
	if i := slices.IndexFunc(d.kept, func(k api.Extra) bool { return k.Name == e.parameter.Name }); i >= 0 {
		e.SetValue(d.kept[i].Text())
		d.kept = slices.Delete(d.kept, i, i+1)
	}
}

func (d *Draft) setExtras(r api.Request) {
	d.kept = slices.Clone(r.Extra)
	for _, e := range d.extras {
		e.SetValue("")
		d.takeKept(e)
	}
	d.async.SetValue(asyncTrue)
	switch {
	case r.NoAsync:
		d.async.SetValue(asyncOmit)
	case r.Sync:
		d.async.SetValue(asyncFalse)
	}
}

func (d *Draft) moreValues(r *api.Request) {
	r.Sync, r.NoAsync = d.async.Value() == asyncFalse, d.async.Value() == asyncOmit
	for _, e := range d.extras {
		if value, ok := e.value(); ok {
			r.Extra = append(r.Extra, value)
		}
	}
}

func (d *Draft) checkExtras() []form.Problem {
	say := d.env.Say
	var out []form.Problem
	for _, e := range d.extras {
		text, p := e.Value(), e.parameter
		if text == "" {
			continue
		}
		add := func(sentence string) {
			out = append(out, form.Problem{Field: p.Name, Text: sentence, Early: true})
		}
		_, fits := p.Extra(text)
		n, err := strconv.ParseFloat(text, 64)
		number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
		switch kind := p.JSONType(); {
		case !fits && kind == api.TypeInteger:
			add(say("%s must be a whole number.", e.Label))
		case !fits && kind == api.TypeNumber:
			add(say("%s must be a number.", e.Label))
		case !fits && kind == api.TypeBoolean:
			add(say("%s must be true or false.", e.Label))
		case !fits && kind == api.TypeArray:
			add(say("%s has to be a JSON list, such as [1, 2].", e.Label))
		case !fits:
			add(say("%s has to be a JSON object, such as {\"a\": 1}.", e.Label))
		case err != nil:
		case p.Min != nil && n < *p.Min:
			add(say("%s must be at least %s.", e.Label, number(*p.Min)))
		case p.Max != nil && n > *p.Max:
			add(say("%s must be at most %s.", e.Label, number(*p.Max)))
		}
	}
	return out
}

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
