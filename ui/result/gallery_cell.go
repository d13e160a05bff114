package result

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/theme"
)

// drawLine puts the cells of a line beside each other.
func (g *Gallery) drawLine(line *Line, at int, marks *Marks) []string {
	l := g.layout()
	cells := make([][]string, l.cols)
	for i := range line.Rows {
		column := i
		if line.Columns != nil {
			column = line.Columns[i]
		}
		cells[column] = g.cell(&line.Rows[i], l, line.From+i == at, marks.Has(line.Rows[i].ID))
	}
	lines := make([]string, l.h)
	for y := range lines {
		size := g.w
		for _, c := range cells {
			if c != nil {
				size += len(c[y])
			}
		}
		var b strings.Builder
		b.Grow(size)
		b.WriteString(theme.Blank(g.margin(l)))
		for _, c := range cells {
			if c == nil {
				b.WriteString(theme.Blank(l.w))
			} else {
				b.WriteString(c[y])
			}
		}
		b.WriteString(theme.Blank(g.w - l.cols*l.w - g.margin(l)))
		lines[y] = b.String()
	}
	return lines
}

// cell draws one result in l.h lines of l.w cells.
func (g *Gallery) cell(r *state.Row, l grid, chosen, marked bool) []string {
	lines, state := g.thumbs.Lines(l.thumb(r))
	key := cellKey{grid: l, version: r.Version, rating: r.Rating, chosen: chosen, marked: marked, state: state,
		caption: g.caption(r), theme: g.k.Theme, language: g.k.Words.Lang()}
	key.from, key.to, key.wide = g.thumbs.Span(l.thumb(r))
	if len(lines) > 0 {
		key.sample = lines[len(lines)/2]
	}
	return g.cells.Get(r.ID, key, func() []string { return g.drawCell(r, key, lines) })
}

// caption is what stands below a thumbnail: the title, or of variations what
// tells them apart.
func (g *Gallery) caption(r *state.Row) string {
	if r.Label != "" {
		return api.OneLine(r.Label)
	}
	return r.Title
}

// drawCell frames the chosen result above and below only: the renderer rewrites a
// line from its first change to its last, and with sides each key would write two
// whole pictures again. The frame and the caption stand close to the picture, what
// is blank in the box beyond them.
func (g *Gallery) drawCell(r *state.Row, key cellKey, thumb []string) []string {
	w := key.grid.w - 2
	blank := theme.Blank(w + 2)
	top, caption := g.drawFrame(r, key)
	lines := append(make([]string, 0, key.grid.h), slices.Repeat([]string{blank}, key.from)...)
	lines = append(lines, top)
	for y := key.from; y < key.to; y++ {
		line := thumb[y]
		if key.state == ThumbLoading && y == (key.from+key.to)/2 {
			line = theme.Fit(theme.Blank(w/2-1)+g.k.Theme.Faint.Paint("···"), w)
		}
		lines = append(lines, " "+line+" ")
	}
	lines = append(lines, caption)
	return append(lines, slices.Repeat([]string{blank}, len(thumb)-key.to)...)
}

// drawFrame are the upper and the lower edge of a cell, as wide as the picture or
// as the caption needs: signs and words, below the middle of the picture.
func (g *Gallery) drawFrame(r *state.Row, key cellKey) (top, caption string) {
	t, w := g.k.Theme, key.grid.w
	signs := Signs(r)
	if key.marked {
		signs = "◆" + signs
	}
	if r.Kind == api.KindVideo {
		signs += "▶"
	}
	if signs != "" {
		signs = theme.Cut(signs+" ", w-2)
	}
	words := theme.Cut(key.caption, w-2-theme.Width(signs))
	text := theme.Width(signs) + theme.Width(words)
	wide := max(key.wide, min(text+4, w-2)) // between the corners
	wide = min(wide+(wide-key.wide)%2, w-2)
	ink := t.Muted
	if r.Pick < 0 {
		ink = t.Faint
	}
	var edge theme.Style
	f := lipgloss.HiddenBorder()
	if key.chosen {
		ink, edge, f = t.Strong, t.Focus, t.Frame
	}
	left := theme.Blank((w - 2 - wide) / 2)
	right := theme.Blank(w - 2 - wide - len(left))
	gap := min((wide-text)/2, 1) // between the words and the frame
	before := (wide-text)/2 - gap
	var b strings.Builder
	edge.Write(&b, left+f.BottomLeft+strings.Repeat(f.Bottom, before)+theme.Blank(gap))
	t.Accent.Write(&b, signs)
	ink.Write(&b, words)
	edge.Write(&b, theme.Blank(gap)+strings.Repeat(f.Bottom, wide-text-before-2*gap)+f.BottomRight+right)
	return edge.Paint(left + f.TopLeft + strings.Repeat(f.Top, wide) + f.TopRight + right), b.String()
}
