package form

import (
	"cmp"
	"strconv"
	"strings"

	"darkroom/api"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

const (
	gutter  = 1
	maxWell = 8 // lines of a prompt that is short
)

// blockKey holds everything that a field's drawing depends on.
type blockKey struct {
	look          *theme.Theme
	version       int64
	width, column int
	focus, bare   bool
}

// block draws a field with its label.
func (f *Form) block(field Field, width, column int) *drawing {
	c := field.core()
	focus := field == f.focus && !f.idle
	return c.drawn.Get(blockKey{f.look, c.version, width, column, focus, f.bare}, func() *drawing {
		t := f.look
		label := " " + t.Muted.Paint(theme.Fit(c.Label, column))
		if focus {
			label = t.Focus.Paint(t.Bar) + t.Accent.Paint(theme.Fit(c.Label, column))
		}
		switch field := field.(type) {
		case *Prompt:
			d := field.draw(t, width, focus)
			return &d
		case *List:
			field.column, field.alone = column, c.Label
			least := field.lead() + theme.Width(field.Empty) + 6
			heading := field.heading(t, width-least)
			room := width - theme.Width(heading) - 3 // the same whatever is typed
			d := field.draw(t, room, focus)
			if len(d.lines) == 1 && theme.Width(heading) <= width-least {
				d.lines[0], d.right = theme.Fit(d.lines[0], room)+"  "+heading, width-room
			} else {
				if field.alone = ""; focus { // which has a row of its own, and the bar is at that of the address
					label = " " + t.Accent.Paint(theme.Fit(c.Label, column))
				}
				d = field.draw(t, width, focus)
				label += "  " + field.heading(t, width-theme.Width(label)-2)
				d.top, d.lines = 1, append([]string{theme.Cut(label, width)}, d.lines...)
			}
			return &d
		}
		room := width - gutter - column
		d := field.draw(t, room, focus)
		d.left = gutter + column
		d.lines[0] = label + f.remarked(c, d, room, focus)
		for i := 1; i < len(d.lines); i++ {
			d.lines[i] = theme.Blank(d.left) + d.lines[i]
		}
		return &d
	})
}

// remarked is the value of a field on one line, with the remark right of it.
func (f *Form) remarked(c *Core, d drawing, room int, focus bool) string {
	value, note, style := d.lines[0], c.Note, f.look.Faint
	if c.Several != "" && focus {
		note, style = c.Several, f.look.Accent
	} else if c.Several != "" {
		value = f.look.Accent.Paint(theme.Cut(c.Several, room))
	}
	used := theme.Width(value)
	if d.cursor {
		used = max(used, d.x+1)
	}
	if note == "" || f.bare && c.Several == "" || used+6 >= room || c.Several == "" && used+2+theme.Width(note) > room {
		return value // half a remark is none
	}
	return fill(value, used) + "  " + style.Paint(theme.Cut(note, room-used-2))
}

// sentences are the problems of a field to show now, wrapped.
func (f *Form) sentences(c *Core) []string {
	texts := api.Pick(f.found, func(p Problem) (string, bool) { return p.Text, p.Field == c.Name && f.shows(c, p) })
	return api.Map(Marked(f.look.Bad, "✗ ", texts, f.width-gutter), func(line string) string { return " " + line })
}

// Marked are texts wrapped to w cells, each with a mark of two before it.
func Marked(style theme.Style, mark string, texts []string, w int) (out []string) {
	for _, text := range texts {
		lead := mark
		for _, l := range widget.Wrap(text, max(w-2, 10)) {
			out = append(out, style.Paint(lead+l))
			lead = theme.Blank(2)
		}
	}
	return out
}

// page is the whole form as drawn, scrolled or not; without a cursor its place is the focused line.
type page struct {
	drawing
	spots    []spot
	from, to int // lines the focused field and its problems take
}

// spot is where a field lies on the page.
type spot struct {
	*drawing
	field Field
	widget.Rect
}

func (f *Form) column() int {
	const short = 8 // where all labels are, as in Chinese
	n := short
	for _, field := range f.visible() {
		n = max(n, theme.Width(field.core().Label)+2)
	}
	if n > short {
		n = max(n, 12) // values of images and videos stand in one column
	}
	return min(n, 16)
}

func (f *Form) page() *page {
	return f.drawn.Get(f.Version(), f.layOut)
}

func (f *Form) layOut() *page {
	p, column := &page{}, f.column()
	for _, field := range f.visible() {
		p.lines = append(p.lines, make([]string, min(field.core().gap, f.roomy))...)
		// The field, and its problems below.
		width, head := f.width, len(p.lines)
		if field == Field(f.prompt) {
			width -= f.beside
		}
		d := f.block(field, width, column)
		p.spots = append(p.spots, spot{d, field, widget.Rect{Y: head, W: width, H: len(d.lines)}})
		p.lines = append(append(p.lines, d.lines...), f.sentences(field.core())...)
		if field == f.focus {
			p.x, p.y, p.cursor = d.left+d.x, head+d.top+d.y, d.cursor
			p.from, p.to = head, len(p.lines)
		}
	}
	return p
}

// Lines are the form's lines as they show: as many as it is high.
func (f *Form) Lines() []string {
	p := f.page()
	from := min(f.scroll, len(p.lines))
	out := make([]string, f.height)
	copy(out, p.lines[from:min(from+f.height, len(p.lines))])
	if f.menu != nil {
		widget.Overlay(out, f.menu.draw(f.look), f.menu.box.X, f.menu.box.Y)
	}
	return out
}

// More is how many lines are out of view above and below.
func (f *Form) More() (above, below int) { return f.scroll, max(f.Height()-f.scroll-f.height, 0) }

func (f *Form) Height() int { return len(f.page().lines) }

func (f *Form) Cursor() (x, y int, ok bool) {
	p := f.page()
	y = p.y - f.scroll
	return min(p.x, f.width-1), y, p.cursor && (f.menu == nil || f.menu.loose) && y >= 0 && y < f.height
}

// fit sets everything that depends on the size and the content: the cells of the
// prompt, the scroll position, the place of an open list. Everything that
// changes the form ends with it, so that drawing changes nothing.
func (f *Form) fit() {
	// The prompt gets a share of the form that does not depend on what else it shows,
	// so that nothing jumps. A long text gets the lines that nothing else needs, and a
	// short one gives up blank lines before the form scrolls.
	p, share := f.prompt, min(max(f.height/3, f.height-16, 3), maxWell)
	if len(f.fields) == 1 {
		share = min(f.height-1, maxWell*3/4)
	}
	width := f.width - f.beside
	p.resize(width, p.height)
	f.roomy = min(f.height/14, 1)
	if f.bare {
		f.roomy *= 2
	}
	for ; ; f.roomy-- { // rows stand apart, and come together before the form scrolls
		f.version++
		text, rest := p.wrap.Len(), f.height-(f.Height()-p.height)
		share := min(share, max(rest, text+1, 2))
		p.resize(width, min(max(text, share), max(rest, share)))
		if f.Height() <= f.height || f.roomy == 0 {
			break
		}
	}
	f.follow()
	if f.menu != nil {
		x, y, _ := f.Cursor()
		top := 0
		if !f.menu.loose {
			x -= 2                   // to the edge of the choice
			_, top = f.PromptLines() // which stay in view
		}
		f.menu.fit(x, y, top, f.width, f.height)
	}
}

// PromptLines are the first line of the prompt in view, and the one below it.
func (f *Form) PromptLines() (from, to int) {
	first := f.page().spots[0]
	return max(first.Y-f.scroll, 0), max(first.Y+first.H-f.scroll, 0)
}

// follow scrolls so that the focused field is in view, its cursor above all.
func (f *Form) follow() {
	p := f.page()
	if !f.loose {
		f.scroll = min(max(f.scroll, p.to-f.height), p.from)
		f.scroll = min(max(f.scroll, p.y-f.height+1), p.y)
	}
	f.scroll = min(max(f.scroll, 0), max(len(p.lines)-f.height, 0))
}

// heading counts the entries of each kind, in a narrow form by their signs.
func (t *List) heading(look *theme.Theme, width int) string {
	var counts []string
	for k, kind := range t.Kinds {
		n := len(t.of(k))
		if !t.Shown(k) || kind.ByHand && n == 0 {
			continue
		}
		name := cmp.Or(kind.Name, kind.Count, kind.Tag, kind.Label)
		if width < 36 && kind.Count != "" {
			name = kind.Sign
		}
		counts = append(counts, look.Bad.If(n > kind.Max, look.Muted).Paint(name+" "+strconv.Itoa(n)+"/"+strconv.Itoa(kind.Max)))
	}
	if n := len(t.where(func(e Entry) bool { return !t.Shown(e.Kind) })); n > 0 && t.Aside != nil {
		counts = append(counts, look.Warn.Paint(t.Aside(n)))
	}
	text := strings.Join(counts, look.Faint.Paint(" · "))
	if t.Note != "" && width-theme.Width(text)-theme.Width(t.Note) > 2 {
		key, word, _ := strings.Cut(t.Note, " ")
		text += "   " + look.Key.Paint(key) + look.Muted.Paint(" "+word)
	}
	return text
}

func (t *List) Name(kind, n int) string {
	return cmp.Or(t.Kinds[kind].Name, t.EntryName(kind, n))
}

// lead is how many cells stand before an address.
func (t *List) lead() int {
	w := max(t.column+gutter-1, 6)
	for k := range t.Kinds {
		if t.Shown(k) {
			w = max(w, theme.Width(t.Kinds[k].Name))
		}
	}
	return w + 3
}

// draw writes the rows, and the one for a new address, which has the label if it is alone.
func (t *List) draw(look *theme.Theme, width int, focus bool) drawing {
	var d drawing
	used := t.lead()
	add := func(on bool, style theme.Style, name, line string) {
		mark := " "
		if on {
			d.y, mark, style = len(d.lines), look.Bar, look.Accent
		}
		d.lines = append(d.lines, style.Paint(mark+fill(name, used-3))+line)
	}
	typed := func(line *widget.Line, empty string, on bool) string {
		s, x := drawText(look, line, empty, width-used-2, on)
		if on {
			d.x, d.cursor = used+x, focus
		}
		return chip(look, fill(s, x+1))
	}
	for k := range t.Kinds {
		for n, i := range t.of(k) {
			on, name := focus && i == t.at, t.Name(k, n)
			switch {
			case !t.Shown(k):
			case i == t.edit:
				add(on, look.Muted, name, typed(&t.line, "", true))
			default:
				add(on, look.Muted, name, t.entryLine(look, t.entries[i], width-used-1, on))
			}
		}
	}
	// The last line takes new ones.
	on, text, name, style := focus && t.atNew(), &t.line, "+", look.Faint
	if len(d.lines) == 0 && t.alone != "" {
		name, style = t.alone, look.Muted
	}
	if t.edit >= 0 { // the typed text stands at its entry
		text = &widget.Line{}
	}
	add(on, style, name, typed(text, look.Faint.Paint(t.Empty), on))
	return d
}

func (t *List) entryLine(look *theme.Theme, e Entry, width int, on bool) string {
	style, kind := look.Strong.If(on, look.Text), &t.Kinds[e.Kind]
	lead := cmp.Or(t.Picture(e.Address), look.Muted.Paint(kind.Sign))
	if lead != "" {
		lead += " "
		width -= theme.Width(lead)
	}
	note := strings.TrimPrefix(strings.TrimSuffix(kind.Tag+" · "+e.Note, " · "), " · ")
	most := max(width*2/3, 12)
	if e.Warn { // it matters more than the whole name
		most = max(most, width-10)
	}
	if note = theme.Cut(note, most); note != "" {
		width -= theme.Width(note) + 2
	}
	address := theme.Cut(t.Title(e.Address), width)
	if note == "" {
		return chip(look, lead+style.Paint(address))
	}
	return chip(look, lead+style.Paint(address)) + theme.Blank(width-theme.Width(address)+1) + look.Warn.If(e.Warn, look.Faint).Paint(note)
}
