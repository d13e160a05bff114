package create

import (
	"slices"
	"strconv"

	"darkroom/api"
	"darkroom/ui/form"
)

// values is every value of the form, also of fields that do not apply now.
func (d *draft) values() api.Request {
	r := api.Request{
		Kind: d.kind, Model: d.model.Value(), Prompt: d.prompt.Value(), AspectRatio: d.ratio.Value(),
		ImageURL: d.image.Value(), Vary: d.savedVary(),
	}
	if d.kind == api.KindImage {
		r.Size, r.Quality = d.size.Value(), d.quality.Value()
		return r
	}
	if d.mode.Value() == api.ModeFirstLastFrame {
		r.FunctionMode, r.ImageURL = api.ModeFirstLastFrame, d.first.Value()
	}
	r.EndImageURL, r.VideoURL = d.last.Value(), d.video.Value()
	r.ImageFiles, r.VideoFiles, r.AudioFiles = d.materials.Values(0), d.materials.Values(1), d.materials.Values(2)
	r.VideoModel, r.Resolution, r.Duration = d.tier.Value(), d.resolution.Value(), d.duration.Value()
	if n, err := strconv.ParseInt(d.seed.Value(), 10, 64); err == nil {
		r.Seed = &n
	}
	return r
}

// sendable is what would be sent: the draft without what does not apply.
func (d *draft) sendable() api.Request {
	r := d.values()
	r.Vary = nil
	if d.kind == api.KindImage {
		return r
	}
	on := func(field string) bool { return slices.Contains(d.applies, field) }
	if !on(api.FieldFunctionMode) {
		r.FunctionMode, r.ImageURL = "", d.image.Value()
	}
	if !on(api.FieldEndImageURL) {
		r.EndImageURL = ""
	}
	if !on(api.FieldVideoURL) {
		r.VideoURL = ""
	}
	if !on(api.FieldImageFiles) {
		r.ImageFiles, r.VideoFiles, r.AudioFiles = nil, nil, nil
	}
	if !on(api.FieldVideoModel) {
		r.VideoModel, r.Seed = "", nil
	}
	return r
}

// load fills the form with a request. With keep, prompt and materials stay as
// they are and only what the request sets is taken over.
func (d *draft) load(r api.Request, keep bool) {
	d.touched = true
	set := func(c *form.Choice, v string) {
		if v != "" || !keep {
			c.SetValue(v)
		}
	}
	set(d.model, r.Model)
	set(d.size, r.Size)
	set(d.quality, r.Quality)
	set(d.ratio, r.AspectRatio)
	set(d.tier, r.VideoModel)
	d.wanted = ""
	set(d.resolution, r.Resolution)
	set(d.duration, r.Duration)
	if !keep {
		d.prompt.SetValue(r.Prompt)
		d.loadMaterials(r)
		d.setVary(r.Vary)
	}
	d.form.Fresh()
	d.form.Focus(d.prompt)
	d.form.Settle()
}

func (d *draft) loadMaterials(r api.Request) {
	d.mode.SetValue(r.Mode())
	d.materials.SetValues(r.ImageFiles, r.VideoFiles, r.AudioFiles)
	d.last.SetValue(r.EndImageURL)
	d.video.SetValue(r.VideoURL)
	if r.Mode() == api.ModeFirstLastFrame {
		d.first.SetValue(r.ImageURL)
		d.image.SetValue("")
	} else {
		d.image.SetValue(r.ImageURL)
	}
	seed := ""
	if r.Seed != nil {
		seed = strconv.FormatInt(*r.Seed, 10)
	}
	d.seed.SetValue(seed)
	d.materials.Kinds[0].First = first(d.image.Value() != "" && r.Mode() == api.ModeOmini)
	d.materials.Kinds[1].First = first(d.video.Value() != "")
}

func first(single bool) int {
	if single {
		return 1
	}
	return 0
}
