package create

import (
	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/form"
)

// draft is the form for one kind of request, and what follows from its values.
type draft struct {
	env  *env.Env
	kind api.Kind
	form *form.Form

	prompt                  *form.Prompt
	mode                    *form.Radio
	materials               *form.List
	model, tier, resolution *form.Choice
	duration, ratio, size   *form.Choice
	quality                 *form.Choice
	first, last             *form.Text // frames
	image, video            *form.Text // the single reference image and video
	seed                    *form.Text

	models     []api.Model
	listing    api.Model   // of the chosen model; zero when not known
	listedFor  string      // the model that listing was looked up for, or unlisted
	request    api.Request // as it would be sent
	found      []api.Problem
	applies    []string  // fields of the spec that the request can have
	appliesFor [2]string // the model and mode that applies was made for
	wanted     string    // the resolution to return to when the tier has a choice again
	have       [3]int    // materials that tokens can name, by kind
	touched    bool      // a draft was loaded, or something was typed

	variations

	serviceProblems []serviceProblem
	seen            bool // sending was tried while serviceProblems were shown
}

// unlisted is no model's id: the listing has to be looked up.
const unlisted = "\x00"

var materialKinds = [3]api.MaterialKind{api.MaterialImage, api.MaterialVideo, api.MaterialAudio}

// materialsField is the form's name of the three lists in one.
const materialsField = "materials"

func newDraft(k *env.Env, kind api.Kind) *draft {
	d := &draft{env: k, kind: kind, listedFor: unlisted}
	d.form = form.New(d.look())
	d.fields()
	d.label()
	if kind == api.KindVideo {
		d.layVideo()
		d.model.SetValue(api.Seedance2)
		d.tier.SetValue(api.TierFast)
		d.resolution.SetValue("720p")
		d.duration.SetValue("5")
	} else {
		d.layImage()
	}
	d.form.Derive(d.derive)
	d.form.Rules(d.check)
	d.form.Settle()
	return d
}

func (d *draft) look() *form.Look { return &form.Look{Theme: d.env.Theme, Say: d.env.Words.Say} }
