package create

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/screen/create/draft"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

type formKey struct {
	env.Look
	draft   int
	version int64
	w, h    int
	several string // how many requests the draft stands for
	strip   string // the price in one line, where there is no side pane
	focus   bool
}

// View joins the form, the side pane, the large result and the results.
func (c *Screen) View() []string {
	at, form := c.plan, c.formKey()
	panes := [][]string{c.pane.Get(form, func() []string { return c.drawForm(form) })}
	if at.side.W > 0 {
		key := c.sideKey(at.side)
		side := c.side.Get(key, func() []string { return c.drawSide(key) })
		if at.side.Y > 0 {
			panes[0] = slices.Concat(panes[0], side)
		} else {
			panes = append(panes, side)
		}
	}
	if at.large.W > 0 {
		panes = append(panes, c.recent.LargeLines())
	}
	return slices.Concat(c.beside.Join(panes...), c.recent.Lines())
}

func (c *Screen) formKey() formKey {
	at := c.plan.form
	key := formKey{
		Look: c.env.Look(), draft: c.at, version: c.draft().Form.Version(), w: at.W, h: at.H,
		several: c.variationsLine(), focus: !c.recent.Focused(),
	}
	if c.plan.side.W == 0 {
		key.strip = c.strip(at.W - 4)
	}
	return key
}

func (c *Screen) drawForm(key formKey) []string {
	d, t := c.draft(), key.Theme
	p := widget.Pane{Width: key.w, Height: key.h, Title: widget.KindName(c.env, d.Kind), Focus: key.focus, Right: c.switcher()}
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
	if key.several != "" {
		p.Foot = strings.TrimSuffix(key.several+" · "+p.Foot, " · ")
	}
	if key.strip != "" {
		lines = append(lines, key.strip)
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
		left += "  " + price.sourceStyle(t).Paint(price.source)
	}
	if price.perSecond != "" {
		left += t.Faint.Paint("  " + price.perSecond)
	}
	right := t.Good.Paint("✓ " + c.env.Say("ready"))
	unreadable, _, _ := strings.Cut(ready.unreadable, "\n")
	switch {
	case ready.stop != "":
		right = t.Bad.Paint("✗ " + ready.stop)
	case ready.total() > 0:
		right = t.Warn.Paint("○ " + c.env.Words.Count(ready.total(), "%d problem", "%d problems"))
	case unreadable != "":
		right = t.Warn.Paint("✗ " + theme.Cut(unreadable, w/2))
	}
	room := w - theme.Width(right)
	return theme.Fit(left, room-1) + " " + right
}

// sideKey is what the side pane is drawn from.
type sideKey struct {
	env.Look
	w, h   int
	price  priceShown
	grid   gridShown
	ready  readiness
	offset int // of the list
}

func (c *Screen) sideKey(r widget.Rect) sideKey {
	return sideKey{Look: c.env.Look(), w: r.W, h: r.H, price: c.priceShown(), grid: c.gridShown(), ready: c.ready, offset: c.list.Offset()}
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
func (c *Screen) drawSide(k sideKey) []string {
	t := k.Theme
	p := widget.Pane{Width: k.w, Height: k.h, Title: k.Words.Say("Price")}
	_, high := p.Inner()
	at := sidePlanFor(widget.Rect{W: k.w, H: k.h})
	body := make([]string, max(high, at.list.Y))
	copy(body[at.price.Y:], k.price.lines(t, at.price.W))
	copy(body[at.grid.Y:], k.grid.lines(t, at.grid.W))
	heading := k.Words.Say("Before you send")
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
		p.Foot = k.Words.Say("↓ %d more lines", below)
	}
	return p.Lines(t, body)
}

// gridShown is what the prices of other choices are drawn from: their table, or
// the model's listed price.
type gridShown struct {
	choices *choiceGrid
	listed  string
}

func (c *Screen) gridShown() gridShown {
	if grid := c.choiceGrid(); grid != nil {
		return gridShown{choices: grid}
	}
	if listed := draft.ListedPrice(c.env, c.draft().Listing); listed != "" {
		return gridShown{listed: c.env.Say("listed: %s", listed)}
	}
	return gridShown{}
}

func (g gridShown) lines(t *theme.Theme, w int) []string {
	if g.choices != nil {
		return g.choices.cells.Lines(t, g.choices.cells.Frame(w, gridLines))
	}
	return []string{theme.Cut(t.Muted.Paint(g.listed), w)}
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
