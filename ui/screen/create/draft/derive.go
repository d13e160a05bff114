package draft

import (
	"slices"
	"strconv"
	"strings"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/form"
)

// derive brings options, notes and numbers up to date after every edit.
func (d *Draft) derive() {
	if id := d.Model.Value(); id != d.listedFor {
		chosen, own := d.listedFor != unlisted && !d.loading, d.ownValues()
		d.listedFor, d.Listing = id, api.Model{}
		if i := slices.IndexFunc(d.models, func(m api.Model) bool { return m.ID == id }); i >= 0 {
			d.Listing = d.models[i]
		}
		d.takeListing()
		if chosen {
			d.recall(id, own)
		}
		d.give(own)
	}
	d.applies = api.Applies(api.Request{Kind: d.Kind, Model: d.Model.Value(), FunctionMode: d.Mode.Value()})
	d.deriveKinds()
	if d.Kind == api.KindVideo {
		d.deriveTier()
	}
	d.Request = d.sendable()
	d.expandDraft()
	d.markVaried()
	d.deriveMaterials()
}

// takeListing gives the choices the model's values; others become its defaults.
func (d *Draft) takeListing() {
	for _, s := range d.settings {
		c := s.choice
		if s.isNumber() {
			continue
		}
		p, _ := d.Listing.Parameter(s.Name)
		values := rising(p.Values)
		if s.Values != nil {
			values = slices.DeleteFunc(slices.Clone(s.Values), func(v string) bool { return !slices.Contains(p.Values, v) })
		}
		if len(values) == 0 {
			values = s.Values
		}
		c.Free = s.Values == nil && (c != d.Resolution || d.Model.Value() != api.Seedance2)
		none := ""
		if s.Empty == api.EmptyDefault {
			none = d.env.Say(s.Empty)
		}
		options := d.options(values, none)
		for i, o := range options {
			if _, err := strconv.ParseFloat(o.Value, 64); err == nil && s.Unit != "" {
				options[i].Label = d.env.Say(s.Unit, o.Value)
			}
		}
		c.SetOptions(options)
		v := c.Value()
		if len(values) > 0 && v != "" && !slices.Contains(values, v) || v == "" && (!d.Touched || !d.filled) {
			c.SetValue(p.Default)
		}
	}
	d.filled = d.filled || d.Listing.ID != ""
	d.takeExtras()
	if d.Listing.ID == api.Seedance2 {
		if d.Tier.Value() == "" {
			d.Tier.SetValue(api.TierFast)
		}
		if d.duration.Value() == "" && len(d.duration.Options()) > 0 {
			d.duration.SetValue(d.duration.Options()[0].Value)
		}
	}
}

// options makes choices of listed values; none is what leaving it out is called.
func (d *Draft) options(values []string, none string) []form.Option {
	if len(values) == 0 {
		return nil
	}
	out := make([]form.Option, 0, len(values)+1)
	if none != "" {
		out = append(out, form.Option{Label: none})
	}
	for _, v := range values {
		out = append(out, form.Option{Value: v, Label: api.Clean(v, 40).String()})
	}
	return out
}

// deriveTier offers the tier's resolutions; the one wished for comes back with the choice.
func (d *Draft) deriveTier() {
	if d.Model.Value() != api.Seedance2 {
		d.Resolution.SetNote("")
		d.Tier.SetNote("")
		return
	}
	if len(d.Tier.Options()) == 0 {
		d.Tier.SetOptions(d.options(api.VideoModels(), ""))
	}
	tier := d.Tier.Value()
	allowed := api.Resolutions(tier)
	if len(allowed) == 0 {
		return
	}
	d.Resolution.SetOptions(d.options(allowed, ""))
	if len(allowed) == 1 {
		if v := d.Resolution.Value(); v != allowed[0] {
			d.wanted = v
			d.Resolution.SetValue(allowed[0])
		}
		d.Resolution.SetNote(d.env.Say("%s is always %s", tier, allowed[0]))
	} else {
		if d.wanted != "" {
			d.Resolution.SetValue(d.wanted)
			d.wanted = ""
		}
		d.Resolution.SetNote("")
	}
	d.Tier.SetNote(d.samePrice(tier, d.Resolution.Value()))
}

// choose gives a setting one value, which takes the place of its list.
func (d *Draft) choose(name, value string) {
	delete(d.vary, name)
	d.Choice(name).SetValue(value)
}

// Choose takes the settings that a request has, the tier before its resolutions.
func (d *Draft) Choose(r api.Request) {
	d.wanted = ""
	for _, s := range d.settings {
		if v := s.Text(&r); v != "" {
			d.choose(s.Name, v)
			d.Form.Settle()
		}
	}
}

func (d *Draft) samePrice(tier, resolution string) string {
	rate, _ := api.RateOf(tier, resolution)
	for _, other := range api.VideoModels() {
		if same, ok := api.RateOf(other, resolution); ok && same == rate && other != tier {
			return d.env.Say("same price as %s at %s", other, resolution)
		}
	}
	return ""
}

func (d *Draft) List(models []api.Model) {
	d.models = models
	var options []form.Option
	for _, m := range models {
		if m.Kind == d.Kind || m.Kind == "" && (d.Kind == api.KindImage) == strings.Contains(m.ID, "/") {
			options = append(options, form.Option{Value: m.ID, Label: api.Clean(m.ID, 80).String(), Note: ListedPrice(d.env, m)})
		}
	}
	d.Model.SetOptions(options)
	if d.Model.Value() == "" && len(options) > 0 {
		d.Model.SetValue(options[0].Value)
	}
	d.listedFor = unlisted
	d.Form.Settle()
}

// ListedPrice is a model's default price in words.
func ListedPrice(k *env.Env, m api.Model) string {
	if m.Price == nil {
		return ""
	}
	amount := k.Say("%s credits", env.Amount(m.Price.Credits))
	switch m.Price.Unit {
	case "image":
		return k.Say("%s an image", amount)
	case "second":
		return k.Say("%s a second", amount)
	}
	return amount
}
