package create

import (
	"slices"
	"strconv"
	"strings"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/form"
)

// derive brings options, notes and numbers up to date with the values. It runs
// after every edit, before the rules.
func (d *draft) derive() {
	if id := d.model.Value(); id != d.listedFor {
		d.listedFor, d.listing = id, api.Model{}
		if i := slices.IndexFunc(d.models, func(m api.Model) bool { return m.ID == id }); i >= 0 {
			d.listing = d.models[i]
		}
		d.adopt()
	}
	if now := [2]string{d.model.Value(), d.mode.Value()}; now != d.appliesFor || d.applies == nil {
		d.appliesFor = now
		d.applies = api.Applies(api.Request{Kind: d.kind, Model: now[0], FunctionMode: now[1]})
	}
	d.number(0, d.mode.Value() != api.ModeFirstLastFrame && d.image.Value() != "")
	d.number(1, d.video.Value() != "")
	if d.kind == api.KindVideo {
		d.deriveTier()
	}
	d.request = d.sendable()
	d.expandDraft()
	d.deriveMaterials()
}

// adopt gives the choices what the model lists; values it does not list give
// way to its defaults.
func (d *draft) adopt() {
	for _, c := range []struct {
		field *form.Choice
		names []string
		spec  []string // choices that the spec itself lists
	}{
		{d.size, []string{api.FieldSize, "image_size"}, nil},
		{d.quality, []string{api.FieldQuality}, []string{"low", "medium", "high"}},
		{d.ratio, []string{api.FieldAspectRatio, api.FieldRatio}, nil},
		{d.duration, []string{api.FieldDuration}, nil},
		{d.tier, []string{api.FieldVideoModel}, api.VideoModels()},
		{d.resolution, []string{api.FieldResolution}, nil},
	} {
		p, _ := d.listing.Parameter(c.names...)
		values := p.Values
		if len(values) == 0 {
			values = c.spec
		}
		options := d.options(values, c.field != d.tier && c.field != d.resolution && c.field != d.duration)
		if c.field == d.duration {
			d.labelSeconds(options)
		}
		c.field.SetOptions(options)
		v := c.field.Value()
		if len(values) > 0 && v != "" && !slices.Contains(values, v) || v == "" && !d.touched {
			c.field.SetValue(p.Default)
		}
	}
	if d.listing.ID == api.Seedance2 {
		if d.tier.Value() == "" {
			d.tier.SetValue(api.TierFast)
		}
		if d.duration.Value() == "" && len(d.duration.Options()) > 0 {
			d.duration.SetValue(d.duration.Options()[0].Value)
		}
	}
}

// labelSeconds writes the unit behind durations that are numbers.
func (d *draft) labelSeconds(options []form.Option) {
	for i, o := range options {
		if _, err := strconv.ParseFloat(o.Value, 64); err == nil {
			options[i].Label = d.env.Say("%s s", o.Value)
		}
	}
}

// options makes choices of listed values; with none they can be left to the
// service.
func (d *draft) options(values []string, none bool) []form.Option {
	if len(values) == 0 {
		return nil
	}
	out := make([]form.Option, 0, len(values)+1)
	if none {
		out = append(out, form.Option{Label: d.env.Say("default")})
	}
	for _, v := range values {
		out = append(out, form.Option{Value: v, Label: api.Clean(v, 40).String()})
	}
	return out
}

// deriveTier makes the resolutions those of the tier: one alone is fixed, and
// the one wished for comes back with the choice.
func (d *draft) deriveTier() {
	if d.model.Value() != api.Seedance2 {
		d.resolution.SetNote("")
		d.tier.SetNote("")
		return
	}
	if len(d.tier.Options()) == 0 {
		d.tier.SetOptions(d.options(api.VideoModels(), false))
	}
	tier := d.tier.Value()
	allowed := api.Resolutions(tier)
	if len(allowed) == 0 {
		return
	}
	d.resolution.SetOptions(d.options(allowed, false))
	if len(allowed) == 1 {
		if v := d.resolution.Value(); v != allowed[0] {
			d.wanted = v
			d.resolution.SetValue(allowed[0])
		}
		d.resolution.SetNote(d.env.Say("fixed for %s", tier))
	} else {
		if d.wanted != "" {
			d.resolution.SetValue(d.wanted)
			d.wanted = ""
		}
		d.resolution.SetNote("")
	}
	d.tier.SetNote(d.samePrice(tier, d.resolution.Value()))
}

// samePrice points out another tier that costs as much at this resolution.
func (d *draft) samePrice(tier, resolution string) string {
	for _, r := range api.SamePrice(tier, resolution) {
		if r.Resolution == resolution {
			return d.env.Say("same price as %s at %s", r.VideoModel, resolution)
		}
	}
	return ""
}

// check is the form's rules: the spec's, through api.Check, each beside the
// field that can put it right.
func (d *draft) check() []form.Problem {
	d.found = d.problems()
	out := make([]form.Problem, 0, len(d.found))
	for _, p := range d.found {
		field, text := d.formField(p.Field, d.env.Problem(p))
		out = append(out, form.Problem{Field: field, Text: text, Early: p.Early})
	}
	if d.seed.Value() != "" && d.request.Seed == nil && slices.Contains(d.applies, api.FieldSeed) {
		out = append(out, form.Problem{Field: api.FieldSeed, Text: d.env.Say("The seed is a whole number: digits only, or empty."), Early: len(d.seed.Value()) > 1})
	}
	out = append(out, d.patternProblem()...)
	return append(out, d.openServiceProblems()...)
}

// list takes a listing of models.
func (d *draft) list(models []api.Model) {
	d.models = models
	var options []form.Option
	for _, m := range models {
		if m.Kind == d.kind || m.Kind == "" && (d.kind == api.KindImage) == strings.Contains(m.ID, "/") {
			options = append(options, form.Option{Value: m.ID, Label: api.Clean(m.ID, 80).String(), Note: listedPrice(d.env, m)})
		}
	}
	d.model.SetOptions(options)
	if d.model.Value() == "" && len(options) > 0 {
		d.model.SetValue(options[0].Value)
	}
	d.listedFor = unlisted
	d.form.Settle()
}

// listedPrice is a model's default price in words.
func listedPrice(k *env.Env, m api.Model) string {
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
