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
func (s *sheet) derive() {
	if id := s.model.Value(); id != s.adopted {
		s.adopted, s.listing = id, api.Model{}
		if i := slices.IndexFunc(s.models, func(m api.Model) bool { return m.ID == id }); i >= 0 {
			s.listing = s.models[i]
		}
		s.adopt()
	}
	if now := [2]string{s.model.Value(), s.Mode.Value()}; now != s.appliesT || s.applies == nil {
		s.appliesT = now
		s.applies = api.Applies(api.Request{Kind: s.kind, Model: now[0], FunctionMode: now[1]})
	}
	s.number(0, s.Mode.Value() != api.ModeFirstLastFrame && s.OneImage.Value() != "")
	s.number(1, s.oneVid.Value() != "")
	if s.kind == api.KindVideo {
		s.deriveTier()
	}
	s.Req = s.request()
	s.deriveMaterials()
}

// adopt gives the choices what the model lists; values it does not list give
// way to its defaults.
func (s *sheet) adopt() {
	for _, c := range []struct {
		field *form.Choice
		names []string
		spec  []string // choices that the spec itself lists
	}{
		{s.size, []string{api.FieldSize, "image_size"}, nil},
		{s.quality, []string{api.FieldQuality}, []string{"low", "medium", "high"}},
		{s.ratio, []string{api.FieldAspectRatio, api.FieldRatio}, nil},
		{s.duration, []string{api.FieldDuration}, nil},
		{s.Tier, []string{api.FieldVideoModel}, api.VideoModels()},
		{s.resolution, []string{api.FieldResolution}, nil},
	} {
		p, _ := s.listing.Parameter(c.names...)
		values := p.Values
		if len(values) == 0 {
			values = c.spec
		}
		options := s.options(values, c.field != s.Tier && c.field != s.resolution && c.field != s.duration)
		if c.field == s.duration {
			for i, o := range options {
				if _, err := strconv.ParseFloat(o.Value, 64); err == nil {
					options[i].Label = s.k.Say("%s s", o.Value)
				}
			}
		}
		c.field.SetOptions(options)
		v := c.field.Value()
		if len(values) > 0 && v != "" && !slices.Contains(values, v) || v == "" && !s.restored {
			c.field.SetValue(p.Default)
		}
	}
	if s.listing.ID == api.Seedance2 {
		if s.Tier.Value() == "" {
			s.Tier.SetValue(api.TierFast)
		}
		if s.duration.Value() == "" && len(s.duration.Options()) > 0 {
			s.duration.SetValue(s.duration.Options()[0].Value)
		}
	}
}

// options makes choices of listed values; with none they can be left to the
// service.
func (s *sheet) options(values []string, none bool) []form.Option {
	if len(values) == 0 {
		return nil
	}
	out := make([]form.Option, 0, len(values)+1)
	if none {
		out = append(out, form.Option{Label: s.k.Say("default")})
	}
	for _, v := range values {
		out = append(out, form.Option{Value: v, Label: api.Clean(v, 40).String()})
	}
	return out
}

// deriveTier makes the resolutions those of the tier: one alone is fixed, and
// the one wished for comes back with the choice.
func (s *sheet) deriveTier() {
	if s.model.Value() != api.Seedance2 {
		s.resolution.SetNote("")
		s.Tier.SetNote("")
		return
	}
	if len(s.Tier.Options()) == 0 {
		s.Tier.SetOptions(s.options(api.VideoModels(), false))
	}
	tier := s.Tier.Value()
	allowed := api.Resolutions(tier)
	if len(allowed) == 0 {
		return
	}
	s.resolution.SetOptions(s.options(allowed, false))
	if len(allowed) == 1 {
		if v := s.resolution.Value(); v != allowed[0] {
			s.wanted = v
			s.resolution.SetValue(allowed[0])
		}
		s.resolution.SetNote(s.k.Say("fixed for %s", tier))
	} else {
		if s.wanted != "" {
			s.resolution.SetValue(s.wanted)
			s.wanted = ""
		}
		s.resolution.SetNote("")
	}
	s.Tier.SetNote(s.samePrice(tier, s.resolution.Value()))
}

// samePrice points out another tier that costs as much at this resolution.
func (s *sheet) samePrice(tier, resolution string) string {
	for _, r := range api.SamePrice(tier, resolution) {
		if r.Resolution == resolution {
			return s.k.Say("same price as %s at %s", r.VideoModel, resolution)
		}
	}
	return ""
}

// number makes the list count on from a single address that comes first; the
// tokens follow.
func (s *sheet) number(kind int, single bool) {
	k := &s.materials.Kinds[kind]
	to := first(single)
	if k.First == to || s.kind != api.KindVideo {
		return
	}
	n := len(s.materials.Values(kind))
	moved := map[int]int{}
	for i := 1; i <= n; i++ {
		moved[k.First+i] = to + i
	}
	if to == 0 {
		moved[1] = n + 1 // named the address that is gone: stays a problem
	}
	k.First = to
	s.Prompt.Replace(api.RenumberTokens(s.Prompt.Value(), materialKinds[kind], moved))
	s.materials.Touch()
}

// renumber lets the tokens follow materials that move. Tokens of a material
// that is removed get a number that nothing has, and so become a problem
// instead of naming another material.
func (s *sheet) renumber(kind int, to []int) {
	from := s.materials.Kinds[kind].First
	moved := map[int]int{}
	for i, j := range to {
		if j < 0 {
			j = len(to) - 1
		}
		moved[from+i+1] = from + j + 1
	}
	s.Prompt.Replace(api.RenumberTokens(s.Prompt.Value(), materialKinds[kind], moved))
}

// deriveMaterials counts what tokens can name and notes what no token names.
func (s *sheet) deriveMaterials() {
	var have [3]int
	if s.kind == api.KindVideo && s.Req.Model == api.Seedance2 {
		for i, k := range materialKinds {
			have[i] = len(s.Req.Materials(k))
		}
	}
	if have != s.have {
		s.have = have
		s.Prompt.Touch()
	}
	if have == [3]int{} || !slices.Contains(s.applies, api.FieldImageFiles) {
		return
	}
	named := map[string]bool{}
	for _, t := range api.Tokens(s.Req.Prompt) {
		named[string(t.Kind)+strconv.Itoa(t.Number)] = true
	}
	for k, kind := range s.materials.Kinds {
		for i := range s.materials.Values(k) {
			note := ""
			if len(named) > 0 && !named[kind.Label+strconv.Itoa(kind.First+i+1)] {
				note = s.k.Say("not used in the prompt")
			}
			s.materials.SetEntryNote(k, i, note, false)
		}
	}
}

// mark tells whether a token of the prompt names something.
func (s *sheet) mark(token string) form.Mark {
	if s.kind != api.KindVideo || s.Req.Model != api.Seedance2 {
		return form.MarkNone
	}
	ts := api.Tokens(token)
	if len(ts) != 1 {
		return form.MarkNone
	}
	for i, k := range materialKinds {
		if ts[0].Kind == k && ts[0].Number >= 1 && ts[0].Number <= s.have[i] {
			return form.MarkToken
		}
	}
	return form.MarkStray
}

// offer is what @ can insert.
func (s *sheet) offer() []form.Option {
	if s.kind != api.KindVideo || s.Req.Model != api.Seedance2 {
		return nil
	}
	var out []form.Option
	for _, k := range materialKinds {
		for i, address := range s.Req.Materials(k) {
			name := string(k) + strconv.Itoa(i+1)
			out = append(out, form.Option{Value: api.TokenText(k, i+1), Label: name, Note: api.Clean(address, 200).String()})
		}
	}
	return out
}

// check is the form's rules: the spec's, through api.Check, each beside the
// field that can put it right.
func (s *sheet) check() []form.Problem {
	s.found = api.Check(s.Req, s.listing, s.k.Settings.BaseURL)
	out := make([]form.Problem, 0, len(s.found))
	for _, p := range s.found {
		field, text := s.beside(p.Field, s.k.Problem(p))
		out = append(out, form.Problem{Field: field, Text: text, Early: p.Early})
	}
	if s.Seed.Value() != "" && s.Req.Seed == nil && slices.Contains(s.applies, api.FieldSeed) {
		out = append(out, form.Problem{Field: api.FieldSeed, Text: s.k.Say("The seed is a whole number: take out what is not a digit, or leave it empty."), Early: len(s.Seed.Value()) > 1})
	}
	return append(out, s.ToldProblems()...)
}

// list takes a listing of models.
func (s *sheet) list(models []api.Model) {
	s.models = models
	var options []form.Option
	for _, m := range models {
		if m.Kind == s.kind || m.Kind == "" && (s.kind == api.KindImage) == strings.Contains(m.ID, "/") {
			options = append(options, form.Option{Value: m.ID, Label: api.Clean(m.ID, 80).String(), Note: listedPrice(s.k, m)})
		}
	}
	s.model.SetOptions(options)
	if s.model.Value() == "" && len(options) > 0 {
		s.model.SetValue(options[0].Value)
	}
	s.adopted = "\x00" // no model's id: look the listing up again
	s.Form.Settle()
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
