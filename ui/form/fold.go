package form

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/ui/theme"
)

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
