package create

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/msg"
	"darkroom/ui/screen/create/draft"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// View joins the form, the side pane, the large result and the results.
func (c *Screen) View() []string {
	at := c.plan
	panes := [][]string{c.drawForm()}
	switch {
	case at.side.Y > 0:
		panes[0] = slices.Concat(panes[0], c.drawSide())
	case at.side.W > 0:
		panes = append(panes, c.drawSide())
	}
	if at.large.W > 0 {
		panes = append(panes, c.recent.LargeLines())
	}
	return slices.Concat(c.beside.Join(panes...), c.recent.Lines())
}

func (c *Screen) drawForm() []string {
	d, t, at := c.draft(), c.env.Theme, c.plan.form
	p := widget.Pane{Width: at.W, Height: at.H, Title: widget.KindName(c.env, d.Kind), Right: c.switcher()}
	p.Focus, p.Quiet = !c.recent.Focused(), true
	if model := d.Model.Value(); model != "" {
		p.Title += " · " + api.Clean(model, 60).String()
	}
	image, video := t.Muted, t.Tab
	if d.Kind == api.KindImage {
		image, video = t.Tab, t.Muted
	}
	p.Inked = t.Muted.Paint("‹ ") + image.Paint(c.env.Say("Image")) + t.Muted.Paint(" ╱ ") +
		video.Paint(c.env.Say("Video")) + t.Muted.Paint(" ›")
	lines := d.Form.Lines()
	above, below := d.Form.More()
	p.Foot = widget.More(c.env, above, below)
	if several := c.variationsLine(); several != "" {
		p.Foot = strings.TrimSuffix(several+" · "+p.Foot, " · ")
	}
	if c.plan.side.W == 0 {
		lines = append(lines, c.strip(at.W-4))
	}
	return p.Keep(&c.frames[0], t, lines)
}

func (c *Screen) switcher() string {
	return "‹ " + c.env.Say("Image") + " ╱ " + c.env.Say("Video") + " ›"
}

// strip is price and readiness in one line.
func (c *Screen) strip(w int) string {
	t, price, ready := c.env.Theme, c.priceShown(), &c.ready
	left := t.Accent.Paint(price.amount)
	if price.repeats != "" {
		left += "  " + t.Warn.Paint(price.repeats)
	}
	if price.failed {
		left += "  " + t.Warn.Paint(price.status)
	} else if price.source != "" {
		left += "  " + price.sourceStyle.Paint(price.source)
	}
	if price.perSecond != "" {
		left += t.Faint.Paint("  " + price.perSecond)
	}
	right := t.Good.Paint("✓ " + c.env.Say("ready"))
	switch {
	case ready.stop != "":
		right = t.Bad.Paint("✗ " + ready.stop)
	case ready.total() > 0:
		right = t.Warn.Paint("○ " + c.env.Words.Count(ready.total(), "%d problem", "%d problems"))
	case len(ready.unreadable) > 0:
		right = t.Warn.Paint("✗ " + theme.Cut(ready.unreadable[0], w/2))
	}
	room := w - theme.Width(right)
	return theme.Fit(left, room-1) + " " + right
}

// sidePlan is where the parts of the side pane stand: the price above the rates, and
// the list below or, if there is room, next to them.
type sidePlan struct {
	price, grid, list widget.Rect
}

const (
	priceLines = 4
	gridLines  = 5
	besideFrom = 66 // inner width from which the list stands next to the rates
	besideLeft = 42 // width of the rates then
)

func sidePlanFor(r widget.Rect) sidePlan {
	w, h := widget.Pane{Width: r.W, Height: r.H}.Inner()
	if w >= besideFrom {
		return sidePlan{
			price: widget.Rect{W: besideLeft, H: priceLines}, grid: widget.Rect{Y: priceLines, W: besideLeft, H: gridLines},
			list: widget.Rect{X: besideLeft + 2, Y: 1, W: w - besideLeft - 2, H: h - 1},
		}
	}
	p := sidePlan{price: widget.Rect{Y: 1, W: w, H: priceLines}}
	p.grid = widget.Rect{Y: p.price.Y + priceLines, W: w, H: gridLines}
	top := p.grid.Y + gridLines + 1
	p.list = widget.Rect{Y: top, W: w, H: h - top}
	return p
}

// drawSide draws the side pane. Its lines keep their places whatever arrives.
func (c *Screen) drawSide() []string {
	t, side := c.env.Theme, c.plan.side
	p := widget.Pane{Width: side.W, Height: side.H, Title: c.env.Say("Price")}
	_, high := p.Inner()
	at := sidePlanFor(side)
	body := make([]string, max(high, at.list.Y))
	copy(body[at.price.Y:], c.priceShown().lines(t, at.price.W))
	copy(body[at.grid.Y:], c.otherPrices(at.grid.W))
	heading := c.env.Say("Before you send")
	if at.list.X > 0 {
		list := append([]string{t.Strong.Paint(heading)}, c.list.Lines()...)
		for y := range body {
			right := ""
			if y < len(list) {
				right = list[y]
			}
			body[y] = theme.Fit(body[y], at.list.X) + right
		}
	} else {
		body[at.list.Y-1] = widget.Divide(heading)
		copy(body[at.list.Y:], c.list.Lines())
	}
	if below := c.list.Below(); below > 0 {
		p.Foot = c.env.Say("↓ %d more lines", below)
	}
	return p.Keep(&c.frames[1], t, body)
}

// otherPrices are the prices of other choices, or the model's listed price.
func (c *Screen) otherPrices(w int) []string {
	if grid := c.choiceGrid(); grid != nil {
		return grid.cells.Lines(c.env.Theme, grid.cells.Frame(w, gridLines))
	}
	if listed := draft.ListedPrice(c.env, c.draft().Listing); listed != "" {
		return []string{theme.Cut(c.env.Theme.Muted.Paint(c.env.Say("listed: %s", listed)), w)}
	}
	return nil
}

// Cursor is in the form, unless a result has the keys.
func (c *Screen) Cursor() *tea.Cursor {
	if c.recent.Focused() {
		return nil
	}
	x, y, ok := c.draft().Form.Cursor()
	if !ok {
		return nil
	}
	return tea.NewCursor(x+2, y+1)
}

// plan is where the parts of the screen stand, by size and kind alone.
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
		return c.recent.Enter(false)
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
