package form

import (
	"math"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// newLine is a line without a limit: an address that is cut is another address,
// and the rules say what is too long.
func newLine() widget.Line { return widget.Line{Limit: math.MaxInt} }

// write gives a key to a line. The first digit after the focus came by a key
// replaces a number.
func (c *Core) write(line *widget.Line, k tea.KeyPressMsg) (used, changed bool) {
	before := line.Text()
	if !c.begun && number(k.Text) && number(before) {
		line.Set("")
	}
	c.begun = true
	used = line.Edit(k)
	if used {
		c.version++
	}
	return used, line.Text() != before
}

func number(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// placeCursor puts a line's cursor where it was pressed, x cells into its
// drawing. The drawing of a line with the focus is a window around the cursor.
func placeCursor(line *widget.Line, x, width int, focused bool) {
	if focused {
		x += line.Offset(width)
	}
	line.Place(x)
}

// drawText draws a line's text in at most width cells, the cursor's included,
// and tells the cursor's column. empty stands for no text.
func drawText(l *Look, line *widget.Line, empty string, width int, focus bool) (string, int) {
	switch {
	case line.Empty():
		return l.Theme.Faint.Paint(theme.Cut(empty, width)), 0
	case !focus:
		return l.Theme.Text.Paint(theme.Cut(line.Text(), width)), 0
	}
	return l.Theme.Text.Paint(line.Window(width)), line.Column() - line.Offset(width)
}

// Text is a field of one line.
type Text struct {
	Core
	// Empty is shown, dimmed, while there is no text.
	Empty string
	// Allow, when set, says which characters may be typed.
	Allow func(rune) bool
	line  widget.Line
}

// NewText makes an empty text field.
func NewText(name, label string) *Text {
	return &Text{Core: Core{Name: name, Label: label}, line: newLine()}
}

// NewNumber makes a field for a whole number; what cannot be part of one
// cannot be typed.
func NewNumber(name, label string) *Text {
	t := NewText(name, label)
	t.Allow = func(r rune) bool { return r >= '0' && r <= '9' || r == '-' }
	return t
}

// Value is the text without blanks around it.
func (t *Text) Value() string { return strings.TrimSpace(t.line.Text()) }

// SetValue replaces the text.
func (t *Text) SetValue(s string) {
	if s != t.line.Text() {
		t.line.Set(s)
		t.Edited()
	}
}

func (t *Text) text() bool { return true }

func (t *Text) key(k tea.KeyPressMsg) bool {
	t.line.Allow = t.Allow
	used, changed := t.write(&t.line, k)
	if changed {
		t.Edited()
	}
	return used
}

func (t *Text) paste(s string) bool {
	t.line.Allow = t.Allow
	t.line.Insert(strings.TrimSpace(s))
	t.Edited()
	return true
}

func (t *Text) click(at pointer) {
	t.begun = true
	placeCursor(&t.line, at.x, at.width, at.focused)
	t.Touch()
}

func (t *Text) draw(l *Look, width int, focus bool) drawing {
	s, x := drawText(l, &t.line, t.Empty, width, focus)
	return drawing{lines: []string{s}, x: x, cursor: focus}
}
