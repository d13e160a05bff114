package create

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
)

func (c *Screen) click(m msg.ClickMsg) tea.Cmd {
	left, _ := c.panes()
	switch {
	case m.Y == 0 && m.X < left:
		from := left - 3 - theme.Width(c.switcher())
		if m.X >= from && m.X < left-2 {
			return c.switchKind()
		}
		return nil
	case m.X < left:
		c.draft().form.Click(m.X-2, m.Y-1)
		return c.changed()
	}
	return c.clickGrid(m.X-left-2, m.Y-1)
}

func (c *Screen) wheel(m msg.WheelMsg) {
	if left, right := c.panes(); right > 0 && m.X >= left {
		c.list.By(m.By)
		return
	}
	c.draft().form.Wheel(m.X-2, m.Y-1, m.By)
}

// clickGrid takes a press in the side pane's cells. A rate under it is loaded
// into the form.
func (c *Screen) clickGrid(x, y int) tea.Cmd {
	d := c.draft()
	row := y - gridAt - 1
	tiers, resolutions := api.VideoModels(), api.Resolutions("")
	_, w := c.panes()
	cell := gridCell(w-4, len(resolutions))
	if d.request.Model != api.Seedance2 || d.kind != api.KindVideo || row < 0 || row >= len(tiers) || x < gridName || cell < 1 {
		return nil
	}
	column := (x - gridName) / cell
	if column >= len(resolutions) {
		return nil
	}
	if _, ok := api.RateOf(tiers[row], resolutions[column]); !ok {
		return msg.Notify(msg.ToneHint, c.env.Say("%s is not available in %s.", tiers[row], resolutions[column]))
	}
	d.wanted = ""
	d.tier.SetValue(tiers[row])
	d.form.Settle()
	d.resolution.SetValue(resolutions[column])
	d.form.Settle()
	return c.changed()
}
