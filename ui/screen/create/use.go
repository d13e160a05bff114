package create

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/msg"
)

// use takes a reference into the draft in view; a video can only be one of a
// video.
func (c *Screen) use(m msg.UsedMsg) tea.Cmd {
	if m.Kind != api.MaterialImage && c.At == OnImage {
		c.Sheet().Form.Rest()
		c.At = OnVideo
	}
	s := c.Sheet()
	place, why := s.use(m.Kind, m.Address)
	s.Form.Focus(s.Prompt)
	s.Form.Settle()
	c.restored, s.restored = true, true
	c.drawn = createDrawn{}
	said := msg.Notify(msg.ToneHint, why)
	switch {
	case why != "":
	case m.Expires != "":
		said = msg.Notify(msg.ToneGood, c.k.Say("It is a reference now: %s. Its address expires in %s.", place, m.Expires))
	default:
		said = msg.Notify(msg.ToneGood, c.k.Say("It is a reference now: %s.", place))
	}
	return tea.Batch(c.Changed(), c.saveShown(), said)
}

// use puts an address where the model and mode take one of its kind. It returns
// the place in words, or why there is none.
func (s *sheet) use(kind api.MaterialKind, address string) (place, why string) {
	say := s.k.Say
	seedance := s.kind == api.KindVideo && s.model.Value() == api.Seedance2
	frames := seedance && s.Mode.Value() == api.ModeFirstLastFrame
	switch {
	case kind == api.MaterialImage && !seedance:
		s.OneImage.SetValue(address)
		return say("Image"), ""
	case !seedance:
		return "", say("Only seedance2 takes a reference video: choose it first.")
	case frames && kind != api.MaterialImage:
		return "", say("The first and last frame are images: choose references first.")
	case frames && s.first.Value() == "":
		s.first.SetValue(address)
		return say("First frame"), ""
	case frames && s.last.Value() == "":
		s.last.SetValue(address)
		return say("Last frame"), ""
	case frames:
		return "", say("Both frames are set already: empty one first.")
	}
	i := slices.Index(materialKinds[:], kind)
	list := s.materials.Kinds[i]
	have := s.materials.Values(i)
	if n := slices.Index(have, address); n >= 0 {
		return "", say("It is there already: %s.", list.Label+strconv.Itoa(list.First+n+1))
	}
	if list.First+len(have) >= list.Max {
		return "", say("There are %d of at most %d already: take one out first.", list.First+len(have), list.Max)
	}
	s.materials.AddTo(i, address)
	return list.Label + strconv.Itoa(list.First+len(have)+1), ""
}
