package result

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/picture"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Size is how large the cells of a gallery are.
type Size int

// Sizes. The fitted one is the largest that shows all results, else medium.
const (
	Fitted Size = iota
	Small
	Medium
	Large
)

// Gallery is a contact sheet: a grid of thumbnails, of which it asks for those
// that are in view. The rows and the choice are its owner's.
type Gallery struct {
	*Thumbs
	size  Size // chosen by the person, or fitted
	used  int  // columns that have cells when it is fitted; 0 is as many as medium has
	high  int  // how many lines of cells there are then
	w, h  int
	lines widget.Memos[lineKey, []string]
}

// grid is how a gallery divides its room: cols times rows cells, each of w×h
// cells of the terminal, frame and caption included.
type grid struct{ cols, rows, w, h int }

// Resize gives the room.
func (g *Gallery) Resize(w, h int) { g.w, g.h = w, h }

// boxRatio is that of a picture's box, of which squares take nine tenths.
const boxRatio = 1.1

// Fit divides the room so that all results are in view, as large as possible, unless the person
// has chosen a size. used is how many columns they take in so many lines of so many cells, 0
// when they have no room.
func (g *Gallery) Fit(used func(columns, lines int) int) {
	best, most := 0, g.divided(Medium)
	g.used, g.high = 0, 0
	for cols := 1; cols <= most.cols; cols++ {
		for lines := 1; lines <= most.rows; lines++ {
			taken := used(cols, lines)
			if taken == 0 {
				continue
			}
			if c, r := FitRatio(boxRatio, g.w/taken-2, g.h/lines-3); c*r >= best { // of equal ones the last: it has less beside the pictures
				best, g.used, g.high = c*r, taken, lines
			}
			break
		}
	}
}

// Grow takes the next larger or smaller size.
func (g *Gallery) Grow(by int) {
	now := g.layout().cols
	for _, size := range [...]Size{Small, Medium, Large} {
		if n := g.columns(size); by > 0 && n < now || by < 0 && n > now {
			g.size = size
			if by > 0 {
				return
			}
		}
	}
}

// widths are the least width of a cell, which grows with the room from a base, and the most columns.
var widths = [...]struct{ least, base, columns int }{Fitted: {17, 9, 7}, Small: {13, 0, 10}, Medium: {17, 9, 7}, Large: {28, 0, 4}}

// columns is how many cells of a size stand side by side.
func (g *Gallery) columns(size Size) int {
	is := widths[size]
	return max(g.w/max(is.least, is.base+g.w/10, g.w/is.columns), 1)
}

// layout divides the room. It depends on nothing but the sizes.
func (g *Gallery) layout() grid {
	if g.size != Fitted || g.used == 0 {
		return g.divided(g.size)
	}
	l := grid{g.used, g.high, max(g.w/g.used, 6), max(min(g.h/g.high, g.w/g.used/2+3), 3)} // no higher than a square,
	l.w = min(l.w, max(4*(l.h-3), 6))                                                      // nor much wider than 16:9
	return l
}

// divided is the room in cells of a size, in as many lines as fit.
func (g *Gallery) divided(size Size) grid {
	cols := g.columns(size)
	w := max(g.w/cols, 6)
	h := max(int(float64(w-2)/2/boxRatio)+3, 4)
	rows := max((g.h+h/2)/h, 1)
	return grid{cols, rows, w, max(g.h/rows, 3)}
}

// Columns is how many cells stand side by side, and Cells how many are in view.
func (g *Gallery) Columns() int { return g.layout().cols }
func (g *Gallery) Across() int  { return g.columns(Medium) }
func (g *Gallery) Cells() int   { l := g.layout(); return l.cols * l.rows }

// CellAt is the cell at a point of the gallery.
func (g *Gallery) CellAt(x, y int) (column, line int, ok bool) {
	l := g.layout()
	x, y = x-g.margin(l), y-g.above(l)
	column, line = x/l.w, y/l.h
	return column, line, x >= 0 && y >= 0 && column < l.cols && line < l.rows
}

func (g *Gallery) margin(l grid) int { return (g.w - l.cols*l.w) / 4 * 2 }

// above are the blank lines over the first cells: half of those that are to spare.
func (g *Gallery) above(l grid) int { return max(g.h-l.rows*l.h, 0) / 2 }

func (l grid) thumb(r *state.Row) Thumb {
	rows := l.h - 2 - min(max(l.h-10, 0), 1+l.h/13, 2) // where it is high, its caption has two lines, and one above
	return Thumb{Path: r.File, Cols: l.w - 2, Rows: rows}
}

// Want asks for the thumbnails of the rows in view, the chosen one first.
func (g *Gallery) Want(rows []state.Row, chosen string) tea.Cmd {
	visible := api.Map(rows, func(r state.Row) Thumb { return g.layout().thumb(&r) })
	if i := slices.IndexFunc(rows, func(r state.Row) bool { return r.ID == chosen }); i > 0 {
		visible = slices.Insert(visible, 0, visible[i]) // what is wanted twice is drawn once
	}
	return g.Thumbs.Want(visible)
}

// See notes in a command which rows were looked at: those with drawn thumbnails.
func (g *Gallery) See(b Backend, rows []state.Row) tea.Cmd {
	var ids []string
	for i := range rows {
		if !rows[i].Unseen {
			continue
		}
		if _, state := g.Thumbs.Lines(g.layout().thumb(&rows[i])); state == ThumbReady {
			ids, rows[i].Unseen = append(ids, rows[i].ID), false
		}
	}
	if len(ids) == 0 {
		return nil
	}
	ctx := g.k.Context
	return func() tea.Msg {
		b.Results().See(ctx, ids...)
		return nil
	}
}

// Line is a line of cells: the rows From..To-1 of the list, each in its column.
type Line struct {
	From, To int
	Rows     []state.Row // those that are held
	Columns  []int       // nil is one after the other
}

// Column is where row n of the list stands in its line.
func (l *Line) Column(n int) int {
	if l.Columns != nil {
		return l.Columns[n-l.From]
	}
	return n - l.From
}

// lineKey is what a line of cells is drawn from.
type lineKey struct {
	grid   grid
	w      int // of the gallery
	rows   int // their version
	from   int // the number of the first row
	to     int // that of the row behind the last one
	at     int // the chosen row; -1 when it stands in another line
	thumbs uint64
	marks  uint64
	look   env.Look
}

// Lines draws the lines in view, each as wide as the gallery; version is that of the
// rows, at the chosen one. At most three times the lines in view are remembered.
func (g *Gallery) Lines(view []Line, version, at int, marks *Marks) []string {
	key := lineKey{grid: g.layout(), w: g.w, rows: version, thumbs: g.Thumbs.Edits, marks: marks.Edits(), look: g.k.Look()}
	out := append(make([]string, 0, g.h), make([]string, g.above(key.grid))...)
	for i := range view {
		key.from, key.at = view[i].From, at
		if key.to = key.from + len(view[i].Rows); at < key.from || at >= key.to {
			key.at = -1
		}
		out = append(out, g.lines.Get(key, 3*len(view), func() []string { return g.drawLine(&view[i], key.at, marks) })...)
	}
	return out
}

func (g *Gallery) drawLine(line *Line, at int, marks *Marks) []string {
	l := g.layout()
	cells := slices.Repeat([][]string{slices.Repeat([]string{theme.Blank(l.w)}, l.h)}, l.cols)
	for i := range line.Rows {
		row := line.Rows[i]
		half := row.Title[:min(l.w/2, len(row.Title))]
		alike := slices.ContainsFunc(line.Rows, func(r state.Row) bool { return r.Title != row.Title && strings.HasPrefix(r.Title, half) })
		row.Label = cmp.Or(row.Label, Apart(g.k, &row, line.Rows))
		cells[line.Column(line.From+i)] = g.drawCell(&row, l, line.From+i == at, marks.Has(row.ID), alike)
	}
	lines, parts := make([]string, l.h), make([]string, l.cols+2)
	parts[0], parts[l.cols+1] = theme.Blank(g.margin(l)), theme.Blank(g.w-l.cols*l.w-g.margin(l))
	for y := range lines {
		for i, c := range cells {
			parts[i+1] = c[y]
		}
		lines[y] = strings.Join(parts, "")
	}
	return lines
}

// Apart is what tells a row from others of the same title: its cost, or its seed.
func Apart(k *env.Env, row *state.Row, others []state.Row) string {
	for i := range others {
		switch o := &others[i]; {
		case o.Title != row.Title:
		case o.Credits != row.Credits:
			return Charge(k, *row)
		case o.Seed != row.Seed && row.Seed != "":
			return k.Say("seed %s", row.Seed)
		}
	}
	return ""
}

var cutMarks = strings.NewReplacer(", …", "…", ",…", "…", " …", "…")

// Name is a row's title in w cells, and what of its label that does not say: 红色 in the title does not say 红.
func Name(r *state.Row, w int) string {
	values, lacks := strings.Split(api.OneLine(r.Label), " · "), []string(nil)
	for text, rest := theme.Cut(r.Title, w), ""; ; { // what is cut off makes room for the values that it lacks then
		lacking := lacks
		if lacks = api.Pick(values, func(value string) (string, bool) {
			return value, slices.Contains(lacking, value) || value != "" && strings.Count(text, value) < max(strings.Count(r.Title, value), 1)
		}); len(lacks) == len(lacking) {
			return cutMarks.Replace(text) + rest
		}
		if len(lacks) > 1 && w < 20 { // a title beside them would say nothing
			return CutCaption(strings.Join(lacks, " · "), w)
		}
		rest = " · " + CutCaption(strings.Join(lacks, " · "), max(w/2-1, w-11, w-3-theme.Width(r.Title)))
		text = theme.Cut(r.Title, w-theme.Width(rest))
	}
}

// CutCaption cuts a caption to w cells, the longest of its values first: what tells it
// from its neighbours may be any of them.
func CutCaption(text string, w int) string {
	values := strings.Split(text, " · ")
	if len(values) == 1 && theme.Width(text) > w { // in its middle, its end between words
		end := strings.TrimPrefix(theme.CutLeft(text, min(w-w/2+2, w+1)), "…")
		if at := strings.IndexByte(end, ' '); at < len(end)/2 {
			end = end[at+1:]
		}
		return theme.Cut(text, w-theme.Width(end)) + end
	}
	for theme.Width(strings.Join(values, " · ")) > w {
		longest := slices.Index(values, slices.MaxFunc(values, func(a, b string) int { return theme.Width(a) - theme.Width(b) }))
		cells := theme.Width(values[longest]) - 1
		if cells < 1 {
			break
		}
		values[longest] = theme.Cut(values[longest], cells)
	}
	return theme.Cut(strings.Join(values, " · "), w)
}

// drawCell draws one result in l.h lines of l.w cells: its picture above its caption, on
// the ground of the chosen one and of marked ones. Any ratio stands in the middle of its box.
func (g *Gallery) drawCell(r *state.Row, l grid, chosen, marked, alike bool) []string {
	t, th := g.k.Theme, l.thumb(r)
	around, mean := matte(t), g.Thumbs.Mean(th)
	if tint := t.Tint(mean); mean.A > 0 && tint != t.Element {
		around = t.Mixed(t.Panel, tint.Colour, 0.5)
	}
	ground, check, left, right, below := theme.Ground{}, "", " ", " ", theme.Blank(l.w)
	box := g.picture(r, th)
	switch {
	case marked && g.k.Mode == picture.ModeSixel: // whose pictures have to stay whole
		ground, check = t.Element, " "+t.Button.Paint(" ✓ ")
	case marked:
		ground, box = t.Element, widget.Overlay(box, []string{t.Button.Paint(" ✓ ")}, 0, 0)
	}
	edge := theme.Blank(l.w - theme.Width(check))
	if chosen {
		ground = cmp.Or(t.Chosen, t.Element)
		if mean.A > 0 && t.On != theme.Light { // there it would be too pale
			ground = t.Tint(mean)
		}
		across := func(w int) string { return strings.Repeat(t.Frame.Top, w-2) }
		edge = t.Focus.Paint(t.Frame.TopLeft + across(len(edge)) + t.Frame.TopRight)
		left, right = t.Focus.Paint(t.Frame.Left), t.Focus.Paint(t.Frame.Right)
		if below = t.Focus.Paint(t.Frame.BottomLeft + across(l.w) + t.Frame.BottomRight); t.Grounds() {
			edge, left, right, below = ground.Edge(t.Panel, theme.Width(edge)), t.Accent.Paint("▎"), " ", theme.Blank(l.w)
		}
	}
	lines := append(make([]string, 0, l.h), check+edge)
	lines = append(lines, api.Map(box, func(line string) string { return ground.Lay(left + around.Lay(line) + right) })...)
	if chosen && !t.Grounds() && l.h-len(lines) == 1 { // the caption is in its lower edge
		left, right = t.Focus.Paint(t.Frame.BottomLeft), t.Focus.Paint(t.Frame.BottomRight)
	}
	laid := func(line string) string { return ground.Lay(left + theme.Fit(line, th.Cols) + right) }
	lines = append(lines, api.Map(g.caption(r, th.Cols, l.h-len(lines), chosen, marked, alike), laid)...)
	return append(lines, below)[:l.h]
}

// matte is the ground around a picture without a tint of its own, so that all boxes have one size.
func matte(t *theme.Theme) theme.Ground {
	if t.On == theme.Light { // whose page is as pale as its panels
		return t.Element
	}
	return t.Page
}

// picture is a thumbnail with what has to be said about it.
func (g *Gallery) picture(r *state.Row, th Thumb) []string {
	t := g.k.Theme
	lines, state := g.Thumbs.Lines(th)
	lines = slices.Clone(lines)
	if state == ThumbLoading { // words on a picture come with it, so that they do not move
		lines[th.Rows/2] = theme.Fit(theme.Blank(th.Cols/2-1)+t.Faint.Paint("···"), th.Cols)
		return lines
	}
	said := Length(g.k, r.Kind, r.Duration)
	if r.Pick < 0 {
		said = g.k.Say("✕ rejected")
		faint := g.Thumbs.Rough(th, picture.Rough{Side: 1, Share: 0.3, Ground: matte(t).Colour})
		if faint != nil && g.k.Mode == picture.ModeBlocks && t.Grounds() {
			lines = faint
		}
	}
	return g.Thumbs.Chipped(th, lines, said)
}

// Length is the sign of a video, with its seconds; nothing else has one.
func Length(k *env.Env, kind api.Kind, duration string) string {
	if kind != api.KindVideo {
		return ""
	}
	seconds, err := strconv.Atoi(duration)
	if err != nil {
		return "▶"
	}
	return "▶ " + k.Span(time.Duration(seconds)*time.Second)
}

// caption is what stands below a picture, in two lines where there is room: what it is at the
// left, its rating at the right of the last that is needed. Of a title that begins like another, it shows the end.
func (g *Gallery) caption(r *state.Row, w, h int, chosen, marked, alike bool) []string {
	t := g.k.Theme
	ink := t.Strong.If(chosen, t.Faint.If(r.Pick < 0 && !marked, t.Muted))
	signs := theme.Cut(strings.TrimPrefix(Signs(r), pickSigns[-1]), w/2)
	words := ""
	if r.Kind == api.KindVideo && g.k.Mode == picture.ModeSixel { // whose pictures have to stay whole
		words = Length(g.k, r.Kind, r.Duration) + "  "
	}
	lines, above := min(h, 2), max(h-2, 0)
	if !t.Grounds() {
		lines = 1 // its frame ends below
	}
	if room := lines*w - 1 - theme.Width(words+signs); alike && r.Label == "" && theme.Width(r.Title) > room {
		words += CutCaption(r.Title, room)
	} else {
		words += Name(r, room)
	}
	out := slices.Repeat([]string{theme.Blank(w)}, above)
	if lines > 1 && theme.Width(words+signs) >= w {
		first := widget.Wrap(words, w)[0]
		words = strings.Trim(strings.TrimPrefix(words, first), " ·")
		out = append(out, theme.Fit(ink.Paint(strings.TrimSuffix(first, " ·")), w))
	}
	out = append(out, widget.Between(ink.Paint(theme.Cut(words, w-1-theme.Width(signs))), t.Warn.Paint(signs), w))
	return append(out, slices.Repeat([]string{theme.Blank(w)}, max(above+lines-len(out), 0))...)
}

// Sizes names the sizes, and which one it is.
func (g *Gallery) Sizes() string {
	return widget.Segments(g.k.Theme, int(cmp.Or(g.size, Medium)-Small), sizes...)
}

var sizes = []string{"S", "M", "L"}

// ClickSizes takes the size whose name lies so many cells from the end of Sizes, if there is one.
func (g *Gallery) ClickSizes(x int) bool {
	n := widget.SegmentAt(theme.Width(g.Sizes())-x, sizes...)
	g.size = cmp.Or(Size(n+1), g.size)
	return n >= 0
}
