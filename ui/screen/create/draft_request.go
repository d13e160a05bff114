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
		ImageURL: d.material(singleImage), Vary: d.savedVary(),
	}
	d.moreValues(&r)
	if d.kind == api.KindImage {
		r.Size, r.Quality = d.size.Value(), d.quality.Value()
		return r
	}
	if d.mode.Value() == api.ModeFirstLastFrame {
		r.FunctionMode, r.ImageURL = api.ModeFirstLastFrame, d.material(firstFrame)
	}
	r.EndImageURL, r.VideoURL = d.material(lastFrame), d.material(singleVideo)
	r.ImageFiles, r.VideoFiles, r.AudioFiles = d.materials.Values(images), d.materials.Values(videos), d.materials.Values(audios)
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
		r.FunctionMode, r.ImageURL = "", d.material(singleImage)
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
		d.setExtras(r)
		d.prompt.SetValue(r.Prompt)
		d.loadMaterials(r)
		d.setVary(r.Vary)
		d.form.ForgetUndo()
	}
	d.form.Fresh()
	d.form.Focus(d.prompt)
	d.form.Settle()
}

func (d *draft) loadMaterials(r api.Request) {
	d.mode.SetValue(r.Mode())
	rows := make([][]string, lastFrame+1)
	rows[images], rows[videos], rows[audios] = r.ImageFiles, r.VideoFiles, r.AudioFiles
	set := func(kind int, address string) {
		if address != "" {
			rows[kind] = []string{address}
		}
	}
	set(lastFrame, r.EndImageURL)
	set(singleVideo, r.VideoURL)
	if r.Mode() == api.ModeFirstLastFrame {
		set(firstFrame, r.ImageURL)
	} else {
		set(singleImage, r.ImageURL)
	}
	d.materials.SetValues(rows...)
	seed := ""
	if r.Seed != nil {
		seed = strconv.FormatInt(*r.Seed, 10)
	}
	d.seed.SetValue(seed)
}

// material is the address of a kind of one row; the first when there are more,
// which is a problem.
func (d *draft) material(kind int) string {
	if all := d.materials.Values(kind); len(all) > 0 {
		return all[0]
	}
	return ""
}
