package draft

import (
	"slices"
	"strconv"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/ui/form"
)

// values is every value of the form, also of fields that do not apply now.
func (d *Draft) values() api.Request {
	r := api.Request{
		Kind: d.Kind, Model: d.Model.Value(), Prompt: d.Prompt.Value(), ImageURL: d.material(singleImage), Vary: d.savedVary(),
	}
	for _, name := range expand.Fields(d.Kind) {
		if c := d.Choice(name); c != nil {
			*r.Field(name) = c.Value()
		}
	}
	d.moreValues(&r)
	if d.Kind == api.KindImage {
		return r
	}
	if d.Mode.Value() == api.ModeFirstLastFrame {
		r.FunctionMode, r.ImageURL = api.ModeFirstLastFrame, d.material(firstFrame)
	}
	r.EndImageURL, r.VideoURL = d.material(lastFrame), d.material(singleVideo)
	r.ImageFiles, r.VideoFiles, r.AudioFiles = d.Materials.Values(images), d.Materials.Values(videos), d.Materials.Values(audios)
	if n, err := strconv.ParseInt(d.Seed.Value(), 10, 64); err == nil {
		r.Seed = &n
	}
	return r
}

// sendable is what would be sent: the draft without what does not apply.
func (d *Draft) sendable() api.Request {
	r := d.values()
	r.Vary = nil
	if d.Kind == api.KindImage {
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
func (d *Draft) Load(r api.Request, keep bool) {
	d.Touched, d.loading, d.filled = true, true, true
	defer func() { d.loading = false }()
	set := func(c *form.Choice, v string) {
		if v != "" || !keep {
			c.SetValue(v)
		}
	}
	set(d.Model, r.Model)
	d.wanted = ""
	for name, c := range d.choices {
		set(c.Choice, *r.Field(name))
	}
	if !keep {
		d.setExtras(r)
		d.Prompt.SetValue(r.Prompt)
		d.loadMaterials(r)
		d.SetVary(r.Vary)
		d.Form.ForgetUndo()
	}
	d.Form.Fresh()
	d.Form.Focus(d.Prompt)
	d.Form.Settle()
	d.give(nil)
}

func (d *Draft) loadMaterials(r api.Request) {
	d.Mode.SetValue(r.Mode())
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
	d.Materials.SetValues(rows...)
	seed := ""
	if r.Seed != nil {
		seed = strconv.FormatInt(*r.Seed, 10)
	}
	d.Seed.SetValue(seed)
}

// material is the address of a kind of one row; the first when there are more,
// which is a problem.
func (d *Draft) material(kind int) string {
	if all := d.Materials.Values(kind); len(all) > 0 {
		return all[0]
	}
	return ""
}
