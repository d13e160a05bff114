// Package draft is a request that is being written: its form, what its rules
// have against it, and the requests that it stands for.
package draft

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

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
	Mode      *form.Radio
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
	d := &Draft{env: k, Kind: kind, links: links, listedFor: unlisted}
	d.fields()
	d.Form = form.New(d.Look(), d.Prompt, func() []form.Problem {
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

func (d *Draft) Look() *form.Look { return &form.Look{Theme: d.env.Theme, Say: d.env.Words.Say} }

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
	d.Mode = form.NewRadio(api.FieldFunctionMode, "", form.Option{Value: api.ModeOmini}, form.Option{Value: api.ModeFirstLastFrame})
	d.Materials = d.newMaterials()
	d.newMore()
	d.Mode.Show = func() bool { return slices.Contains(d.applies, api.FieldFunctionMode) }
}

func (d *Draft) lay() {
	f := d.Form
	if d.Kind == api.KindVideo {
		f.Add(true, d.Mode)
		f.Add(false, d.Materials)
	}
	f.Add(true, d.Model)
	for _, s := range d.own() {
		f.Add(false, s.choice)
	}
	if d.Kind == api.KindImage {
		f.Add(true, d.Materials)
	}
	f.Add(false, d.more)
}

// Label names the fields in the language of the interface.
func (d *Draft) Label() {
	say := d.env.Say
	d.Prompt.SetLabel(d.labelOf(api.FieldPrompt))
	d.Prompt.Empty = say("What should it show? Chinese and English both work.")
	d.Model.SetLabel(d.labelOf(api.FieldModel))
	d.Model.Empty = say("such as provider/name")
	d.Mode.SetLabel(d.labelOf(api.FieldFunctionMode))
	d.Mode.SetOptions([]form.Option{
		{Value: api.ModeOmini, Label: say("references")},
		{Value: api.ModeFirstLastFrame, Label: say("first and last frame")},
	})
	for _, s := range d.settings {
		s.choice.SetLabel(say(s.Label))
		if s.Empty != "" {
			s.choice.Empty = say(s.Empty)
		}
	}
	d.labelMaterials()
	d.labelMore()
}

// completeList gives the lists whose names begin as the text ends: after __.
func (d *Draft) completeList(before string) (int, []form.Option) {
	begun, ok := expand.Begun(before)
	if !ok {
		return 0, nil
	}
	var out []form.Option
	for _, name := range slices.Sorted(maps.Keys(d.Lists)) {
		if strings.HasPrefix(strings.ToLower(name), strings.ToLower(begun)) {
			entries := d.Lists[name]
			first := api.Clean(strings.Join(entries[:min(len(entries), 4)], ", "), 40).String()
			out = append(out, form.Option{
				Value: "__" + name + "__", Label: api.Clean(name, 40).String(), Note: strconv.Itoa(len(entries)) + " · " + first,
			})
		}
	}
	return utf8.RuneCountInString(begun) + 2, out
}
