package result

import (
	"slices"
	"strings"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/theme"
)

// cell draws one result in l.h lines of l.w cells.
func (g *Gallery) cell(r *state.Row, l grid, chosen, marked bool) []string {
	lines, state := g.thumbs.Lines(l.thumb(r))
	key := cellKey{grid: l, version: r.Version, rating: r.Rating, chosen: chosen, marked: marked, state: state,
		caption: g.caption(r), theme: g.k.Theme, language: g.k.Words.Lang()}
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
// whole pictures again.
func (g *Gallery) drawCell(r *state.Row, key cellKey, thumb []string) []string {
	t, w := g.k.Theme, key.grid.w-2
	top := theme.Blank(w + 2)
	if key.chosen {
		f := &t.Frame
		top = t.Focus.Paint(f.TopLeft + strings.Repeat(f.Top, w) + f.TopRight)
	}
	if key.state == ThumbReady {
		return g.drawPicture(r, key, thumb, top)
	}
	lines := append(make([]string, 0, key.grid.h), top)
	if key.state == ThumbLoading && len(thumb) > 0 {
		thumb = append([]string(nil), thumb...)
		thumb[len(thumb)/2] = theme.Blank(w/2-1) + t.Faint.Paint("···")
	}
	for y := range key.grid.h - 2 {
		line := ""
		if y < len(thumb) {
			line = thumb[y]
		}
		lines = append(lines, " "+theme.Fit(line, w)+" ")
	}
	return append(lines, g.drawCaption(r, key))
}

// drawPicture draws a cell whose thumbnail fills its box: the frame and the
// caption stand close to the picture, what is blank in the box beyond them.
func (g *Gallery) drawPicture(r *state.Row, key cellKey, thumb []string, top string) []string {
	from, to := 0, len(thumb)
	for from < to && strings.TrimLeft(thumb[from], " ") == "" {
		from++
	}
	for to > from && strings.TrimLeft(thumb[to-1], " ") == "" {
		to--
	}
	blank := theme.Blank(key.grid.w)
	lines := append(slices.Repeat([]string{blank}, from), top)
	for _, line := range thumb[from:to] {
		lines = append(lines, " "+line+" ")
	}
	lines = append(lines, g.drawCaption(r, key))
	return append(lines, slices.Repeat([]string{blank}, len(thumb)-to)...)
}

// drawCaption is the lower edge of a cell: signs and words, below the middle of the
// picture.
func (g *Gallery) drawCaption(r *state.Row, key cellKey) string {
	t, w := g.k.Theme, key.grid.w
	var b strings.Builder
	signs := Signs(r)
	if key.marked {
		signs = "◆" + signs
	}
	if r.Kind == api.KindVideo {
		signs += "▶"
	}
	room := w - 2
	ink := t.Muted
	if r.Pick < 0 {
		ink = t.Faint
	}
	var edge theme.Style
	left, right, line := " ", " ", " "
	if key.chosen {
		ink, edge, left, right, line = t.Strong, t.Focus, t.Frame.BottomLeft, t.Frame.BottomRight, t.Frame.Bottom
	}
	if signs != "" {
		signs = theme.Cut(signs+" ", room)
		room -= theme.Width(signs)
	}
	words := theme.Cut(key.caption, room)
	room -= theme.Width(words)
	gap := min(room/2, 1) // between the words and the frame
	before := room/2 - gap
	edge.Write(&b, left+strings.Repeat(line, before)+theme.Blank(gap))
	t.Accent.Write(&b, signs)
	ink.Write(&b, words)
	edge.Write(&b, theme.Blank(gap)+strings.Repeat(line, room-before-2*gap)+right)
	return b.String()
}
