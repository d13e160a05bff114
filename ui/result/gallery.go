package result

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Size is how large the cells of a gallery are.
type Size int

// Sizes.
const (
	Small Size = iota
	Medium
	Large
	sizes
)

// Gallery is a contact sheet: a grid of thumbnails, of which it asks for those
// that are in view. Which rows these are, and which one is chosen, belongs to
// its owner.
type Gallery struct {
	k      *env.Env
	thumbs *Thumbs
	size   Size
	w, h   int
	cells  widget.Memos[string, cellKey, []string] // by result
	all    widget.Memo[GalleryKey, []string]
	edits  int // grows with every change of the grid
}

// GalleryKey is all that the drawing depends on.
type GalleryKey struct {
	w, h, edits     int
	thumbs          uint64
	rows, at, first int // the version of the rows, the chosen one, the first in view
	marks           uint64
	theme           *theme.Theme
	lang            string
}

// cellKey is all that the drawing of a cell depends on.
type cellKey struct {
	grid     grid
	version  int64
	rating   state.Rating
	chosen   bool
	marked   bool
	state    ThumbState
	sample   string // a line of the thumbnail: another one has other lines
	caption  string
	theme    *theme.Theme
	language string
}

// grid is how a gallery divides its room: cols times rows cells, each of w×h
// cells of the terminal, frame and caption included.
type grid struct{ cols, rows, w, h int }

// NewGallery makes an empty gallery.
func NewGallery(k *env.Env) *Gallery {
	return &Gallery{k: k, thumbs: NewThumbs(k), size: Medium}
}

// Resize gives the room.
func (g *Gallery) Resize(w, h int) {
	if w == g.w && h == g.h {
		return
	}
	g.w, g.h = w, h
	g.edits++
}

// Grow makes the cells larger or smaller.
func (g *Gallery) Grow(by int) {
	g.size = max(min(g.size+Size(by), sizes-1), Small)
	g.edits++
}

// layout divides the room. It depends on nothing but the sizes.
func (g *Gallery) layout() grid {
	least, share := 24, 5
	switch g.size {
	case Small:
		least, share = 17, 10
	case Large:
		least, share = 40, 3
	}
	cols := max(g.w/max(least, g.w/share), 1)
	w := max(g.w/cols, 6)
	// A picture of 16:10 in cells twice as high as wide.
	h := max((w-2)*5/16+2, 4)
	rows := max(g.h/h, 1)
	return grid{cols, rows, w, max(g.h/rows, 3)}
}

// Columns is how many cells stand side by side, and Cells how many are in view.
func (g *Gallery) Columns() int { return g.layout().cols }

// Cells is how many results are in view.
func (g *Gallery) Cells() int { l := g.layout(); return l.cols * l.rows }

// CellAt is the number of the cell at a point of the gallery, counted from the
// first in view.
func (g *Gallery) CellAt(x, y int) (int, bool) {
	l := g.layout()
	col, row := x/l.w, y/l.h
	return row*l.cols + col, x >= 0 && y >= 0 && col < l.cols && row < l.rows
}

// thumb is the thumbnail of a row.
func (l grid) thumb(r *state.Row) Thumb { return Thumb{r.File, l.w - 2, l.h - 2} }

// Want asks for the thumbnails of the rows in view, the chosen one first; none
// frees them.
func (g *Gallery) Want(rows []state.Row, chosen string) tea.Cmd {
	l := g.layout()
	visible := make([]Thumb, 0, len(rows))
	for i := range rows {
		if rows[i].ID == chosen {
			visible = append(visible, l.thumb(&rows[i]))
		}
	}
	for i := range rows {
		if rows[i].ID != chosen {
			visible = append(visible, l.thumb(&rows[i]))
		}
	}
	return g.thumbs.Want(visible)
}

// Update takes the answers to Want.
func (g *Gallery) Update(message tea.Msg) { g.thumbs.Update(message) }

// See notes in a command that those of the rows in view were looked at whose
// thumbnails are drawn.
func (g *Gallery) See(b Backend, rows []state.Row) tea.Cmd {
	var ids []string
	for i := range rows {
		if !rows[i].Unseen {
			continue
		}
		if _, state := g.thumbs.Lines(g.layout().thumb(&rows[i])); state == ThumbReady {
			ids, rows[i].Unseen = append(ids, rows[i].ID), false
		}
	}
	return see(g.k.Context, b, ids)
}

// Key is what the drawing depends on: rows is the version of the rows, first the
// number of the first one in view.
func (g *Gallery) Key(rows, at, first int, marks *Marks) GalleryKey {
	return GalleryKey{g.w, g.h, g.edits, g.thumbs.Edits(), rows, at, first, marks.Edits(), g.k.Theme, g.k.Words.Lang()}
}

// Lines draws the rows in view; at is the chosen one among them.
func (g *Gallery) Lines(key GalleryKey, rows []state.Row, at int, marks *Marks) []string {
	return g.all.Get(key, func() []string { return g.drawAll(rows, at, marks) })
}

func (g *Gallery) drawAll(rows []state.Row, at int, marks *Marks) []string {
	l := g.layout()
	if g.cells.Len() > 4*l.cols*l.rows {
		ids := make([]string, len(rows))
		for i := range rows {
			ids[i] = rows[i].ID
		}
		g.cells.Keep(ids)
	}
	lines := make([]string, 0, g.h)
	for from := 0; from < len(rows); from += l.cols {
		group := rows[from:min(from+l.cols, len(rows))]
		cells := make([][]string, len(group))
		for i := range group {
			cells[i] = g.cell(&group[i], l, from+i == at, marks.Has(group[i].ID))
		}
		for y := range l.h {
			var b strings.Builder
			for _, c := range cells {
				b.WriteString(c[y])
			}
			lines = append(lines, b.String())
		}
	}
	return lines
}

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

func (g *Gallery) drawCell(r *state.Row, key cellKey, thumb []string) []string {
	t, w := g.k.Theme, key.grid.w-2
	left, right, top := " ", " ", theme.Blank(w+2)
	if key.chosen {
		f := &t.Frame
		left, right = t.Focus.Paint(f.Left), t.Focus.Paint(f.Right)
		top = t.Focus.Paint(f.TopLeft + strings.Repeat(f.Top, w) + f.TopRight)
	}
	lines := make([]string, 0, key.grid.h)
	lines = append(lines, top)
	if key.state == ThumbLoading && len(thumb) > 0 {
		thumb = append([]string(nil), thumb...)
		thumb[len(thumb)/2] = theme.Blank(w/2-1) + t.Faint.Paint("···")
	}
	for y := range key.grid.h - 2 {
		line := ""
		if y < len(thumb) {
			line = thumb[y]
		}
		lines = append(lines, left+theme.Fit(line, w)+right)
	}
	return append(lines, g.drawCaption(r, key))
}

// drawCaption is the lower edge of a cell: signs and words.
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
	if key.chosen {
		ink = t.Strong
		t.Focus.Write(&b, t.Frame.BottomLeft)
	} else {
		b.WriteString(" ")
	}
	if signs != "" {
		signs += " "
		t.Accent.Write(&b, theme.Cut(signs, room))
		room -= min(theme.Width(signs), room)
	}
	words := theme.Cut(key.caption, room)
	ink.Write(&b, words)
	room -= theme.Width(words)
	if key.chosen {
		t.Focus.Write(&b, strings.Repeat(t.Frame.Bottom, max(room, 0))+t.Frame.BottomRight)
	} else {
		b.WriteString(theme.Blank(room + 1))
	}
	return b.String()
}
