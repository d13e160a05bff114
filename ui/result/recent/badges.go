package recent

import (
	"strings"

	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

const (
	badgesAt   = 1  // the first cell of the first badge
	badgeWidth = 19 // of one, the gap to the next included
)

// badgeTail is what stands at the end of the line of badges: the key that leads
// there.
func (r *Recent) badgeTail() string { return r.k.Key("results", "alt+r") }

// badgeCount is how many badges fit.
func (r *Recent) badgeCount() int {
	return max((r.strip.W-badgesAt-theme.Width(r.badgeTail())-1)/badgeWidth, 1)
}

// drawBadges draws the strip as one line.
func (r *Recent) drawBadges() string {
	t := r.k.Theme
	from, to := r.window()
	var b strings.Builder
	b.WriteString(theme.Blank(badgesAt))
	for n := from; n < to; n++ {
		r.writeBadge(&b, n)
	}
	if len(r.cards) == 0 && r.known {
		t.Muted.Write(&b, r.k.Say("Results appear here."))
	}
	return theme.Fit(b.String(), r.strip.W-theme.Width(r.badgeTail())-1) + t.Key.Paint(r.badgeTail()) + " "
}

// writeBadge writes a card as its mark, and its times or what tells it from the
// others.
func (r *Recent) writeBadge(b *strings.Builder, n int) {
	t, c := r.k.Theme, &r.cards[n]
	chosen := r.focused && c.job.ID == r.chosen
	in, sign := &t.Styles, " "
	if chosen {
		in, sign = &t.Selected, "▸"
	}
	look := widget.PhaseLook(c.job.Phase)
	text := c.job.Title
	if c.chain {
		text = variety(r.k, c.job.Request)
	}
	if c.job.Phase.Active() {
		text = r.waiting(&c.job).Times()
	} else if why := r.why(&c.job); why != "" && len(c.job.Files) == 0 {
		text = why
	}
	in.Accent.Write(b, sign)
	widget.PhaseStyle(in, c.job.Phase).Write(b, look.Mark)
	in.Muted.Write(b, " "+theme.Fit(text, badgeWidth-4))
	b.WriteString(" ")
}
