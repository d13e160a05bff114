package form

import (
	"strings"

	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// block is what a field drew, with its label and problems.
type block struct {
	lines    []string
	problems []string
	vx, vy   int // where the field's own drawing begins
	width    int // of the field's own drawing
	d        drawing
}

// blockKey is what a field's block depends on.
type blockKey struct {
	look    *Look
	version int64
	width   int
	full    int // width of the form
	column  int
	focus   bool
	tried   bool
}

// block draws a field, or gives what was drawn when nothing has changed since.
func (f *Form) block(field Field, width, column int) *block {
	c := field.core()
	focus := field == f.focus && !f.idle
	key := blockKey{f.look, c.version, width, f.width, column, focus, f.tried}
	return c.drawn.Get(key, func() *block {
		var b *block
		if t, ok := field.(tall); ok {
			b = f.tallBlock(field, t, width, column, focus)
		} else {
			b = f.lineBlock(field, width, column, focus)
		}
		b.problems = f.sentences(c)
		return b
	})
}

// label writes a field's label with the mark of the focus before it.
func (f *Form) label(c *Core, column int, focus bool) string {
	t := f.look.Theme
	name := theme.Fit(c.Label, column)
	if focus {
		return t.Focus.Paint("┃ ") + t.Accent.Paint(name)
	}
	return "  " + t.Muted.Paint(name)
}

func (f *Form) lineBlock(field Field, width, column int, focus bool) *block {
	c := field.core()
	room := width - gutter - column
	b := &block{vx: gutter + column, width: room, d: field.draw(f.look, room, focus)}
	note, noteStyle := c.Note, f.look.Theme.Faint
	if c.Several != "" && focus {
		note, noteStyle = c.Several, f.look.Theme.Accent
	} else if c.Several != "" {
		b.d.lines[0] = f.look.Theme.Accent.Paint(theme.Cut(c.Several, room))
	}
	line := f.label(c, column, focus) + b.d.lines[0]
	if note != "" {
		used := theme.Width(b.d.lines[0])
		if b.d.cursor {
			used = max(used, b.d.x+1)
		}
		if used+6 < room {
			line = fill(line, gutter+column+used) + "  " + noteStyle.Paint(theme.Cut(note, room-used-2))
		}
	}
	b.lines = []string{line}
	return b
}

func (f *Form) tallBlock(field Field, t tall, width, column int, focus bool) *block {
	c := field.core()
	look := *f.look
	look.column = column
	b := &block{vy: 1, width: width, d: field.draw(&look, width, focus)}
	head := t.heading(f.look, width)
	label := f.label(c, column, focus)
	if _, prompt := field.(*Prompt); prompt {
		label = fill(label, width-theme.Width(head)) + head
	} else {
		label += head
		if room := width - theme.Width(label) - 2; c.Note != "" && room > theme.Width(c.Note) {
			label += theme.Blank(room-theme.Width(c.Note)+2) + f.look.Theme.Faint.Paint(c.Note)
		}
	}
	b.lines = append([]string{theme.Cut(label, width)}, b.d.lines...)
	return b
}

// sentences are the problems to show now, wrapped.
func (f *Form) sentences(c *Core) []string {
	var out []string
	for _, p := range c.problems {
		if !p.Early && !c.left && !f.tried {
			continue
		}
		for i, line := range widget.Wrap(p.Text, f.width-gutter-2) {
			mark := "✗ "
			if i > 0 {
				mark = "  "
			}
			out = append(out, "  "+f.look.Theme.Bad.Paint(mark+line))
		}
	}
	return out
}

// page is the whole form as drawn, scrolled or not.
type page struct {
	lines  []string
	spots  []spot
	x, y   int // the cursor, or the focused line without one
	cursor bool
	from   int // lines the focused field and its problems take
	to     int
}

// pageKey is what the page depends on. version counts the changes of the fields
// too, among them the size and the scroll position of a prompt.
type pageKey struct {
	look          *Look
	version       int64
	width, height int
	focus         Field
	idle, tried   bool
}

// spot is where a field's own drawing lies on the page.
type spot struct {
	field      Field
	x, y       int
	value      int // cells of the field's own drawing
	w, h       int // of the whole block, label included
	left, head int // of the block
}

// hit reports whether a cell of the page is one of the block's.
func (s spot) hit(x, y int) bool {
	return x >= s.left && x < s.left+s.w && y >= s.head && y < s.head+s.h
}

const (
	gutter    = 2
	minColumn = 8
	maxColumn = 16
	minCell   = 21 // beside its label, a field side by side with others wants that
	roomyFrom = 26 // lines from which rows are set apart
)

// column is how wide the labels are.
func (f *Form) column() int {
	n := minColumn
	for _, row := range f.rows {
		if c := row[0].core(); !c.hidden {
			n = max(n, theme.Width(c.Label)+2)
		}
	}
	return min(n, maxColumn)
}

// page gives the page as it was drawn, or draws what has changed.
func (f *Form) page() *page {
	key := pageKey{f.look, f.Version(), f.width, f.height, f.focus, f.idle, f.tried}
	return f.drawn.Get(key, f.layOut)
}

// layOut puts every row on a page.
func (f *Form) layOut() *page {
	p := &page{}
	column := f.column()
	for i, row := range f.rows {
		shown := make([]Field, 0, len(row))
		for _, field := range row {
			if !field.core().hidden {
				shown = append(shown, field)
			}
		}
		if len(shown) == 0 {
			continue
		}
		if f.gaps[i] && f.height >= roomyFrom && len(p.lines) > 0 {
			p.lines = append(p.lines, "")
		}
		for len(shown) > 0 {
			n := f.abreast(shown)
			f.drawRow(p, shown[:n], column)
			shown = shown[n:]
		}
	}
	return p
}

// abreast is how many of the fields stand side by side.
func (f *Form) abreast(fields []Field) int {
	n := len(fields)
	for n > 1 && (f.width-maxColumn+minColumn)/n < minCell {
		n--
	}
	return n
}

func (f *Form) drawRow(p *page, fields []Field, column int) {
	head := len(p.lines)
	blocks := make([]*block, len(fields))
	if len(fields) == 1 {
		blocks[0] = f.block(fields[0], f.width, column)
		p.lines = append(p.lines, blocks[0].lines...)
		f.note(p, fields[0], blocks[0], 0, head, f.width)
	} else {
		cell := f.width / len(fields)
		var line strings.Builder
		for i, field := range fields {
			if i > 0 {
				column = theme.Width(field.core().Label) + 2
			}
			blocks[i] = f.block(field, cell-1, column)
			f.note(p, field, blocks[i], i*cell, head, cell)
			line.WriteString(fill(blocks[i].lines[0], cell))
		}
		p.lines = append(p.lines, line.String())
	}
	for i, b := range blocks {
		p.lines = append(p.lines, b.problems...)
		if fields[i] == f.focus && len(b.problems) > 0 {
			p.to = len(p.lines)
		}
	}
}

func (f *Form) note(p *page, field Field, b *block, left, head, width int) {
	p.spots = append(p.spots, spot{field: field, x: left + b.vx, y: head + b.vy, value: b.width, w: width, h: len(b.lines), left: left, head: head})
	if field == f.focus {
		p.x, p.y, p.cursor = left+b.vx+b.d.x, head+b.vy+b.d.y, b.d.cursor
		p.from, p.to = head, head+len(b.lines)
	}
}

// at is where a field's value begins, in the form's cells.
func (f *Form) at(field Field) (x, y int) {
	for _, s := range f.page().spots {
		if s.field == field {
			return s.x, s.y - f.scroll
		}
	}
	return 0, 0
}

// Lines are the form's lines as they show: exactly its height, none wider than
// its width.
func (f *Form) Lines() []string {
	p := f.page()
	from := min(f.scroll, len(p.lines))
	out := make([]string, f.height)
	copy(out, p.lines[from:min(from+f.height, len(p.lines))])
	if f.menu != nil {
		widget.Overlay(out, f.menu.draw(f.look), f.menu.box.left, f.menu.box.top)
	}
	return out
}

// More gives how many lines are out of view above and below.
func (f *Form) More() (above, below int) {
	return f.scroll, max(len(f.page().lines)-f.scroll-f.height, 0)
}

// Height is how many lines the form has in all.
func (f *Form) Height() int { return len(f.page().lines) }

// Cursor is where the real cursor belongs, and whether there is one.
func (f *Form) Cursor() (x, y int, ok bool) {
	p := f.page()
	y = p.y - f.scroll
	covered := f.menu != nil && !f.menu.loose
	return min(p.x, f.width-1), y, p.cursor && !covered && y >= 0 && y < f.height
}
