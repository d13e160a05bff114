// Package form is a form in a terminal: fields in groups, problems next to
// their fields, one real cursor. Choices, rules and looks are handed to it.
package form

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Problem is a finding about one field, in words that say how to put it right.
type Problem struct {
	Field string
	Text  string
	Short string // for where there is one line; "" without one
	// Early problems show at once, late ones when sending was tried, others when the field
	// was left as well.
	Early, Late bool
}

// Look is how a form is drawn and speaks. A changed look is a new Look.
type Look struct {
	Theme *theme.Theme
	Say   func(format string, args ...any) string
	// column is how wide the labels are, for a list, whose entries have their own.
	column int
}

// Field is one thing to fill in.
type Field interface {
	core() *Core
	key(k tea.KeyPressMsg) bool
	paste(s string) bool
	// click takes a press in the cells of the drawing.
	click(at pointer)
	// draw draws the value in width cells; one line but for prompts and lists.
	draw(l *Look, width int, focus bool) drawing
	// text reports whether the field takes typed text now.
	text() bool
}

// chip is a value on the ground of elements, with a blank at both ends.
func (l *Look) chip(value string) string { return " " + l.Theme.Element.Lay(" "+value+" ") }

// pointer is a press on a field, in the cells of its own drawing.
type pointer struct {
	x, y    int
	width   int  // of the drawing
	column  int  // of the labels
	focused bool // the field had the focus before
}

// drawing is a field's lines, and the place of the real cursor.
type drawing struct {
	lines     []string
	x, y      int
	cursor    bool
	left, top int // where it begins within a drawing with its label
	width     int // that the field had for it
}

// Core is the part that all fields have. Call Touch after a change of it.
type Core struct {
	Name  string // as problems name it
	Label string // in the language of the interface
	Note  string // a remark right of the value
	// Several, when set, stands in place of the value while the field has no
	// focus, and next to it while it has: the field stands for several values.
	Several string
	// Show reports whether the field applies now; nil is always.
	Show func() bool

	left    bool // it had the focus once and lost it
	begun   bool // its text was edited since it has the focus
	hidden  bool
	history *history // of its edits; nil: they are not undone
	version int64    // grows with every change of the drawing
	edits   int64    // grows with every change of the value
	drawn   widget.Memo[blockKey, *drawing]
}

func (c *Core) core() *Core { return c }

// Touch says that something about the field has changed.
func (c *Core) Touch() { c.version++ }

// Edited says that the value has changed, or what belongs to it.
func (c *Core) Edited() {
	c.version++
	c.edits++
}

func (c *Core) set(to *string, s string) {
	if s != *to {
		*to = s
		c.version++
	}
}

func (c *Core) SetNote(s string) { c.set(&c.Note, s) }

func (c *Core) SetSeveral(s string) { c.set(&c.Several, s) }

func (c *Core) SetLabel(s string) { c.set(&c.Label, s) }

// Bounds of what comes into a field: far more than any request has.
const (
	maxPaste   = 1 << 20   // bytes at once
	maxText    = 128 << 10 // characters
	maxEntries = 100
)

// cut returns the first n characters of a text.
func cut(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

func fill(s string, w int) string { return s + theme.Blank(w-theme.Width(s)) }

// Fold is a line that shows and hides the fields behind it: their Show asks Open.
type Fold struct {
	Core
	// Closed describes the hidden fields while it is closed.
	Closed string
	open   bool
}

func NewFold(name, label string) *Fold { return &Fold{Core: Core{Name: name, Label: label}} }

func (f *Fold) Open() bool { return f.open }

func (f *Fold) SetOpen(open bool) {
	if open != f.open {
		f.open = open
		f.Edited() // other fields apply now
	}
}

func (f *Fold) SetClosed(s string) { f.set(&f.Closed, s) }

func (f *Fold) text() bool        { return false }
func (f *Fold) paste(string) bool { return false }
func (f *Fold) click(pointer)     { f.SetOpen(!f.open) }

func (f *Fold) key(k tea.KeyPressMsg) bool {
	switch k.String() {
	case "enter", "space", "right", "left", "l", "h":
		f.SetOpen(!f.open)
		return true
	}
	return false
}

func (f *Fold) draw(l *Look, width int, focus bool) drawing {
	style, sign, text := l.Theme.Muted, "▾ ", f.Closed
	if focus {
		style = l.Theme.Strong
	}
	if f.open {
		sign, text = "▴ ", ""
	}
	return drawing{lines: []string{style.Paint(theme.Cut(sign+text, width))}}
}
