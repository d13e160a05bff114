package draft

import (
	"slices"

	"darkroom/api"
	"darkroom/state"
)

// sentence says a problem as the form does: with the labels of its fields in
// place of the names of the wire.
func (d *Draft) sentence(p api.Problem) string {
	say := d.env.Say
	switch p.Code {
	case "no_model":
		if d.Unlisted() {
			return say("The models are still being read.")
		}
	case "first_frame":
		return say("The first frame is missing: add an image.")
	case "bad_token":
		if len(p.Args) > 0 {
			if text, ok := p.Args[0].(string); ok && removedToken(text) {
				return say("%s named a material that was removed: take it out, or choose another with @.", text)
			}
		}
	}
	args := make([]any, len(p.Args))
	for i, a := range p.Args {
		args[i] = a
		if name, ok := a.(string); ok {
			args[i] = d.labelOf(name)
		}
	}
	p.Args = args
	return d.env.Problem(p)
}

// removedToken reports whether a token is one that removing a material left.
func removedToken(text string) bool {
	return slices.ContainsFunc(materialKinds[:], func(k api.MaterialKind) bool { return text == api.TokenText(k, 0) })
}

// labelOf is the label of a field of the spec, or the text itself.
func (d *Draft) labelOf(name string) string {
	if c := d.Choice(name); c != nil {
		return c.Label
	}
	switch name {
	case api.FieldModel:
		return d.Model.Label
	case api.FieldRatio:
		return d.Ratio.Label
	case api.FieldFunctionMode:
		return d.Mode.Label
	case api.FieldSeed:
		return d.Seed.Label
	case api.FieldImageURL:
		return d.env.Say("Image")
	case api.FieldVideoURL:
		return d.env.Say("Video")
	case api.FieldImageFiles:
		return string(api.MaterialImage)
	case api.FieldVideoFiles:
		return string(api.MaterialVideo)
	case api.FieldAudioFiles:
		return string(api.MaterialAudio)
	}
	return name
}

// localSentence says that an address is a file of this machine, and what to do.
func (d *Draft) localSentence(address string) (string, bool) {
	path, local := state.LocalFile(address, d.env.Home)
	if !local {
		return "", false
	}
	name := api.Clean(path, 200).String()
	if len(d.env.Settings.Upload) == 0 {
		return d.env.Say("%s is a file of this machine. The service takes addresses only.", name), true
	}
	return d.env.Say("%s is a file of this machine: alt+u uploads it with your command.", name), true
}

// PriceProblem is what is wrong with a field that the estimate depends on: then
// there is nothing to ask. "" is nothing.
func (d *Draft) PriceProblem() string {
	for _, p := range d.found {
		if api.Estimated(p.Field) {
			return d.sentence(p)
		}
	}
	return ""
}
