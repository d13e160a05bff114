package form

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/ui/theme"
)

// Fold is a line that shows and hides the fields behind it. Fields that have a
// problem belong in view whether it is open or not: their Show asks Open.
type Fold struct {
	Core
	// Closed says what is behind it while it is closed.
	Closed string
	open   bool
}

// NewFold makes a closed fold.
func NewFold(name, label string) *Fold { return &Fold{Core: Core{Name: name, Label: label}} }

// Open reports whether what is behind it shows.
func (f *Fold) Open() bool { return f.open }

// SetOpen opens or closes it.
func (f *Fold) SetOpen(open bool) {
	if open != f.open {
		f.open = open
		f.Edited() // what applies has changed
	}
}

// SetClosed sets what is said while it is closed.
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

// fit sets what depends on the size and on what the form shows: the cells of the
// prompts, the scroll position, the place of an open list. Everything that
// changes the form ends with it, so that drawing changes nothing.
func (f *Form) fit() {
	f.tall = max(f.tall, f.promptLines())
	f.fitPrompts()
	if tall := f.grown(); tall != f.tall {
		f.tall = tall
		f.fitPrompts()
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

// promptLines is how high a prompt is at least: a share of the form that does
// not depend on what else it shows, so that nothing jumps.
func (f *Form) promptLines() int {
	return min(max(f.height*3/10, f.height-24, 3), 28)
}

func (f *Form) fitPrompts() {
	for _, row := range f.rows {
		if p, ok := row[0].(*Prompt); ok && p.Lines > 0 {
			p.resize(f.width, p.Lines)
		} else if ok {
			p.resize(f.width, f.tall)
		}
	}
}

// grown is how high the prompt should be: a long text gets the lines that
// nothing else needs, and a short one gives up blank lines before the form
// scrolls.
func (f *Form) grown() int {
	least := f.promptLines()
	for _, row := range f.rows {
		p, ok := row[0].(*Prompt)
		if !ok || p.hidden || p.Lines > 0 {
			continue
		}
		text, rest := p.wrap.Len(), f.height-(f.Height()-p.height)
		least = min(least, max(rest, text+1, 2))
		return min(max(text, least), max(rest, least))
	}
	return least
}

// follow scrolls so that the focused field is in view, its cursor above all.
func (f *Form) follow() {
	p := f.page()
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
	f.scroll = min(max(f.scroll, 0), max(len(p.lines)-f.height, 0))
}
