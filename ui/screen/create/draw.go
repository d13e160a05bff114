package create

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
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
	p := widget.Pane{Width: at.W, Height: at.H, Title: widget.KindName(c.env, d.Kind), Focus: !c.recent.Focused(), Right: c.switcher()}
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
	return p.Lines(t, lines)
}

// switcher is the title of the two drafts, plain.
func (c *Screen) switcher() string {
	return "‹ " + c.env.Say("Image") + " ╱ " + c.env.Say("Video") + " ›"
}

// strip is price and readiness in one line.
func (c *Screen) strip(w int) string {
	t, price, ready := c.env.Theme, c.priceShown(), &c.ready
	left := t.Accent.Paint(price.amount)
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

// sidePlan is where the parts of the side pane stand, in the pane's inner
// cells: the price above the rates, and the list below them or, where the pane
// is wide, next to them.
type sidePlan struct {
	price, grid, list widget.Rect
	beside            bool
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
			list: widget.Rect{X: besideLeft + 2, Y: 1, W: w - besideLeft - 2, H: h - 1}, beside: true,
		}
	}
	p := sidePlan{price: widget.Rect{Y: 1, W: w, H: priceLines}}
	p.grid = widget.Rect{Y: p.price.Y + priceLines, W: w, H: gridLines}
	top := p.grid.Y + gridLines + 1
	p.list = widget.Rect{Y: top, W: w, H: h - top}
	return p
}

// drawSide draws the price, the rates and the list of what is left to do. Its
// lines keep their places whatever arrives.
func (c *Screen) drawSide() []string {
	t, side := c.env.Theme, c.plan.side
	p := widget.Pane{Width: side.W, Height: side.H, Title: c.env.Say("Price")}
	_, high := p.Inner()
	at := sidePlanFor(side)
	body := make([]string, max(high, at.list.Y))
	copy(body[at.price.Y:], c.priceShown().lines(t, at.price.W))
	copy(body[at.grid.Y:], c.otherPrices(at.grid.W))
	heading := c.env.Say("Before you send")
	if at.beside {
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
	return p.Lines(t, body)
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
