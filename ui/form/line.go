package form

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/theme"
)

// lineEditor is one line of text in a window that follows the cursor.
type lineEditor struct {
	b    buffer
	from int // first visible glyph
}

func newLineEditor() lineEditor { return lineEditor{b: newBuffer(false)} }

// key takes a key and reports whether it was used and whether the text changed.
func (e *lineEditor) key(k tea.KeyPressMsg, allow func(rune) bool) (used, changed bool) {
	key, before := k.String(), e.b.version
	switch key {
	case "home":
		key = "ctrl+home"
	case "end":
		key = "ctrl+end"
	case "shift+home":
		key = "ctrl+shift+home"
	case "shift+end":
		key = "ctrl+shift+end"
	}
	if typed(k) && allow != nil && strings.IndexFunc(k.Text, func(r rune) bool { return !allow(r) }) >= 0 {
		return true, false
	}
	used = e.b.motion(key) || e.b.change(k, key, nil)
	return used, e.b.version != before
}

// place puts the cursor at a cell.
func (e *lineEditor) place(x int) {
	i := e.from
	for x >= 0 && i < len(e.b.glyphs) {
		if x -= int(e.b.glyphs[i].cells); x < 0 {
			break
		}
		i++
	}
	e.b.move(i, false)
}

// draw draws at most width cells, the cursor's included, and tells its column.
func (e *lineEditor) draw(l *Look, width int, focus bool) (string, int) {
	gs := e.b.glyphs
	room := max(width-1, 1)
	if !focus {
		return theme.Cut(e.b.String(), width), 0
	}
	e.from = min(e.from, e.b.at)
	for cellsOf(gs[e.from:e.b.at]) > room {
		e.from++
	}
	for e.from > 0 && cellsOf(gs[e.from-1:]) <= room {
		e.from--
	}
	to, cells := e.from, 0
	for to < len(gs) && cells+int(gs[to].cells) <= room {
		cells += int(gs[to].cells)
		to++
	}
	a, z := e.b.selection()
	a, z = min(max(a, e.from), to), min(max(z, e.from), to)
	var b strings.Builder
	l.Theme.Text.Write(&b, join(gs[e.from:a]))
	l.Theme.Selected.Strong.Write(&b, join(gs[a:z]))
	l.Theme.Text.Write(&b, join(gs[z:to]))
	return b.String(), cellsOf(gs[e.from:e.b.at])
}

// Text is a field of one line.
type Text struct {
	Core
	// Empty is shown, dimmed, while there is no text.
	Empty string
	// Allow, when set, says which characters may be typed.
	Allow func(rune) bool
	e     lineEditor
}

// NewText makes an empty text field.
func NewText(name, label string) *Text {
	return &Text{Core: Core{Name: name, Label: label}, e: newLineEditor()}
}

// NewNumber makes a field for a whole number; what cannot be part of one
// cannot be typed.
func NewNumber(name, label string) *Text {
	t := NewText(name, label)
	t.Allow = func(r rune) bool { return r >= '0' && r <= '9' || r == '-' }
	return t
}

// Value is the text without blanks around it.
func (t *Text) Value() string { return strings.TrimSpace(t.e.b.String()) }

// SetValue replaces the text.
func (t *Text) SetValue(s string) {
	if s != t.e.b.String() {
		t.e.b.reset(s)
		t.e.from = 0
		t.edited()
	}
}

func (t *Text) text() bool { return true }

func (t *Text) key(k tea.KeyPressMsg) bool {
	used, changed := t.e.key(k, t.Allow)
	if changed {
		t.edited()
	} else if used {
		t.Touch()
	}
	return used
}

func (t *Text) paste(s string) bool {
	s = strings.TrimSpace(s)
	if t.Allow != nil {
		s = strings.Map(func(r rune) rune {
			if t.Allow(r) {
				return r
			}
			return -1
		}, s)
	}
	t.e.b.insert(s, deedNone)
	t.edited()
	return true
}

func (t *Text) click(x, y int) {
	t.e.place(x)
	t.Touch()
}

func (t *Text) draw(l *Look, width int, focus bool) drawing {
	s, x := t.e.draw(l, width, focus)
	if len(t.e.b.glyphs) == 0 {
		s, x = l.Theme.Faint.Paint(theme.Cut(t.Empty, width)), 0
	}
	return drawing{lines: []string{s}, x: x, cursor: focus}
}
