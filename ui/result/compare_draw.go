package result

import (
	"strings"

	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Box draws the overlay.
func (c *compare) Box(w, h int) string {
	key := compareKey{w: w, h: h, offset: c.table.Offset(), at: c.at, body: [2]int{c.w, c.h}, edits: c.edits, theme: c.k.Theme, lang: c.k.Words.Lang()}
	for i := range c.columns {
		key.previews[i] = c.columns[i].preview.Edits()
	}
	return c.box.Get(key, func() string { return c.draw(w, h) })
}

func (c *compare) draw(w, h int) string {
	p := widget.Pane{Width: w, Height: h, Title: c.k.Say("Compare"), Focus: true, Foot: widget.More(c.k, 0, c.table.Below())}
	lines := c.titles()
	pictures := make([][]string, len(c.columns))
	for i := range c.columns {
		pictures[i] = c.pictureLines(i)
	}
	for y := range c.pictureRows {
		lines = append(lines, c.beside(func(i int) string { return centred(pictures[i], y, c.pictureRows) }))
	}
	lines = append(lines, widget.Divide(c.k.Say("Different")))
	lines = append(lines, c.table.Lines()...)
	inner, _ := p.Inner()
	for i := range lines {
		lines[i] = theme.Cut(lines[i], inner) // the size may be newer than the message that tells it
	}
	return strings.Join(p.Lines(c.k.Theme, lines), "\n")
}

// beside puts a painted part of each job next to each other.
func (c *compare) beside(part func(i int) string) string {
	var b strings.Builder
	for i := range c.columns {
		if i > 0 {
			b.WriteString(gap)
		}
		b.WriteString(theme.Fit(part(i), c.share()))
	}
	return b.String()
}

// titles are the titles of the jobs, and how each ended and is rated.
func (c *compare) titles() []string {
	k, t := c.k, c.k.Theme
	title := func(i int) string {
		if i == c.at {
			return t.Accent.Paint("▸ ") + t.Strong.Paint(theme.Cut(c.columns[i].job.Title, c.share()-2))
		}
		return "  " + t.Text.Paint(theme.Cut(c.columns[i].job.Title, c.share()-2))
	}
	end := func(i int) string {
		j := &c.columns[i].job
		look := widget.PhaseLook(j.Phase)
		return "  " + widget.PhaseStyle(&t.Styles, j.Phase).Paint(look.Mark+" "+k.Say(look.Word)) + "  " + t.Muted.Paint(k.Stamp(j.CreatedAt)) +
			"  " + t.Accent.Paint(RatingText(j.Rating))
	}
	return []string{c.beside(title), c.beside(end)}
}

// pictureLines are the picture of job i, or why there is none.
func (c *compare) pictureLines(i int) []string {
	p := &c.columns[i].preview
	text := p.Why
	if len(c.columns[i].job.Files) == 0 {
		text = c.k.Say("no file")
	}
	if text != "" {
		f := widget.Facts{Width: c.share(), Theme: c.k.Theme}
		f.Wrapped(c.k.Theme.Muted, text)
		return f.Lines
	}
	lines := make([]string, len(p.Lines))
	for y, l := range p.Lines {
		lines[y] = theme.Blank((c.share()-theme.Width(l))/2) + l
	}
	return lines
}
