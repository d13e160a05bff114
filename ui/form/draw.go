package form

import (
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

const (
	gutter    = 2
	minColumn = 8
	maxColumn = 16
	minCell   = 21 // width next to its label that a field wants when others share its line
	roomyFrom = 26 // lines from which rows are set apart
)

// block is a field's drawing with its label.
type block struct {
	lines  []string
	vx, vy int // where the field's own drawing begins
	width  int // of the field's own drawing
	d      drawing
}

// blockKey holds everything that a field's block depends on.
type blockKey struct {
	look          *Look
	version       int64
	width, column int
	focus         bool
}

// block draws a field, or returns the last drawing if nothing has changed.
func (f *Form) block(field Field, width, column int) *block {
	c := field.core()
	focus := field == f.focus && !f.idle
	return c.drawn.Get(blockKey{f.look, c.version, width, column, focus}, func() *block {
		if t, ok := field.(tall); ok {
			return f.tallBlock(t, width, column, focus)
		}
		return f.lineBlock(field, width, column, focus)
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

func (f *Form) tallBlock(field tall, width, column int, focus bool) *block {
	look := *f.look
	look.column = column
	b := &block{vy: 1, width: width, d: field.draw(&look, width, focus)}
	label := f.label(field.core(), column, focus)
	label += field.heading(f.look, width-theme.Width(label))
	b.lines = append([]string{theme.Cut(label, width)}, b.d.lines...)
	return b
}

// sentences are the problems of a field to show now, wrapped.
func (f *Form) sentences(c *Core) []string {
	var out []string
	for _, p := range f.found {
		if p.Field != c.Name || !p.Early && !c.left && !f.tried {
			continue
		}
		mark := "✗ "
		for _, line := range widget.Wrap(p.Text, f.width-gutter-2) {
			out = append(out, "  "+f.look.Theme.Bad.Paint(mark+line))
			mark = "  "
		}
	}
	return out
}

// page is the whole form as drawn, scrolled or not.
type page struct {
	lines    []string
	spots    []spot
	x, y     int // the cursor, or the focused line without one
	cursor   bool
	from, to int // lines the focused field and its problems take
}

// pageKey holds everything that the page depends on. version counts the changes of the fields
// too, among them the size and the scroll position of a prompt.
type pageKey struct {
	look          *Look
	version       int64
	width, height int
	focus         Field
}

// spot is where a field's block lies on the page.
type spot struct {
	*block
	field      Field
	left, head int
	w          int
}

// hit reports whether a cell of the page is one of the block's.
func (s spot) hit(x, y int) bool {
	return x >= s.left && x < s.left+s.w && y >= s.head && y < s.head+len(s.lines)
}

// column returns the width of the labels.
func (f *Form) column() int {
	n := minColumn
	for _, row := range f.rows {
		if c := row.fields[0].core(); !c.hidden {
			n = max(n, theme.Width(c.Label)+2)
		}
	}
	return min(n, maxColumn)
}

// page gives the page as it was drawn, or draws what has changed.
func (f *Form) page() *page {
	return f.drawn.Get(pageKey{f.look, f.Version(), f.width, f.height, f.focus}, f.layOut)
}

// layOut puts every row on a page.
func (f *Form) layOut() *page {
	p := &page{}
	column := f.column()
	for _, row := range f.rows {
		shown := make([]Field, 0, len(row.fields))
		for _, field := range row.fields {
			if !field.core().hidden {
				shown = append(shown, field)
			}
		}
		if len(shown) > 0 && row.gap && f.height >= roomyFrom && len(p.lines) > 0 {
			p.lines = append(p.lines, "")
		}
		for len(shown) > 0 {
			n := len(shown) // as many as stand side by side
			for n > 1 && (f.width-maxColumn+minColumn)/n < minCell {
				n--
			}
			f.drawRow(p, shown[:n], column)
			shown = shown[n:]
		}
	}
	return p
}

// drawRow puts fields side by side on the page, and their problems below.
func (f *Form) drawRow(p *page, fields []Field, column int) {
	cell, gap := f.width, 0
	if len(fields) > 1 {
		cell, gap = f.width/len(fields), 1
	}
	head, lines := len(p.lines), []string(nil)
	for i, field := range fields {
		if i > 0 {
			column = theme.Width(field.core().Label) + 2
		}
		s := spot{f.block(field, cell-gap, column), field, i * cell, head, cell}
		p.spots = append(p.spots, s)
		if field == f.focus {
			p.x, p.y, p.cursor = s.left+s.vx+s.d.x, head+s.vy+s.d.y, s.d.cursor
			p.from, p.to = head, head+len(s.lines)
		}
		if i == 0 {
			lines = append(lines, s.lines...)
		} else {
			lines[0] = fill(lines[0], i*cell) + s.lines[0]
		}
	}
	p.lines = append(p.lines, lines...)
	for _, field := range fields {
		problems := f.sentences(field.core())
		p.lines = append(p.lines, problems...)
		if field == f.focus && len(problems) > 0 {
			p.to = len(p.lines)
		}
	}
}

// at returns the place of a field's value in the form's cells.
func (f *Form) at(field Field) (x, y int) {
	for _, s := range f.page().spots {
		if s.field == field {
			return s.left + s.vx, s.head + s.vy - f.scroll
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
func (f *Form) More() (above, below int) { return f.scroll, max(f.Height()-f.scroll-f.height, 0) }

// Height is how many lines the form has in all.
func (f *Form) Height() int { return len(f.page().lines) }

// Cursor returns the place of the real cursor, and whether there is one.
func (f *Form) Cursor() (x, y int, ok bool) {
	p := f.page()
	y = p.y - f.scroll
	covered := f.menu != nil && !f.menu.loose
	return min(p.x, f.width-1), y, p.cursor && !covered && y >= 0 && y < f.height
}

// fit sets everything that depends on the size and the content: the cells of the
// prompt, the scroll position, the place of an open list. Everything that
// changes the form ends with it, so that drawing changes nothing.
func (f *Form) fit() {
	if p := f.prompt(); p != nil {
		// A share of the form that does not depend on what else it shows, so that
		// nothing jumps. A long text gets the lines that nothing else needs, and a
		// short one gives up blank lines before the form scrolls.
		share := min(max(f.height*3/10, f.height-24, 3), 28)
		p.resize(f.width, p.height)
		text, rest := p.wrap.Len(), f.height-(f.Height()-p.height)
		share = min(share, max(rest, text+1, 2))
		p.resize(f.width, min(max(text, share), max(rest, share)))
	}
	f.follow()
	if f.menu != nil {
		x, y, _ := f.Cursor()
		if !f.menu.loose {
			x, y = f.at(f.focus)
		}
		f.menu.fit(x, y, f.width, f.height)
	}
}

// prompt is the field of many lines, or nil.
func (f *Form) prompt() *Prompt {
	for field := range f.fields() {
		if p, ok := field.(*Prompt); ok {
			return p
		}
	}
	return nil
}

// follow scrolls so that the focused field is in view, its cursor above all.
func (f *Form) follow() {
	p := f.page()
	if !f.loose {
		if p.to > f.scroll+f.height {
			f.scroll = p.to - f.height
		}
		f.scroll = min(f.scroll, p.from)
		if p.y >= f.scroll+f.height {
			f.scroll = p.y - f.height + 1
		}
		f.scroll = min(f.scroll, p.y)
	}
	f.scroll = min(max(f.scroll, 0), max(len(p.lines)-f.height, 0))
}
