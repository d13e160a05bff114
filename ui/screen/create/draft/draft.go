// Package draft is a request that is being written: its form, what its rules
// have against it, and the requests that it stands for.
package draft

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/ui/env"
	"darkroom/ui/form"
)

// Draft is the form for one kind of request, and the values derived from it.
type Draft struct {
	env   *env.Env
	links *Links // facts about materials

	Kind      api.Kind
	Form      *form.Form
	Prompt    *form.Prompt
	Mode      *form.Choice
	Materials *form.List
	Model     *form.Choice

	Tier, Resolution, Ratio *form.Choice // among the settings, as are the next ones
	duration                *form.Choice
	Seed                    *form.Choice
	settings                []*setting // of both kinds, in the order of api.Settings

	more   *form.Fold
	async  *form.Choice
	extras []extra
	kept   []api.Extra // loaded values of parameters that the listing does not name

	Request api.Request // as it would be sent; the first one of several
	Pattern api.Request // with its alternatives and lists

	// Expiring is when a remark about the end of a link changes; zero is never.
	Expiring time.Time
	Set      expand.Set  // the requests that the pattern stands for
	Err      error       // why that is nothing that can be sent
	Sent     api.Request // as it was sent last
	Listing  api.Model   // of the chosen model; zero when not known
	Have     [3]int      // materials that tokens can name, by kind
	Touched  bool        // a draft was loaded, or something was typed
	Awaited  bool        // the listing is being read

	Lists expand.Lists // that the prompt can name

	models    []api.Model
	last      map[string]api.Request // by model, as sent last
	given     map[string]string      // values that the person did not set, by field
	loading   bool
	filled    bool   // a listing or a request has given the choices their first values
	listedFor string // the model that Listing was looked up for, or unlisted
	found     []api.Problem
	applies   []string          // fields of the spec that the request can have
	wanted    string            // the resolution to return to when the tier has a choice again
	vary      map[string]varied // fields with a list, by name

	serviceProblems []serviceProblem
	seen            bool // sending was tried while serviceProblems were shown
}

// Unlisted reports whether there is no model yet because the listing is being read.
func (d *Draft) Unlisted() bool { return d.Awaited && len(d.models) == 0 && d.Model.Value() == "" }

// unlisted is not the id of a model: the listing has to be looked up.
const unlisted = "\x00"

var materialKinds = [3]api.MaterialKind{api.MaterialImage, api.MaterialVideo, api.MaterialAudio}

// MaterialsField is the form's name of the three lists in one.
const MaterialsField = "materials"

func New(k *env.Env, kind api.Kind, links *Links) *Draft {
	d := &Draft{env: k, Kind: kind, links: links, listedFor: unlisted, last: map[string]api.Request{}, given: map[string]string{}}
	d.fields()
	d.Form = form.New(d.env.Theme, d.Prompt, func() []form.Problem {
		d.derive()
		return d.check()
	})
	d.Label()
	d.lay()
	if kind == api.KindVideo {
		d.Model.SetValue(api.Seedance2)
		d.Tier.SetValue(api.TierFast)
		d.Resolution.SetValue("720p")
		d.duration.SetValue("5")
	}
	d.Form.Settle()
	return d
}

type setting struct {
	*api.Field
	choice *form.Choice
}

func (s *setting) isNumber() bool { return s.Shape == api.ShapeInteger }

func (d *Draft) Choice(name string) *form.Choice {
	return d.settings[slices.IndexFunc(d.settings, func(s *setting) bool { return s.Name == name })].choice
}

func (d *Draft) own() []*setting {
	return slices.DeleteFunc(slices.Clone(d.settings), func(s *setting) bool { return !s.For(d.Kind) })
}

func (d *Draft) fields() {
	for _, f := range api.Settings("") {
		s := &setting{f, form.NewChoice(f.Name, "")}
		if s.isNumber() {
			s.choice = form.NewNumber(f.Name, "")
		}
		s.choice.Show = func() bool { return slices.Contains(d.applies, f.Name) }
		d.settings = append(d.settings, s)
	}
	d.Tier, d.Resolution = d.Choice(api.FieldVideoModel), d.Choice(api.FieldResolution)
	d.Ratio, d.duration = d.Choice(api.FieldAspectRatio), d.Choice(api.FieldDuration)
	d.Seed = d.Choice(api.FieldSeed)
	d.Prompt = form.NewPrompt(api.FieldPrompt, "", api.MaxPrompt)
	d.Prompt.Marks, d.Prompt.Offer = d.mark, d.offer
	d.Prompt.Complete = d.completeList
	d.Prompt.Add = func() { d.Form.Focus(d.Materials) }
	d.Model = form.NewChoice(api.FieldModel, "")
	d.Mode = form.NewChoice(api.FieldFunctionMode, "")
	d.Mode.SetValue(api.ModeOmini)
	d.Materials = d.newMaterials()
	d.more = &form.Fold{Core: form.Core{Name: "more"}}
	d.async = form.NewChoice(api.FieldAsync, "")
	d.async.SetValue(asyncTrue)
	d.more.Show = func() bool { return d.more.Open() || len(d.extras) > 0 || d.async.Value() != asyncTrue }
	d.async.Show = func() bool { return d.more.Open() || d.async.Value() != asyncTrue }
	d.Mode.Show = func() bool { return slices.Contains(d.applies, api.FieldFunctionMode) }
}

func (d *Draft) lay() {
	f := d.Form
	if d.Kind == api.KindVideo {
		d.Mode.Undoes = true
		f.Add(1, d.Mode)
		f.Add(0, d.Materials)
	}
	f.Add(1, d.Model)
	for _, s := range d.own() {
		f.Add(0, s.choice)
	}
	if d.Kind == api.KindImage {
		f.Add(2, d.Materials)
	}
	f.Add(0, d.more)
}

// Label names the fields in the language of the interface.
func (d *Draft) Label() {
	say := d.env.Say
	d.Prompt.Label = d.labelOf(api.FieldPrompt)
	d.Prompt.Empty = say("What should it show? {red|blue} makes one of each. Chinese and English both work.")
	d.Model.Label = d.labelOf(api.FieldModel)
	d.Model.Empty = say("such as provider/name")
	d.Mode.Label = d.labelOf(api.FieldFunctionMode)
	d.Mode.SetOptions([]form.Option{
		{Value: api.ModeOmini, Label: say("references")},
		{Value: api.ModeFirstLastFrame, Label: say("first and last frame")},
	})
	for _, s := range d.settings {
		s.choice.Label = say(s.Label)
		s.choice.Empty = d.env.SayIf(s.Empty != "", s.Empty)
	}
	d.labelMaterials()
	d.labelMore()
}

// completeList gives the lists whose names begin as the text ends: after __.
func (d *Draft) completeList(before string) (string, []form.Option) {
	begun, ok := expand.Begun(before)
	if !ok {
		return "", nil
	}
	return "__" + begun, api.Pick(slices.Sorted(maps.Keys(d.Lists)), func(name string) (form.Option, bool) {
		entries := d.Lists[name]
		first := api.Clean(strings.Join(entries[:min(len(entries), 4)], ", "), 40).String()
		option := form.Option{Value: "__" + name + "__", Label: api.Clean(name, 40).String(), Note: strconv.Itoa(len(entries)) + " · " + first}
		return option, strings.HasPrefix(strings.ToLower(name), strings.ToLower(begun))
	})
}

// derive brings options, notes and numbers up to date after every edit.
func (d *Draft) derive() {
	if id := d.Model.Value(); id != d.listedFor {
		chosen, own := d.listedFor != unlisted && !d.loading, map[string]bool{} // fields whose values the person set
		for name, v := range d.given {
			own[name] = d.Choice(name).Value() != v
		}
		d.Listing, _ = api.Find(d.models, func(m api.Model) bool { return m.ID == id })
		d.takeListing(d.listedFor == unlisted && d.Touched && d.filled)
		d.listedFor = id
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

// takeListing gives the choices the model's values; others become its defaults, unless they stay.
func (d *Draft) takeListing(stays bool) {
	for _, s := range d.settings {
		c := s.choice
		if s.isNumber() {
			continue
		}
		p, _ := d.Listing.Parameter(s.Name)
		values := api.Rising(p.Values)
		if s.Values != nil {
			values = slices.DeleteFunc(slices.Clone(s.Values), func(v string) bool { return !slices.Contains(p.Values, v) })
		}
		if len(values) == 0 {
			values = s.Values
		}
		c.Free = s.Values == nil && (c != d.Resolution || d.Model.Value() != api.Seedance2)
		options := d.options(values, d.env.SayIf(s.Empty == api.EmptyDefault, s.Empty))
		for i, o := range options {
			if _, err := strconv.ParseFloat(o.Value, 64); err == nil && s.Unit != "" {
				options[i].Label = d.env.Say(s.Unit, o.Value)
			}
		}
		c.SetOptions(options)
		if c.Note = ""; p.Min != nil && p.Max != nil && len(values) == 0 {
			c.Note = d.env.Say("%s to %s", number(*p.Min), d.env.Say(cmp.Or(s.Unit, "%s"), number(*p.Max)))
		}
		v := c.Value()
		if !stays && len(values) > 0 && v != "" && !slices.Contains(values, v) || v == "" && (!d.Touched || !d.filled) {
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
	out := api.Map(values, func(v string) form.Option { return form.Option{Value: v, Label: api.Clean(v, 40).String()} })
	if none != "" && len(values) > 0 {
		out = slices.Insert(out, 0, form.Option{Label: none})
	}
	return out
}

// deriveTier offers the tier's resolutions; the one wished for comes back with the choice.
func (d *Draft) deriveTier() {
	if d.Model.Value() != api.Seedance2 {
		d.Resolution.Note = ""
		return
	}
	tier := d.Tier.Value()
	allowed := api.Resolutions(tier)
	if len(allowed) == 0 {
		return
	}
	d.Resolution.SetOptions(d.options(allowed, ""))
	switch v := d.Resolution.Value(); {
	case len(allowed) == 1 && v != allowed[0]:
		d.wanted = v
		d.Resolution.SetValue(allowed[0])
	case len(allowed) > 1 && d.wanted != "":
		d.Resolution.SetValue(d.wanted)
		d.wanted = ""
	}
	d.Resolution.Note = d.env.SayIf(len(allowed) == 1, "%s is always %s", tier, allowed[0])
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

func (d *Draft) List(models []api.Model) {
	d.models = models
	options := api.Pick(models, func(m api.Model) (form.Option, bool) {
		fits := m.Kind == d.Kind || m.Kind == "" && (d.Kind == api.KindImage) == strings.Contains(m.ID, "/")
		return form.Option{Value: m.ID, Label: api.Clean(m.ID, 80).String(), Note: ListedPrice(d.env, m)}, fits
	})
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
	return k.Say(cmp.Or(unitWords[m.Price.Unit], "%s"), k.Say("%s credits", m.Price.Credits.String()))
}

var unitWords = map[string]string{"image": "%s an image", "second": "%s a second"}

// varied is the list of a field; it goes when the field gets a value that it lacks.
type varied struct {
	values []string
	at     string // the field's own value when the list was made
}

// expandDraft makes the requests that the draft stands for; the first is checked.
func (d *Draft) expandDraft() {
	maps.DeleteFunc(d.vary, func(name string, v varied) bool {
		own := d.Choice(name).Value()
		return own != v.at && !slices.Contains(v.values, own)
	})
	d.Pattern = d.Request
	d.Pattern.Vary = d.savedVary()
	maps.DeleteFunc(d.Pattern.Vary, func(name string, _ []string) bool { return !slices.Contains(d.applies, name) })
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
		s.choice.Several = text
	}
}

// Varying are the settings for the model and mode: each can have a list.
func (d *Draft) Varying() []*api.Field {
	return slices.DeleteFunc(api.Settings(d.Kind), func(f *api.Field) bool { return !slices.Contains(d.applies, f.Name) })
}

func (d *Draft) Varied(name string) []string { return slices.Clone(d.vary[name].values) }

// Repeats reports whether the next send is several requests or may be an old one.
func (d *Draft) Repeats() bool { return len(d.Pattern.Vary) > 0 || d.Request.Seed != nil }

// Single takes that out of the form.
func (d *Draft) Single() {
	d.vary = nil
	d.Seed.SetValue("")
	d.Form.Settle()
}

func (d *Draft) SetVary(lists map[string][]string) {
	d.vary = map[string]varied{}
	for name, values := range lists {
		if f := api.FieldNamed(name); len(values) > 0 && f != nil && f.Name == name && f.Varies() {
			d.vary[name] = varied{values, d.Choice(name).Value()}
		}
	}
}

func (d *Draft) savedVary() map[string][]string {
	out := map[string][]string{}
	for name, v := range d.vary {
		out[name] = v.values
	}
	return out
}
