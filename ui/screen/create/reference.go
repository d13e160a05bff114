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
		c.draft().Form.Rest()
		c.at = onVideo
	}
	d := c.draft()
	place, why := "", ""
	if m.Frame {
		place = d.SetFrame(m)
	} else {
		place, why = d.AddReference(m.Kind, m.Address)
	}
	d.Form.Focus(d.Prompt)
	d.Form.Settle()
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
