package create

import (
	"slices"
	"strings"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/result/recent"
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

// wholeKey is what the whole screen is joined from.
type wholeKey struct {
	form   formKey
	side   sideKey
	recent recent.Key
}

// View joins the form, the side pane, the large result and the strip.
func (c *Screen) View() []string {
	at := c.plan
	key := wholeKey{form: c.formKey(), recent: c.recent.Key()}
	if at.side.W > 0 {
		key.side = c.sideKey(at.side)
	}
	return c.whole.Get(key, func() []string {
		left := c.pane.Get(key.form, func() []string { return c.drawForm(key.form) })
		var side []string
		if at.side.W > 0 {
			side = c.side.Get(key.side, func() []string { return c.drawSide(key.side) })
		}
		panes := [][]string{left}
		switch {
		case at.side.W == 0:
		case at.side.Y > 0:
			panes[0] = slices.Concat(left, side)
		default:
			panes = append(panes, side)
		}
		if at.large.W > 0 {
			panes = append(panes, c.recent.LargeLines(key.recent))
		}
		return slices.Concat(c.beside.Join(panes...), c.recent.Lines(key.recent))
	})
}

func (c *Screen) formKey() formKey {
	at := c.plan.form
	key := formKey{Look: c.env.Look(), draft: c.at, version: c.draft().Form.Version(), w: at.W, h: at.H, several: c.variationsLine(), focus: !c.recent.Focused()}
	if c.plan.side.W == 0 {
		strip := stripKey{Look: c.env.Look(), price: c.priceShown(), ready: c.ready, w: at.W - 4}
		key.strip = c.strip.Get(strip, strip.draw)
	}
	return key
}

func (c *Screen) drawForm(key formKey) []string {
	d, t := c.draft(), key.Theme
	p := widget.Pane{Width: key.w, Height: key.h, Title: c.kindName(d.Kind), Focus: key.focus, Right: c.switcher()}
	if model := d.Model.Value(); model != "" {
		p.Title += " · " + api.Clean(model, 60).String()
	}
	image, video := t.Muted, t.Tab
	if d.Kind == api.KindImage {
		image, video = t.Tab, t.Muted
	}
	p.Inked = t.Muted.Paint("‹ ") + image.Paint(c.env.Say("Image")) + t.Muted.Paint(" ╱ ") + video.Paint(c.env.Say("Video")) + t.Muted.Paint(" ›")
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

func (c *Screen) kindName(kind api.Kind) string {
	if kind == api.KindImage {
		return c.env.Say("Image")
	}
	return c.env.Say("Video")
}

// switcher is the title of the two drafts, plain.
func (c *Screen) switcher() string {
	return "‹ " + c.env.Say("Image") + " ╱ " + c.env.Say("Video") + " ›"
}

// stripKey is what the price line is drawn from.
type stripKey struct {
	env.Look
	price priceShown
	ready readiness
	w     int
}

// draw draws price and readiness in one line.
func (k stripKey) draw() string {
	t := k.Theme
	left := t.Accent.Paint(k.price.amount)
	if k.price.change != "" {
		left += " " + t.Text.Paint(k.price.change)
	}
	if k.price.failed {
		left += "  " + t.Warn.Paint(k.price.status)
	} else if k.price.source != "" {
		left += "  " + k.price.sourceStyle(t).Paint(k.price.source)
	}
	if k.price.perSecond != "" {
		left += t.Faint.Paint("  " + k.price.perSecond)
	}
	right := t.Good.Paint("✓ " + k.Words.Say("ready"))
	unreadable, _, _ := strings.Cut(k.ready.unreadable, "\n")
	switch {
	case k.ready.stop != "":
		right = t.Bad.Paint("✗ " + k.ready.stop)
	case k.ready.total() > 0:
		right = t.Warn.Paint("○ " + k.Words.Count(k.ready.total(), "%d problem", "%d problems"))
	case unreadable != "":
		right = t.Warn.Paint("✗ " + theme.Cut(unreadable, k.w/2))
	}
	room := k.w - theme.Width(right)
	return theme.Fit(left, room-1) + " " + right
}
