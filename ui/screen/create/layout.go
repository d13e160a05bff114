package create

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// plan is where the parts of the screen stand. It depends on the size and the
// kind of the draft alone, so that nothing moves when something arrives.
type plan struct {
	form   widget.Rect
	side   widget.Rect // empty where there is no room: then the form has a line with the price
	large  widget.Rect // the chosen result; empty where there is no room
	recent widget.Rect // the strip of results, or a line of badges
}

const (
	badgesBelow = 32  // a lower body has a line of badges in place of the strip
	largeFrom   = 160 // from this width the chosen result stands large
	maxForm     = 100 // of the form
	minForm     = 72
	sideWidth   = 44
	sideHeight  = 12 // below the form
	minStrip    = 11
	maxStrip    = 22
	videoForm   = 22 // lines that the form of a video wants, its frame included
	imageForm   = 16
)

// planFor lays the screen out. What the form does not want is the pictures'.
func planFor(w, h int, kind api.Kind) plan {
	p := plan{recent: widget.Rect{Y: h - 1, W: w, H: 1}}
	wide := w >= largeFrom && h >= badgesBelow
	if h >= badgesBelow {
		want := videoForm
		if kind == api.KindImage {
			want = imageForm
		}
		if wide {
			want += sideHeight
		}
		p.recent.H = min(max(h-want, minStrip), maxStrip)
		p.recent.Y = h - p.recent.H
	}
	high := max(p.recent.Y, 1)
	switch {
	case wide:
		left := min(max(w*46/100, minForm), maxForm)
		p.form = widget.Rect{W: left, H: high - sideHeight}
		p.side = widget.Rect{Y: high - sideHeight, W: left, H: sideHeight}
		p.large = widget.Rect{X: left, W: w - left, H: high}
	case w >= largeFrom:
		left := min(max(w-sideWidth-60, minForm), maxForm)
		p.form = widget.Rect{W: left, H: high}
		p.side = widget.Rect{X: left, W: sideWidth, H: high}
		p.large = widget.Rect{X: left + sideWidth, W: w - left - sideWidth, H: high}
	default:
		left, right := widget.SplitPanes(w, 62, sideWidth)
		p.form = widget.Rect{W: left, H: high}
		if right > 0 {
			p.side = widget.Rect{X: left, W: right, H: high}
		}
	}
	return p
}

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
	return c.clickChoice(m.X-at.side.X-2, m.Y-at.side.Y-1)
}

func (c *Screen) wheel(m msg.WheelMsg) tea.Cmd {
	switch at := c.plan; {
	case at.recent.Holds(m.X, m.Y), at.large.Holds(m.X, m.Y):
		return c.recent.Move(m.By)
	case at.side.Holds(m.X, m.Y):
		c.list.By(m.By)
	default:
		c.draft().Form.Wheel(m.Y-1, m.By)
	}
	return nil
}
