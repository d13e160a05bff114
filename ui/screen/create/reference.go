package create

import (
	"slices"
	"strconv"

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
	d.mode.SetValue(api.ModeFirstLastFrame)
	d.first.SetValue(m.Address)
	if m.Ratio != "" {
		d.ratio.SetValue(m.Ratio)
	}
	if d.prompt.Value() == "" {
		d.prompt.SetValue(m.Prompt)
	}
	return d.env.Say("First frame")
}

// addReference puts an address where the model and mode take one of its kind.
// It returns the place in words, or why there is none.
func (d *draft) addReference(kind api.MaterialKind, address string) (place, why string) {
	say := d.env.Say
	seedance := d.kind == api.KindVideo && d.model.Value() == api.Seedance2
	frames := seedance && d.mode.Value() == api.ModeFirstLastFrame
	switch {
	case kind == api.MaterialImage && !seedance:
		d.image.SetValue(address)
		return say("Image"), ""
	case !seedance:
		return "", say("Only seedance2 takes a reference video: choose it first.")
	case frames && kind != api.MaterialImage:
		return "", say("The first and last frame are images: choose references first.")
	case frames && d.first.Value() == "":
		d.first.SetValue(address)
		return say("First frame"), ""
	case frames && d.last.Value() == "":
		d.last.SetValue(address)
		return say("Last frame"), ""
	case frames:
		return "", say("Both frames are set: clear one first.")
	}
	i := slices.Index(materialKinds[:], kind)
	list := d.materials.Kinds[i]
	have := d.materials.Values(i)
	if n := slices.Index(have, address); n >= 0 {
		return "", say("Already added as %s.", list.Label+strconv.Itoa(list.First+n+1))
	}
	if list.First+len(have) >= list.Max {
		return "", say("%d of at most %d added: remove one first.", list.First+len(have), list.Max)
	}
	d.materials.AddTo(i, address)
	return list.Label + strconv.Itoa(list.First+len(have)+1), ""
}
