package draft

import (
	"slices"

	"darkroom/api"
	"darkroom/ui/form"
)

// choice is a field of the spec whose value is one of a list. Fields that can have
// a list of values (expand.Fields) are of this kind, but for the seed.
type choice struct {
	*form.Choice
	label, empty string   // English formats
	listed       []string // how listings name it
	spec         []string // choices that the spec itself lists
}

// fields makes the form's fields; Label names them.
func (d *Draft) fields() {
	d.choices = map[string]choice{}
	one := func(name, label, empty string, spec []string, others ...string) *form.Choice {
		c := form.NewChoice(name, "")
		d.choices[name] = choice{c, label, empty, append([]string{name}, others...), spec}
		return c
	}
	d.Prompt = form.NewPrompt(api.FieldPrompt, "", api.MaxPrompt)
	d.Prompt.Marks, d.Prompt.Offer = d.mark, d.offer
	d.Prompt.Complete = d.completeList
	d.Prompt.Add = func() { d.Form.Focus(d.Materials) }
	d.Model = form.NewChoice(api.FieldModel, "")
	d.Mode = form.NewRadio(api.FieldFunctionMode, "", form.Option{Value: api.ModeOmini}, form.Option{Value: api.ModeFirstLastFrame})
	d.Materials = d.newMaterials()
	d.Tier = one(api.FieldVideoModel, "Tier", "", api.VideoModels())
	d.Resolution = one(api.FieldResolution, "Resolution", "", nil)
	d.duration = one(api.FieldDuration, "Duration", "seconds", nil)
	d.Ratio = one(api.FieldAspectRatio, "Ratio", "default", nil, api.FieldRatio)
	d.size = one(api.FieldSize, "Size", "default", nil, "image_size")
	d.quality = one(api.FieldQuality, "Quality", "default", api.Choices(api.FieldQuality))
	d.Seed = form.NewNumber(api.FieldSeed, "")
	d.newMore()
	for f, c := range map[*form.Core]string{
		&d.Mode.Core: api.FieldFunctionMode, &d.Tier.Core: api.FieldVideoModel, &d.Seed.Core: api.FieldSeed,
	} {
		f.Show = func() bool { return slices.Contains(d.applies, c) }
	}
	d.Form.UndoTogether(d.Prompt, d.Materials, d.Mode)
}

// lay puts the fields in order, the prompt first.
func (d *Draft) lay() {
	f := d.Form
	f.Add(false, d.Prompt)
	if d.Kind == api.KindImage {
		f.Add(true, d.Model)
		f.Add(false, d.size)
		f.Add(false, d.quality)
		f.Add(false, d.Ratio)
		f.Add(true, d.Materials)
		f.Add(false, d.more)
		return
	}
	f.Add(true, d.Mode)
	f.Add(false, d.Materials)
	f.Add(true, d.Model)
	f.Add(false, d.Tier)
	f.Add(false, d.Resolution)
	f.Add(false, d.duration, d.Ratio, d.Seed)
	f.Add(false, d.more)
}

// Label names the fields in the language of the interface.
func (d *Draft) Label() {
	say := d.env.Say
	d.Prompt.SetLabel(say("Prompt"))
	d.Prompt.Empty = say("What should it show? Chinese and English both work.")
	d.Model.SetLabel(say("Model"))
	d.Model.Empty = say("such as provider/name")
	d.Mode.SetLabel(say("Mode"))
	d.Mode.Rename(api.ModeOmini, say("references"))
	d.Mode.Rename(api.ModeFirstLastFrame, say("first and last frame"))
	for _, c := range d.choices {
		c.SetLabel(say(c.label))
		if c.empty != "" {
			c.Empty = say(c.empty)
		}
	}
	d.Seed.SetLabel(say("Seed"))
	d.Seed.Empty = say("random")
	d.labelMaterials()
	d.labelMore()
}
