package create

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/msg"
)

// useResult takes a result as a reference into the draft in view; a video can
// only be one of a video.
func (c *Screen) useResult(m msg.UsedMsg) tea.Cmd {
	if (m.Kind != api.MaterialImage || m.Frame) && c.at == onImage {
		c.draft().form.Rest()
		c.at = onVideo
	}
	d := c.draft()
	place, why := "", ""
	if m.Frame {
		place = d.setFrame(m)
	} else {
		place, why = d.addReference(m.Kind, m.Address)
	}
	d.form.Focus(d.prompt)
	d.form.Settle()
	notice := msg.Notify(msg.ToneHint, why)
	switch {
	case why != "":
	case m.Expires != "":
		notice = msg.Notify(msg.ToneGood, c.env.Say("Added as %s. Link expires in %s.", place, m.Expires))
	default:
		notice = msg.Notify(msg.ToneGood, c.env.Say("Added as %s.", place))
	}
	return tea.Batch(c.changed(), c.saveShown(), notice)
}

// setFrame makes an image the first frame of a video, and returns the place in
// words.
func (d *draft) setFrame(m msg.UsedMsg) string {
	d.touched = true
	d.model.SetValue(api.Seedance2)
	d.mode.Choose(api.ModeFirstLastFrame)
	d.form.Settle() // the rows are those of the mode now
	if d.material(firstFrame) == "" {
		d.materials.AddTo(firstFrame, m.Address)
	} else {
		d.materials.Replace(firstFrame, m.Address)
	}
	if m.Ratio != "" {
		d.ratio.SetValue(m.Ratio)
	}
	if d.prompt.Value() == "" {
		d.prompt.Replace(m.Prompt)
	}
	return d.env.Say("First frame")
}

// addReference puts an address where the model and mode take one of its kind.
// It returns the place in words, or why there is none.
func (d *draft) addReference(kind api.MaterialKind, address string) (place, why string) {
	say := d.env.Say
	var to int
	switch frames := d.references() && d.mode.Value() == api.ModeFirstLastFrame; {
	case kind == api.MaterialImage && !d.references():
		to = singleImage
	case !d.references():
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
	for _, r := range d.rows() {
		if r.address == address {
			return "", say("Already added as %s.", r.name)
		}
	}
	have, most := len(d.materials.Values(to)), d.materials.Kinds[to].Max
	if have >= most && to == singleImage {
		d.materials.Replace(to, address)
	} else if have >= most {
		return "", say("%d of at most %d added: remove one first.", have, most)
	} else {
		d.materials.AddTo(to, address)
		have++
	}
	return d.materials.Name(to, have-1), ""
}
