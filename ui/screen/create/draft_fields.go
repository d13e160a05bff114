package create

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"darkroom/api"
	"darkroom/ui/form"
)

// fields makes the form's fields; label names them.
func (d *draft) fields() {
	d.prompt = form.NewPrompt(api.FieldPrompt, "", api.MaxPrompt)
	d.prompt.Marks, d.prompt.Offer = d.mark, d.offer
	d.model = form.NewChoice(api.FieldModel, "")
	d.mode = form.NewRadio(api.FieldFunctionMode, "", form.Option{Value: api.ModeOmini}, form.Option{Value: api.ModeFirstLastFrame})
	d.materials = form.NewList(materialsField, "",
		form.ListKind{Label: string(api.MaterialImage), Max: api.MaxImageFiles},
		form.ListKind{Label: string(api.MaterialVideo), Max: api.MaxVideoFiles, Fits: endsIn(".mp4", ".mov", ".webm", ".mkv", ".avi", ".m4v")},
		form.ListKind{Label: string(api.MaterialAudio), Max: api.MaxAudioFiles, Fits: endsIn(".mp3", ".wav", ".m4a", ".aac", ".ogg", ".flac", ".opus")})
	d.materials.Renumbered = d.renumber
	d.tier = form.NewChoice(api.FieldVideoModel, "")
	d.resolution = form.NewChoice(api.FieldResolution, "")
	d.duration = form.NewChoice(api.FieldDuration, "")
	d.ratio = form.NewChoice(api.FieldAspectRatio, "")
	d.size = form.NewChoice(api.FieldSize, "")
	d.quality = form.NewChoice(api.FieldQuality, "")
	d.first = form.NewText(api.FieldImageURL, "")
	d.last = form.NewText(api.FieldEndImageURL, "")
	d.image = form.NewText(api.FieldImageURL, "")
	d.video = form.NewText(api.FieldVideoURL, "")
	d.seed = form.NewNumber(api.FieldSeed, "")
	for f, c := range map[*form.Core]string{
		&d.mode.Core: api.FieldFunctionMode, &d.materials.Core: api.FieldImageFiles, &d.tier.Core: api.FieldVideoModel,
		&d.last.Core: api.FieldEndImageURL, &d.video.Core: api.FieldVideoURL, &d.seed.Core: api.FieldSeed,
	} {
		f.Show = func() bool { return slices.Contains(d.applies, c) }
	}
	d.first.Show = func() bool { return slices.Contains(d.applies, api.FieldEndImageURL) }
	d.image.Show = func() bool { return !slices.Contains(d.applies, api.FieldEndImageURL) }
}

// layVideo puts the fields of a video in order, the prompt first.
func (d *draft) layVideo() {
	f := d.form
	f.Add(false, d.prompt)
	f.Add(true, d.mode)
	f.Add(false, d.materials)
	f.Add(false, d.first)
	f.Add(false, d.last)
	f.Add(true, d.model)
	f.Add(false, d.tier)
	f.Add(false, d.resolution)
	f.Add(false, d.duration, d.ratio, d.seed)
	f.Add(true, d.image)
	f.Add(false, d.video)
}

// layImage does the same for an image.
func (d *draft) layImage() {
	f := d.form
	f.Add(false, d.prompt)
	f.Add(true, d.model)
	f.Add(false, d.size)
	f.Add(false, d.quality)
	f.Add(false, d.ratio)
	f.Add(true, d.image)
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
	d.materials.SetLabel(say("Materials"))
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
	d.first.SetLabel(say("First frame"))
	d.first.Empty = say("address of a public image")
	d.last.SetLabel(say("Last frame"))
	d.last.Empty = say("optional")
	d.image.SetLabel(say("Image"))
	d.image.Empty = say("optional: address of a public image to start from")
	d.video.SetLabel(say("Video"))
	d.video.Empty = say("optional: address of one reference video")
}

// endsIn reports whether an address ends in one of the endings.
func endsIn(ends ...string) func(string) bool {
	return func(address string) bool {
		p := address
		if u, err := url.Parse(address); err == nil {
			p = u.Path
		}
		return slices.Contains(ends, strings.ToLower(path.Ext(p)))
	}
}
