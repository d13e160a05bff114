package create

import (
	"slices"

	"darkroom/api"
	"darkroom/ui/form"
)

// fields makes the form's fields; label names them.
func (d *draft) fields() {
	d.prompt = form.NewPrompt(api.FieldPrompt, "", api.MaxPrompt)
	d.prompt.Marks, d.prompt.Offer = d.mark, d.offer
	d.prompt.Add = func() { d.form.Focus(d.materials) }
	d.model = form.NewChoice(api.FieldModel, "")
	d.mode = form.NewRadio(api.FieldFunctionMode, "", form.Option{Value: api.ModeOmini}, form.Option{Value: api.ModeFirstLastFrame})
	d.materials = d.newMaterials()
	d.tier = form.NewChoice(api.FieldVideoModel, "")
	d.resolution = form.NewChoice(api.FieldResolution, "")
	d.duration = form.NewChoice(api.FieldDuration, "")
	d.ratio = form.NewChoice(api.FieldAspectRatio, "")
	d.size = form.NewChoice(api.FieldSize, "")
	d.quality = form.NewChoice(api.FieldQuality, "")
	d.seed = form.NewNumber(api.FieldSeed, "")
	d.newMore()
	for f, c := range map[*form.Core]string{
		&d.mode.Core: api.FieldFunctionMode, &d.tier.Core: api.FieldVideoModel, &d.seed.Core: api.FieldSeed,
	} {
		f.Show = func() bool { return slices.Contains(d.applies, c) }
	}
	d.form.UndoTogether(d.prompt, d.materials, d.mode)
}

// layVideo puts the fields of a video in order, the prompt first.
func (d *draft) layVideo() {
	f := d.form
	f.Add(false, d.prompt)
	f.Add(true, d.mode)
	f.Add(false, d.materials)
	f.Add(true, d.model)
	f.Add(false, d.tier)
	f.Add(false, d.resolution)
	f.Add(false, d.duration, d.ratio, d.seed)
	f.Add(false, d.more)
}

// layImage does the same for an image.
func (d *draft) layImage() {
	f := d.form
	f.Add(false, d.prompt)
	f.Add(true, d.model)
	f.Add(false, d.size)
	f.Add(false, d.quality)
	f.Add(false, d.ratio)
	f.Add(true, d.materials)
	f.Add(false, d.more)
}

// label names the fields in the language of the interface.
func (d *draft) label() {
	say := d.env.Say
	d.prompt.SetLabel(say("Prompt"))
	d.prompt.Empty = say("What should it show? Chinese and English both work.")
	d.model.SetLabel(say("Model"))
	d.model.Empty = say("such as provider/name")
	d.mode.SetLabel(say("Mode"))
	d.mode.Rename(api.ModeOmini, say("references"))
	d.mode.Rename(api.ModeFirstLastFrame, say("first and last frame"))
	d.tier.SetLabel(say("Tier"))
	d.resolution.SetLabel(say("Resolution"))
	d.duration.SetLabel(say("Duration"))
	d.duration.Empty = say("seconds")
	d.ratio.SetLabel(say("Ratio"))
	d.ratio.Empty = say("default")
	d.size.SetLabel(say("Size"))
	d.size.Empty = say("default")
	d.quality.SetLabel(say("Quality"))
	d.quality.Empty = say("default")
	d.seed.SetLabel(say("Seed"))
	d.seed.Empty = say("random")
	d.labelMaterials()
	d.labelMore()
}
