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
		cells[column] = g.drawCell(&line.Rows[i], l, line.From+i == at, marks.Has(line.Rows[i].ID))
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

// caption is what stands below a thumbnail: the title, or of variations what
// tells them apart.
func (g *Gallery) caption(r *state.Row) string {
	if r.Label != "" {
		return api.OneLine(r.Label)
	}
	return r.Title
}

// drawCell draws one result in l.h lines of l.w cells. It frames the chosen one above
// and below only: the renderer rewrites a line from its first change to its last, and
// with sides each key would write two whole pictures again. The frame and the caption
// stand close to the picture, what is blank in the box beyond them.
func (g *Gallery) drawCell(r *state.Row, l grid, chosen, marked bool) []string {
	w := l.w - 2
	blank := theme.Blank(l.w)
	thumb, state := g.thumbs.Lines(l.thumb(r))
	from, to, wide := g.thumbs.Span(l.thumb(r))
	top, caption := g.drawFrame(r, l.w, wide, chosen, marked)
	lines := append(make([]string, 0, l.h), slices.Repeat([]string{blank}, from)...)
	lines = append(lines, top)
	for y := from; y < to; y++ {
		line := thumb[y]
		if state == ThumbLoading && y == (from+to)/2 {
			line = theme.Fit(theme.Blank(w/2-1)+g.k.Theme.Faint.Paint("···"), w)
		}
		lines = append(lines, " "+line+" ")
	}
	lines = append(lines, caption)
	return append(lines, slices.Repeat([]string{blank}, len(thumb)-to)...)
}

// drawFrame are the upper and the lower edge of a cell of w cells, as wide as the
// picture or as the caption needs: signs and words, below the middle of the picture.
func (g *Gallery) drawFrame(r *state.Row, w, picture int, chosen, marked bool) (top, caption string) {
	t := g.k.Theme
	signs := Signs(r)
	if marked {
		signs = "◆" + signs
	}
	if r.Kind == api.KindVideo {
		signs += "▶"
	}
	if signs != "" {
		signs = theme.Cut(signs+" ", w-2)
	}
	words := theme.Cut(g.caption(r), w-2-theme.Width(signs))
	text := theme.Width(signs) + theme.Width(words)
	wide := max(picture, min(text+4, w-2)) // between the corners
	wide = min(wide+(wide-picture)%2, w-2)
	ink := t.Muted
	if r.Pick < 0 {
		ink = t.Faint
	}
	var edge theme.Style
	f := lipgloss.HiddenBorder()
	if chosen {
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
