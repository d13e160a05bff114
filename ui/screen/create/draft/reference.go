package draft

import (
	"darkroom/api"
	"darkroom/ui/msg"
)

// setFrame makes an image the first frame of a video, and returns the place in
// words.
func (d *Draft) SetFrame(m msg.UsedMsg) string {
	d.Touched = true
	d.Model.SetValue(api.Seedance2)
	d.Mode.Choose(api.ModeFirstLastFrame)
	d.Form.Settle() // the rows are those of the mode now
	if d.material(firstFrame) == "" {
		d.Materials.AddTo(firstFrame, m.Address)
	} else {
		d.Materials.Replace(firstFrame, m.Address)
	}
	if m.Ratio != "" {
		d.Ratio.SetValue(m.Ratio)
	}
	if d.Prompt.Value() == "" {
		d.Prompt.Replace(m.Prompt)
	}
	return d.env.Say("First frame")
}

// addReference puts an address where the model and mode take one of its kind.
// It returns the place in words, or why there is none.
func (d *Draft) AddReference(kind api.MaterialKind, address string) (place, why string) {
	say := d.env.Say
	var to int
	switch frames := d.References() && d.Mode.Value() == api.ModeFirstLastFrame; {
	case kind == api.MaterialImage && !d.References():
		to = singleImage
	case !d.References():
		return "", say("Only seedance2 takes a reference video: choose it first.")
	case frames && kind != api.MaterialImage:
		return "", say("The first and last frame are images: choose references first.")
	case frames && d.material(firstFrame) == "":
		to = firstFrame
	case frames && d.material(lastFrame) == "":
		to = lastFrame
	case frames:
		return "", say("Both frames are set: clear one first.")
	default:
		to = map[api.MaterialKind]int{api.MaterialImage: images, api.MaterialVideo: videos, api.MaterialAudio: audios}[kind]
	}
	for _, r := range d.Rows() {
		if r.Address == address {
			return "", say("Already added as %s.", r.Name)
		}
	}
	have, most := len(d.Materials.Values(to)), d.Materials.Kinds[to].Max
	if have >= most && to == singleImage {
		d.Materials.Replace(to, address)
	} else if have >= most {
		return "", say("%d of at most %d added: remove one first.", have, most)
	} else {
		d.Materials.AddTo(to, address)
		have++
	}
	return d.Materials.Name(to, have-1), ""
}
