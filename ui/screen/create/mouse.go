package create

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
)

func (c *Screen) click(m msg.ClickMsg) tea.Cmd {
	at := c.plan
	switch {
	case at.recent.Holds(m.X, m.Y):
		return c.clickRecent(m.X-at.recent.X, m.Y-at.recent.Y)
	case at.large.Holds(m.X, m.Y):
		return c.enterResult()
	case m.Y == 0 && at.form.Holds(m.X, m.Y):
		from := at.form.W - 3 - theme.Width(c.switcher())
		if m.X >= from && m.X < at.form.W-2 {
			return c.switchKind()
		}
		return nil
	case at.form.Holds(m.X, m.Y):
		c.leaveRecent()
		c.draft().Form.Click(m.X-2, m.Y-1)
		return c.changed()
	}
	return c.clickGrid(m.X-at.side.X-2, m.Y-at.side.Y-1)
}

func (c *Screen) wheel(m msg.WheelMsg) tea.Cmd {
	switch at := c.plan; {
	case at.recent.Holds(m.X, m.Y), at.large.Holds(m.X, m.Y):
		return c.recent.Move(m.By)
	case at.side.Holds(m.X, m.Y):
		c.list.By(m.By)
	default:
		c.draft().Form.Wheel(m.X-2, m.Y-1, m.By)
	}
	return nil
}

// clickGrid takes a press in the side pane's cells. A rate under it is loaded
// into the form.
func (c *Screen) clickGrid(x, y int) tea.Cmd {
	d, at := c.draft(), sidePlanFor(c.plan.side).grid
	shown := c.gridShown()
	if c.plan.side.W == 0 {
		return nil
	}
	if shown.choices != nil {
		return c.clickChoice(shown.choices, at.W, x-at.X, y-at.Y)
	}
	if !shown.rates {
		return nil
	}
	table := shown.table()
	row, column, ok := table.Frame(at.W, gridLines).CellAt(x-at.X, y-at.Y)
	if !ok {
		return nil
	}
	tiers, resolutions := table.Rows, table.Cols
	if _, ok := api.RateOf(tiers[row], resolutions[column]); !ok {
		return msg.Notify(msg.ToneHint, c.env.Say("%s is not available in %s.", tiers[row], resolutions[column]))
	}
	d.ChooseRate(tiers[row], resolutions[column])
	return c.changed()
}
