package form

import (
	"cmp"
	"strconv"
	"strings"

	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// roomyHeading is the width from which kinds are counted in words, not by their signs.
const roomyHeading = 36

func (t *List) heading(l *Look, width int) string {
	var b strings.Builder
	for k, kind := range t.Kinds {
		n := len(t.of(k))
		if !t.Shown(k) || kind.ByHand && n == 0 {
			continue
		}
		style := l.Theme.Muted
		if n > kind.Max {
			style = l.Theme.Bad
		}
		if b.Len() > 0 {
			b.WriteString(l.Theme.Faint.Paint(" · "))
		}
		name := cmp.Or(kind.Name, kind.Count, kind.Tag, kind.Label)
		if width < roomyHeading && kind.Count != "" {
			name = kind.Sign
		}
		style.Write(&b, name+" "+strconv.Itoa(n)+"/"+strconv.Itoa(kind.Max))
	}
	if t.Note != "" && width-theme.Width(b.String())-theme.Width(t.Note) > 2 {
		b.WriteString("   " + l.Theme.Faint.Paint(t.Note))
	}
	return b.String()
}

func (t *List) Name(kind, n int) string {
	if name := t.Kinds[kind].Name; name != "" {
		return name
	}
	p := t.EntryName(kind, n)
	return p.Label + strconv.Itoa(p.Number)
}

// lead is how many cells stand before an address.
func (t *List) lead(column int) int {
	w := max(column+gutter-1, 6)
	for k := range t.Kinds {
		if t.Shown(k) {
			w = max(w, theme.Width(t.Kinds[k].Name))
		}
	}
	return w + 3
}

// draw writes a head for each kind that counts its rows, the rows, and the one for a new
// address.
func (t *List) draw(l *Look, width int, focus bool) drawing {
	var d drawing
	used := t.lead(l.column)
	add := func(on bool, style theme.Style, name, line string) {
		mark := "  "
		if on {
			d.y, mark, style = len(d.lines), "▸ ", l.Theme.Accent
		}
		d.lines = append(d.lines, style.Paint(mark+fill(name, used-4))+line)
	}
	typed := func(line *widget.Line, empty string, on bool) string {
		s, x := drawText(l, line, empty, width-used-2, on)
		if on {
			d.x, d.cursor = used+x, focus
		}
		return l.chip(fill(s, x+1))
	}
	for k := range t.Kinds {
		for n, i := range t.of(k) {
			on, name := focus && i == t.at, t.Name(k, n)
			switch {
			case !t.Shown(k):
			case i == t.edit:
				add(on, l.Theme.Muted, name, typed(&t.line, "", true))
			default:
				add(on, l.Theme.Muted, name, t.entryLine(l, t.entries[i], width-used-1, on))
			}
		}
	}
	// The last line takes new ones.
	on, text := focus && t.atNew(), &t.line
	if t.edit >= 0 { // the typed text stands at its entry
		text = &widget.Line{}
	}
	add(on, l.Theme.Faint, "+", typed(text, l.Say("add a URL, or paste several"), on))
	return d
}

func (t *List) entryLine(l *Look, e Entry, width int, on bool) string {
	style := l.Theme.Text
	if on {
		style = l.Theme.Strong
	}
	kind, lead := &t.Kinds[e.Kind], ""
	if t.Picture != nil {
		lead = t.Picture(e.Address)
	}
	if lead == "" && kind.Sign != "" {
		lead = l.Theme.Muted.Paint(kind.Sign)
	}
	if lead != "" {
		lead += " "
		width -= theme.Width(lead)
	}
	note := e.Note
	if kind.Tag != "" {
		note = strings.TrimSuffix(kind.Tag+" · "+note, " · ")
	}
	if note = theme.Cut(note, max(width*2/3, 12)); note != "" {
		width -= theme.Width(note) + 2
	}
	address := theme.CutLeft(e.Address, width)
	if t.Title != nil {
		address = theme.Cut(t.Title(e.Address), width)
	}
	if note == "" {
		return l.chip(lead + style.Paint(address))
	}
	ink := l.Theme.Faint
	if e.Warn {
		ink = l.Theme.Warn
	}
	return l.chip(lead+style.Paint(address)) + theme.Blank(width-theme.Width(address)+1) + ink.Paint(note)
}
