package form

import (
	"strconv"
	"strings"

	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

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
			b.WriteString("   ")
		}
		style.Write(&b, kind.heading()+" "+strconv.Itoa(n)+"/"+strconv.Itoa(kind.Max))
	}
	if room := width - theme.Width(b.String()) - theme.Width(t.Note); t.Note != "" && room > 2 {
		b.WriteString(theme.Blank(room) + l.Theme.Faint.Paint(t.Note))
	}
	return b.String()
}

// heading is the kind's name above all entries.
func (k *ListKind) heading() string {
	switch {
	case k.Name != "":
		return k.Name
	case k.ByHand:
		return k.Tag
	}
	return k.Label
}

// Name is the name of the n-th entry of a kind in the list.
func (t *List) Name(kind, n int) string {
	if name := t.Kinds[kind].Name; name != "" {
		return name
	}
	p := t.EntryName(kind, n)
	return p.Label + strconv.Itoa(p.Number)
}

// lead is how many cells stand before an address: the cursor's sign and the
// widest name, or as much as before the values of other fields.
func (t *List) lead(column int) int {
	w := max(column+gutter-3, 6)
	for k := range t.Kinds {
		if t.Shown(k) {
			w = max(w, theme.Width(t.Kinds[k].Name))
		}
	}
	return w + 3
}

func (t *List) draw(l *Look, width int, focus bool) drawing {
	var d drawing
	used := t.lead(l.column)
	line := func(on bool, style theme.Style, name string) string {
		if !on {
			return style.Paint("  " + fill(name, used-2))
		}
		d.y = len(d.lines)
		return l.Theme.Accent.Paint("▸ " + fill(name, used-2))
	}
	for k := range t.Kinds {
		if !t.Shown(k) {
			continue
		}
		for n, i := range t.of(k) {
			on := focus && i == t.at
			lead := line(on, l.Theme.Muted, t.Name(k, n))
			if i == t.edit {
				s, x := drawText(l, &t.line, "", width-used, true)
				d.x, d.cursor = used+x, focus
				d.lines = append(d.lines, lead+s)
				continue
			}
			d.lines = append(d.lines, lead+t.entryLine(l, t.entries[i], width-used, on))
		}
	}
	// The last line takes new ones.
	on, text := focus && t.atNew(), &t.line
	if t.edit >= 0 { // the typed text stands at its entry
		text = &widget.Line{}
	}
	s, x := drawText(l, text, l.Say("add an address, or paste one a line"), width-used, on)
	lead := line(on, l.Theme.Faint, "+")
	if on {
		d.x, d.cursor = used+x, true
	}
	d.lines = append(d.lines, lead+s)
	return d
}

func (t *List) entryLine(l *Look, e Entry, width int, on bool) string {
	style, noteStyle := l.Theme.Text, l.Theme.Faint
	if on {
		style = l.Theme.Strong
	}
	switch e.Tone {
	case ToneWarn:
		noteStyle = l.Theme.Warn
	case ToneBad:
		noteStyle = l.Theme.Bad
	}
	kind, lead := &t.Kinds[e.Kind], ""
	if t.Picture != nil {
		lead = t.Picture(e.Address)
	}
	if lead != "" {
		lead += " "
		width -= theme.Width(lead)
	} else if kind.Sign != "" {
		lead = l.Theme.Muted.Paint(kind.Sign + " ")
		width -= theme.Width(kind.Sign) + 1
	}
	note := e.Note
	if kind.Tag != "" {
		note = strings.TrimSuffix(kind.Tag+" · "+note, " · ")
	}
	note = theme.Cut(note, max(width*3/5, 12))
	room := width
	if note != "" {
		room -= theme.Width(note) + 2
	}
	address := theme.CutLeft(e.Address, room)
	if t.Title != nil {
		address = theme.Cut(t.Title(e.Address), room)
	}
	if note == "" {
		return lead + style.Paint(address)
	}
	return lead + style.Paint(fill(address, room)) + "  " + noteStyle.Paint(note)
}
