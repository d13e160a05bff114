package widget

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/ui/theme"
)

// Finder is what an overlay has in which a line of text narrows the list below
// it. Its owner embeds it, says what follows, and gives the list its rows.
type Finder struct {
	Line   Line
	List   Picker
	Room   func() int     // how many cells the line may take
	Typed  func() tea.Cmd // follows when the text is another one
	Choose func() tea.Cmd // follows when a row is clicked
}

// FinderTop is the line of the box on which the list begins.
const FinderTop = 3

func (f *Finder) Typing() bool { return true }
func (f *Finder) Restyle()     {}

func (f *Finder) Edit(key tea.KeyPressMsg) (tea.Cmd, bool) {
	before := f.Line.Text()
	used := f.Line.Edit(key)
	return f.typed(before), used
}

func (f *Finder) typed(before string) tea.Cmd {
	if f.Line.Text() == before {
		return nil
	}
	return f.Typed()
}

// Update takes a paste and the mouse.
func (f *Finder) Update(message tea.Msg) tea.Cmd {
	if m, ok := message.(tea.PasteMsg); ok {
		before := f.Line.Text()
		f.Line.Insert(m.Content)
		return f.typed(before)
	}
	if f.List.Update(message) {
		return f.Choose()
	}
	return nil
}

func (f *Finder) Cursor() *tea.Cursor {
	return tea.NewCursor(4+f.Line.Column()-f.Line.Offset(f.Room()), 1)
}

// Head is the first lines of the box: the text, or a hint in its place while there
// is none, above a rule.
func (f *Finder) Head(t *theme.Theme, hint string) []string {
	text := f.Line.Window(f.Room())
	if f.Line.Empty() {
		text = t.Faint.Paint(theme.Cut(hint, f.Room()))
	}
	return []string{t.Accent.Paint("›") + " " + theme.Fit(text, f.Room()), Divide("")}
}
