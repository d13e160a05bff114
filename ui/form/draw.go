package form

import (
	"strings"

	"darkroom/ui/theme"
)

// block is what a field drew, with its label and problems.
type block struct {
	lines    []string
	problems []string
	vx, vy   int // where the field's own drawing begins
	d        drawing
}

// page is the whole form as drawn, scrolled or not.
type page struct {
	version int64
	look    *Look
	lines   []string
	spots   []spot
	x, y    int // the cursor, or the focused line without one
	cursor  bool
	from    int // lines the focused field and its problems take
	to      int
}

// spot is where a field's own drawing lies on the page.
type spot struct {
	field      Field
	x, y       int
	w, h       int // of the whole block, label included
	left, head int // of the block
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

// promptLines is how high a prompt is at least: a share of the form that does
// not depend on what else it shows, so that nothing jumps.
func (f *Form) promptLines() int {
	return min(max(f.height*3/10, f.height-24, 3), 28)
}

// grown is how high the prompt should be on a page that was just laid out: a
// long text gets the lines that nothing else needs.
func (f *Form) grown(p *page) int {
	least := f.promptLines()
	for _, row := range f.rows {
		prompt, ok := row[0].(*Prompt)
		if !ok || prompt.hidden || prompt.Lines > 0 {
			continue
		}
		others := len(p.lines) - prompt.height
		return min(max(len(prompt.wrap.starts), least), max(f.height-others, least))
	}
	return least
}

// layout draws what changed and lays everything out.
func (f *Form) layout() *page {
	p := &f.page
	if p.version == f.version && p.look == f.look && p.lines != nil {
		return p
	}
	f.tall = max(f.tall, f.promptLines())
	f.lay(p)
	if tall := f.grown(p); tall != f.tall {
		f.tall = tall
		f.lay(p)
	}
	f.follow(p)
	return p
}

// lay puts every row on the page.
func (f *Form) lay(p *page) {
	*p = page{version: f.version, look: f.look, lines: p.lines[:0], spots: p.spots[:0]}
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
			f.row(p, shown[:n], column)
			shown = shown[n:]
		}
	}
}

// abreast is how many of the fields stand side by side.
func (f *Form) abreast(fields []Field) int {
	n := len(fields)
	for n > 1 && (f.width-maxColumn+minColumn)/n < minCell {
		n--
	}
	return n
}

func (f *Form) row(p *page, fields []Field, column int) {
	head := len(p.lines)
	if len(fields) == 1 {
		b := f.block(fields[0], f.width, column)
		p.lines = append(p.lines, b.lines...)
		f.settle(p, fields[0], b, 0, head, f.width)
		f.complain(p, fields, column)
		return
	}
	left, height := 0, 0
	cell := f.width / len(fields)
	var line strings.Builder
	for i, field := range fields {
		col := column
		if i > 0 {
			col = theme.Width(field.core().Label) + 2
		}
		b := f.block(field, cell-1, col)
		f.settle(p, field, b, left, head, cell)
		line.WriteString(fill(b.lines[0], cell))
		left += cell
		height = max(height, len(b.lines))
	}
	p.lines = append(p.lines, line.String())
	f.complain(p, fields, column)
}

func (f *Form) settle(p *page, field Field, b *block, left, head, width int) {
	p.spots = append(p.spots, spot{field, left + b.vx, head + b.vy, width, len(b.lines), left, head})
	if field == f.focus {
		p.x, p.y, p.cursor = left+b.vx+b.d.x, head+b.vy+b.d.y, b.d.cursor
		p.from, p.to = head, head+len(b.lines)
	}
}

// complain writes the problems of a row's fields under it.
func (f *Form) complain(p *page, fields []Field, column int) {
	for _, field := range fields {
		c := field.core()
		if len(c.cache.block.problems) == 0 {
			continue
		}
		p.lines = append(p.lines, c.cache.block.problems...)
		if field == f.focus {
			p.to = len(p.lines)
		}
	}
}

// block draws a field, or gives what was drawn when nothing has changed since.
func (f *Form) block(field Field, width, column int) *block {
	c := field.core()
	focus := field == f.focus && !f.idle
	t, isTall := field.(tall)
	if isTall {
		if p, prompt := field.(*Prompt); prompt && p.Lines > 0 {
			t.fit(p.Lines)
		} else if prompt {
			t.fit(f.tall)
		}
	}
	now := cached{look: f.look, version: c.version, width: width, full: f.width, column: column, focus: focus, tried: f.tried, ok: true}
	if k := &c.cache; k.ok && k.look == now.look && k.version == now.version && k.width == width &&
		k.full == f.width && k.column == column && k.focus == focus && k.tried == f.tried {
		return &k.block
	}
	if isTall {
		now.block = f.tallBlock(field, t, width, column, focus)
	} else {
		now.block = f.lineBlock(field, width, column, focus)
	}
	now.block.problems = f.sentences(c, column)
	c.cache = now
	return &c.cache.block
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

func (f *Form) lineBlock(field Field, width, column int, focus bool) block {
	c := field.core()
	room := width - gutter - column
	b := block{vx: gutter + column, d: field.draw(f.look, room, focus)}
	line := f.label(c, column, focus) + b.d.lines[0]
	if c.Note != "" {
		used := theme.Width(b.d.lines[0])
		if b.d.cursor {
			used = max(used, b.d.x+1)
		}
		if used+6 < room {
			line = fill(line, gutter+column+used) + "  " + f.look.Theme.Faint.Paint(theme.Cut(c.Note, room-used-2))
		}
	}
	b.lines = []string{line}
	return b
}

func (f *Form) tallBlock(field Field, t tall, width, column int, focus bool) block {
	c := field.core()
	b := block{vy: 1, d: field.draw(f.look, width, focus)}
	head := t.heading(f.look, width, focus)
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
func (f *Form) sentences(c *Core, column int) []string {
	var out []string
	for _, p := range c.problems {
		if !p.Early && !c.left && !f.tried {
			continue
		}
		for i, line := range Wrap(p.Text, f.width-gutter-2) {
			mark := "✗ "
			if i > 0 {
				mark = "  "
			}
			out = append(out, "  "+f.look.Theme.Bad.Paint(mark+line))
		}
	}
	return out
}

// Wrap breaks text into lines of at most width cells, Chinese by its own rules.
func Wrap(text string, width int) []string {
	gs := segment(nil, tidy(text, true))
	var w wrapped
	w.all(gs, width)
	out := make([]string, len(w.starts))
	for i := range out {
		from, to := w.span(gs, i)
		out[i] = strings.TrimRight(join(gs[from:to]), " ")
	}
	return out
}

// follow scrolls so that the focused field is in view, its cursor above all.
func (f *Form) follow(p *page) {
	most := max(len(p.lines)-f.height, 0)
	if !f.loose {
		if p.to > f.scroll+f.height {
			f.scroll = p.to - f.height
		}
		if p.from < f.scroll {
			f.scroll = p.from
		}
		if p.y >= f.scroll+f.height {
			f.scroll = p.y - f.height + 1
		}
		if p.y < f.scroll {
			f.scroll = p.y
		}
	}
	f.scroll = min(max(f.scroll, 0), most)
}

// Lines are the form's lines as they show: exactly its height, none wider than
// its width.
func (f *Form) Lines() []string {
	p := f.layout()
	to := min(f.scroll+f.height, len(p.lines))
	out := make([]string, f.height)
	copy(out, p.lines[f.scroll:to])
	if f.menu != nil {
		f.menu.over(f.look, out, f.width)
	}
	return out
}

// More tells how many lines are out of view above and below.
func (f *Form) More() (above, below int) {
	p := f.layout()
	return f.scroll, max(len(p.lines)-f.scroll-f.height, 0)
}

// Height is how many lines the form has in all.
func (f *Form) Height() int { return len(f.layout().lines) }

// Cursor is where the real cursor belongs, and whether there is one.
func (f *Form) Cursor() (x, y int, ok bool) {
	p := f.layout()
	y = p.y - f.scroll
	return min(p.x, f.width-1), y, p.cursor && f.menu.gives() && y >= 0 && y < f.height
}

// gives reports whether the field under the menu keeps the cursor.
func (m *menu) gives() bool { return m == nil || m.loose }

// at is where a field's value begins, in the form's cells.
func (f *Form) at(field Field) (x, y int) {
	for _, s := range f.layout().spots {
		if s.field == field {
			return s.x, s.y - f.scroll
		}
	}
	return 0, 0
}

// Click takes a press in the form's cells and reports whether it hit a field.
func (f *Form) Click(x, y int) bool {
	f.version++
	if f.menu != nil {
		f.menu.click(x, y)
		f.menu = nil
		f.Settle()
		return true
	}
	y += f.scroll
	for _, s := range f.layout().spots {
		if x < s.left || x >= s.left+s.w || y < s.head || y >= s.head+s.h {
			continue
		}
		// Fields act on a press only where their own drawing is; the label
		// gives the focus.
		field := s.field
		f.Focus(field)
		if x >= s.x && y >= s.y {
			field.click(x-s.x, y-s.y)
			f.Settle()
		}
		return true
	}
	return false
}

// Wheel scrolls the prompt under the pointer, else the form.
func (f *Form) Wheel(x, y, by int) bool {
	f.version++
	for _, s := range f.layout().spots {
		if p, ok := s.field.(*Prompt); ok && y+f.scroll >= s.head && y+f.scroll < s.head+s.h && p.wheel(by) {
			return true
		}
	}
	was := f.scroll
	f.loose = true
	f.scroll = min(max(f.scroll+by, 0), max(len(f.page.lines)-f.height, 0))
	return f.scroll != was
}
