package create

import (
	"strconv"
	"strings"

	"darkroom/api"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
	"darkroom/ui/words"
)

// look is what every drawing depends on besides its content.
type look struct {
	theme *theme.Theme
	words *words.Words
}

func (c *Screen) look() look { return look{c.env.Theme, c.env.Words} }

// panes are the widths of the form's pane and the side pane; the latter is 0
// when only one fits.
func (c *Screen) panes() (left, right int) { return widget.SplitPanes(c.w, 62, 44) }

// formKey is what the form's pane is drawn from.
type formKey struct {
	look
	draft   int
	version int64
	w, h    int
	several string // how many requests the draft stands for
	strip   string // the price in one line, where there is no side pane
}

// wholeKey is what the whole screen is joined from.
type wholeKey struct {
	form formKey
	side sideKey
}

func (c *Screen) View() string {
	left, right := c.panes()
	key := wholeKey{form: formKey{look: c.look(), draft: c.at, version: c.draft().form.Version(), w: left, h: c.h, several: c.variationsLine()}}
	if right > 0 {
		key.side = c.sideKey(right)
	} else {
		strip := stripKey{look: c.look(), price: c.priceShown(), ready: c.ready, w: left - 4}
		key.form.strip = c.strip.Get(strip, strip.draw)
	}
	return c.whole.Get(key, func() string {
		form := c.pane.Get(key.form, func() []string { return c.drawForm(key.form) })
		if right == 0 {
			return strings.Join(form, "\n")
		}
		return widget.Beside(form, c.side.Get(key.side, func() []string { return c.drawSide(key.side) }))
	})
}

func (c *Screen) drawForm(key formKey) []string {
	d, t := c.draft(), key.theme
	p := widget.Pane{Width: key.w, Height: key.h, Title: c.kindName(d.kind), Focus: true, Right: c.switcher()}
	if model := d.model.Value(); model != "" {
		p.Title += " · " + api.Clean(model, 60).String()
	}
	image, video := t.Muted, t.Tab
	if d.kind == api.KindImage {
		image, video = t.Tab, t.Muted
	}
	p.Inked = t.Muted.Paint("‹ ") + image.Paint(c.env.Say("Image")) + t.Muted.Paint(" ╱ ") + video.Paint(c.env.Say("Video")) + t.Muted.Paint(" ›")
	lines := d.form.Lines()
	switch above, below := d.form.More(); {
	case above > 0 && below > 0:
		p.Foot = "↑ " + strconv.Itoa(above) + "  ↓ " + strconv.Itoa(below)
	case below > 0:
		p.Foot = c.env.Say("↓ %d more lines", below)
	case above > 0:
		p.Foot = c.env.Say("↑ %d more lines", above)
	}
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
	look
	price priceShown
	ready readiness
	w     int
}

// draw draws price and readiness in one line.
func (k stripKey) draw() string {
	t := k.theme
	left := t.Accent.Paint(k.price.amount)
	if k.price.source != "" {
		left += "  " + k.price.style(t).Paint(k.price.source)
	}
	if k.price.perSecond != "" {
		left += t.Faint.Paint("  " + k.price.perSecond)
	}
	right := t.Good.Paint("✓ " + k.words.Say("ready"))
	unreadable, _, _ := strings.Cut(k.ready.unreadable, "\n")
	switch {
	case k.ready.stop != "":
		right = t.Bad.Paint("✗ " + k.ready.stop)
	case k.ready.total() > 0:
		right = t.Warn.Paint("○ " + k.words.Count(k.ready.total(), "%d problem", "%d problems"))
	case unreadable != "":
		right = t.Warn.Paint("✗ " + theme.Cut(unreadable, k.w/2))
	}
	room := k.w - theme.Width(right)
	return theme.Fit(left, room-1) + " " + right
}
