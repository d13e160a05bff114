package draft

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"darkroom/api"
	"darkroom/ui/form"
)

// Values of the async field; none of them is left out by the form's default.
const (
	asyncTrue  = "true"
	asyncFalse = "false"
	asyncOmit  = "omit"
)

// moreField is the form's name of the line that hides rarely set fields.
const moreField = "more"

// extra is a field for a parameter that the model's listing names and the spec
// does not.
type extra struct {
	*form.Choice
	parameter api.Parameter
}

// newMore makes the fields that are rarely set.
func (d *Draft) newMore() {
	d.more = form.NewFold(moreField, "")
	d.async = form.NewChoice(api.FieldAsync, "")
	d.async.SetValue(asyncTrue)
	d.async.Show = func() bool { return d.more.Open() || d.async.Value() != asyncTrue }
}

// labelMore names them in the language of the interface.
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

// takeExtras gives the form a field for each parameter of the listing that the
// spec does not name. Values that were set under the same name stay.
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
		e.SetOptions(d.options(rising(values), d.env.Say("not set")))
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

// value is the value of a field; false when there is none that can be sent.
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

// setExtras loads the extra parameters of a request.
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

// moreValues puts the rarely set values into a request.
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
		add := func(sentence string) {
			out = append(out, form.Problem{Field: p.Name, Text: sentence, Early: true})
		}
		if text == "" {
			continue
		}
		if _, ok := p.Extra(text); !ok {
			switch p.JSONType() {
			case api.TypeInteger:
				add(say("%s has to be a whole number.", e.Label))
			case api.TypeNumber:
				add(say("%s has to be a number.", e.Label))
			case api.TypeBoolean:
				add(say("%s has to be true or false.", e.Label))
			case api.TypeArray:
				add(say("%s has to be a JSON list, such as [1, 2].", e.Label))
			default:
				add(say("%s has to be a JSON object, such as {\"a\": 1}.", e.Label))
			}
			continue
		}
		n, err := strconv.ParseFloat(text, 64)
		number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
		switch {
		case err != nil:
		case p.Min != nil && n < *p.Min:
			add(say("%s has to be at least %s.", e.Label, number(*p.Min)))
		case p.Max != nil && n > *p.Max:
			add(say("%s has to be at most %s.", e.Label, number(*p.Max)))
		}
	}
	return out
}

// magnitude takes apart a value such as "auto_2K", "720p" or "1024x768".
var magnitude = regexp.MustCompile(`^([^0-9]*)([0-9]+(?:\.[0-9]+)?)([kK]?)(?:[xX×]([0-9]+))?`)

// rising puts values in order of their size: plain numbers first, then values
// with a word before the number. Values without numbers, and ratios, keep the
// order of the listing.
func rising(values []string) []string {
	type sized struct {
		value, word string
		size        float64
	}
	out := make([]sized, 0, len(values))
	for _, v := range values {
		m := magnitude.FindStringSubmatch(v)
		if m == nil || strings.Contains(v, ":") {
			return values
		}
		n, _ := strconv.ParseFloat(m[2], 64)
		if m[3] != "" {
			n *= 1024
		}
		if h, err := strconv.ParseFloat(m[4], 64); err == nil {
			n *= h
		}
		out = append(out, sized{v, m[1], n})
	}
	slices.SortStableFunc(out, func(a, b sized) int {
		return cmp.Or(cmp.Compare(a.word, b.word), cmp.Compare(a.size, b.size))
	})
	sorted := make([]string, len(out))
	for i, s := range out {
		sorted[i] = s.value
	}
	return sorted
}

func knownOrder(values, spec []string) []string {
	sorted := slices.Clone(values)
	slices.SortStableFunc(sorted, func(a, b string) int {
		i, j := slices.Index(spec, a), slices.Index(spec, b)
		if i < 0 || j < 0 {
			return 0
		}
		return i - j
	})
	return sorted
}
