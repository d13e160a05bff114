package draft

import (
	"slices"

	"darkroom/api"
	"darkroom/ui/form"
)

// fields makes the form's fields; label names them.
func (d *Draft) fields() {
	d.Prompt = form.NewPrompt(api.FieldPrompt, "", api.MaxPrompt)
	d.Prompt.Marks, d.Prompt.Offer = d.mark, d.offer
	d.Prompt.Add = func() { d.Form.Focus(d.Materials) }
	d.Model = form.NewChoice(api.FieldModel, "")
	d.Mode = form.NewRadio(api.FieldFunctionMode, "", form.Option{Value: api.ModeOmini}, form.Option{Value: api.ModeFirstLastFrame})
	d.Materials = d.newMaterials()
	d.Tier = form.NewChoice(api.FieldVideoModel, "")
	d.Resolution = form.NewChoice(api.FieldResolution, "")
	d.duration = form.NewChoice(api.FieldDuration, "")
	d.Ratio = form.NewChoice(api.FieldAspectRatio, "")
	d.size = form.NewChoice(api.FieldSize, "")
	d.quality = form.NewChoice(api.FieldQuality, "")
	d.Seed = form.NewNumber(api.FieldSeed, "")
	d.newMore()
	for f, c := range map[*form.Core]string{
		&d.Mode.Core: api.FieldFunctionMode, &d.Tier.Core: api.FieldVideoModel, &d.Seed.Core: api.FieldSeed,
	} {
		f.Show = func() bool { return slices.Contains(d.applies, c) }
	}
	d.Form.UndoTogether(d.Prompt, d.Materials, d.Mode)
}

// layVideo puts the fields of a video in order, the prompt first.
func (d *Draft) layVideo() {
	f := d.Form
	f.Add(false, d.Prompt)
	f.Add(true, d.Mode)
	f.Add(false, d.Materials)
	f.Add(true, d.Model)
	f.Add(false, d.Tier)
	f.Add(false, d.Resolution)
	f.Add(false, d.duration, d.Ratio, d.Seed)
	f.Add(false, d.more)
}

// layImage does the same for an image.
func (d *Draft) layImage() {
	f := d.Form
	f.Add(false, d.Prompt)
	f.Add(true, d.Model)
	f.Add(false, d.size)
	f.Add(false, d.quality)
	f.Add(false, d.Ratio)
	f.Add(true, d.Materials)
	f.Add(false, d.more)
}

// label names the fields in the language of the interface.
func (d *Draft) Label() {
	say := d.env.Say
	d.Prompt.SetLabel(say("Prompt"))
	d.Prompt.Empty = say("What should it show? Chinese and English both work.")
	d.Model.SetLabel(say("Model"))
	d.Model.Empty = say("such as provider/name")
	d.Mode.SetLabel(say("Mode"))
	d.Mode.Rename(api.ModeOmini, say("references"))
	d.Mode.Rename(api.ModeFirstLastFrame, say("first and last frame"))
	d.Tier.SetLabel(say("Tier"))
	d.Resolution.SetLabel(say("Resolution"))
	d.duration.SetLabel(say("Duration"))
	d.duration.Empty = say("seconds")
	d.Ratio.SetLabel(say("Ratio"))
	d.Ratio.Empty = say("default")
	d.size.SetLabel(say("Size"))
	d.size.Empty = say("default")
	d.quality.SetLabel(say("Quality"))
	d.quality.Empty = say("default")
	d.Seed.SetLabel(say("Seed"))
	d.Seed.Empty = say("random")
	d.labelMaterials()
	d.labelMore()
}
