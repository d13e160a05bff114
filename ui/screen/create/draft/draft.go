// Package draft is a request that is being written: its form, what its rules
// have against it, and the requests that it stands for.
package draft

import (
	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/ui/env"
	"darkroom/ui/form"
)

// Draft is the form for one kind of request, and what follows from its values.
// Its form settles them after every edit.
type Draft struct {
	env   *env.Env
	links *Links // what is known of materials

	Kind      api.Kind
	Form      *form.Form
	Prompt    *form.Prompt
	Mode      *form.Radio
	Materials *form.List
	Model     *form.Choice

	Tier, Resolution, Ratio, duration, size, quality *form.Choice
	choices                                          map[string]choice // those, by the names of the spec
	Seed                                             *form.Text
	more                                             *form.Fold
	async                                            *form.Choice
	extras                                           []extra
	kept                                             []api.Extra // loaded values of parameters that the listing does not name

	Request api.Request // as it would be sent; the first one of several
	Pattern api.Request // with its alternatives and lists
	Set     expand.Set  // what the pattern stands for
	Err     error       // why that is nothing that can be sent
	Sent    api.Request // as it was sent last
	Listing api.Model   // of the chosen model; zero when not known
	Have    [3]int      // materials that tokens can name, by kind
	Touched bool        // a draft was loaded, or something was typed
	Awaited bool        // the listing is being read

	Lists expand.Lists            // that the prompt can name
	Sums  map[string]api.Estimate // figures of the service, by estimate key

	models     []api.Model
	last       map[string]api.Request // by model, as sent last
	given      map[string]string      // values that the person did not set, by field
	loading    bool
	filled     bool   // a listing or a request has given the choices their first values
	listedFor  string // the model that Listing was looked up for, or unlisted
	found      []api.Problem
	applies    []string          // fields of the spec that the request can have
	appliesFor [2]string         // the model and mode that applies was made for
	wanted     string            // the resolution to return to when the tier has a choice again
	vary       map[string]varied // fields with a list, by name

	serviceProblems []serviceProblem
	seen            bool // sending was tried while serviceProblems were shown
}

// Unlisted reports whether there is no model yet because the listing is being
// read.
func (d *Draft) Unlisted() bool { return d.Awaited && len(d.models) == 0 && d.Model.Value() == "" }

// unlisted is no model's id: the listing has to be looked up.
const unlisted = "\x00"

var materialKinds = [3]api.MaterialKind{api.MaterialImage, api.MaterialVideo, api.MaterialAudio}

// MaterialsField is the form's name of the three lists in one.
const MaterialsField = "materials"

// New makes an empty draft.
func New(k *env.Env, kind api.Kind, links *Links) *Draft {
	d := &Draft{env: k, Kind: kind, links: links, listedFor: unlisted}
	d.Form = form.New(d.Look())
	d.fields()
	d.Label()
	d.lay()
	if kind == api.KindVideo {
		d.Model.SetValue(api.Seedance2)
		d.Tier.SetValue(api.TierFast)
		d.Resolution.SetValue("720p")
		d.duration.SetValue("5")
	}
	d.Form.Derive(d.derive)
	d.Form.Rules(d.check)
	d.Form.Settle()
	return d
}

func (d *Draft) Look() *form.Look { return &form.Look{Theme: d.env.Theme, Say: d.env.Words.Say} }
