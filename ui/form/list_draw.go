package form

import (
	"strconv"
	"strings"

	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

func (t *List) heading(l *Look, width int, focus bool) string {
	var b strings.Builder
	for k, kind := range t.Kinds {
		n := t.count(k)
		ink := l.Theme.Muted
		if n > kind.Max {
			ink = l.Theme.Bad
		}
		if k > 0 {
			b.WriteString("   ")
		}
		ink.Write(&b, kind.Label+" "+strconv.Itoa(n)+"/"+strconv.Itoa(kind.Max))
	}
	return b.String()
}

// entryLead is how many cells stand before an address.
const entryLead = 9

func (t *List) draw(l *Look, width int, focus bool) drawing {
	d := drawing{}
	for i, e := range t.entries {
		on := focus && i == t.at
		name := t.Kinds[e.Kind].Label + strconv.Itoa(t.Kinds[e.Kind].First+t.number(i)+1)
		lead := l.Theme.Muted.Paint("  " + fill(name, 6) + " ")
		if on {
			lead = l.Theme.Accent.Paint("▸ " + fill(name, 6) + " ")
		}
		used := entryLead
		if i == t.edit {
			s, x := drawText(l, &t.line, "", width-used, true)
			d.lines = append(d.lines, lead+s)
			d.x, d.y, d.cursor = used+x, i, focus
			continue
		}
		d.lines = append(d.lines, lead+t.entryLine(l, e, width-used, on))
		if on {
			d.y = i
		}
	}
	return t.drawNew(l, width, focus, d)
}

func (t *List) entryLine(l *Look, e Entry, width int, on bool) string {
	ink, noteInk := l.Theme.Text, l.Theme.Faint
	if on {
		ink = l.Theme.Strong
	}
	if e.Stray {
		noteInk = l.Theme.Warn
	}
	note := theme.Cut(e.Note, width/2)
	room := width
	if note != "" {
		room -= theme.Width(note) + 2
	}
	address := theme.CutLeft(e.Address, room)
	if note == "" {
		return ink.Paint(address)
	}
	return ink.Paint(fill(address, room)) + "  " + noteInk.Paint(note)
}

func (t *List) drawNew(l *Look, width int, focus bool, d drawing) drawing {
	on := focus && t.atNew()
	line, empty := &t.line, l.Say("add an address, or paste one a line")
	if t.edit >= 0 { // the line stands at its entry
		line = &widget.Line{}
	}
	s, x := drawText(l, line, empty, width-entryLead, on)
	lead := l.Theme.Faint.Paint("  " + fill("+", entryLead-2))
	if on {
		lead = l.Theme.Accent.Paint("▸ " + fill("+", entryLead-2))
		d.x, d.y, d.cursor = entryLead+x, len(t.entries), true
	}
	d.lines = append(d.lines, lead+s)
	return d
}
