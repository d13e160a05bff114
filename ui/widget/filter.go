package widget

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/env"
)

// filterPause is how long typing must pause before a list is filtered.
const filterPause = 60 * time.Millisecond

// Filter is the line of text that narrows a list. It stands in the upper
// border of the list's pane. After a change of the text a FilterDueMsg comes
// once the typing pauses.
type Filter struct {
	name    string // tells the filters of several screens apart
	line    Line
	editing bool
	seq     int // of the last change of the text
}

// FilterDueMsg says that the typing in a filter has paused.
type FilterDueMsg struct {
	name string
	seq  int
}

// NewFilter makes an empty filter. The name must be unique in the program.
func NewFilter(name string) Filter { return Filter{name: name} }

// Text is what is typed.
func (f *Filter) Text() string { return f.line.Text() }

// Editing reports whether the filter has the keys.
func (f *Filter) Editing() bool { return f.editing }

// Start gives the filter the keys.
func (f *Filter) Start() { f.editing = true }

// Stop takes the keys away; the text stays.
func (f *Filter) Stop() { f.editing = false }

// Reset empties the filter and takes the keys away. A FilterDueMsg that is
// still to come is void.
func (f *Filter) Reset() {
	f.line.Set("")
	f.seq++
	f.Stop()
}

// Clear is Reset for a person who empties the filter: the list is due.
func (f *Filter) Clear(ctx context.Context) tea.Cmd {
	f.Reset()
	return f.changed(ctx)
}

// Edit takes a key while the filter has the keys and reports whether it was
// one for it.
func (f *Filter) Edit(ctx context.Context, key tea.KeyPressMsg) (tea.Cmd, bool) {
	switch key.String() {
	case "enter", "down", "up":
		f.Stop()
		return nil, true
	case "esc":
		return f.Clear(ctx), true
	}
	before := f.Text()
	if !f.line.Edit(key) {
		return nil, false
	}
	if f.Text() == before {
		return nil, true
	}
	return f.changed(ctx), true
}

// Paste inserts text at the cursor.
func (f *Filter) Paste(ctx context.Context, text string) tea.Cmd {
	f.line.Insert(text)
	return f.changed(ctx)
}

func (f *Filter) changed(ctx context.Context) tea.Cmd {
	f.seq++
	return env.Later(ctx, filterPause, FilterDueMsg{f.name, f.seq})
}

// Due reports whether m is about the text as it is now.
func (f *Filter) Due(m FilterDueMsg) bool { return m.name == f.name && m.seq == f.seq }

// Title is the title of a pane of w cells: the filter while there is one, else
// title.
func (f *Filter) Title(w int, title string) string {
	if !f.editing && f.line.Empty() {
		return title
	}
	return "/ " + f.line.Window(filterRoom(w))
}

// Cursor is the cell of the cursor in a pane of w cells, or nil.
func (f *Filter) Cursor(w int) *tea.Cursor {
	if !f.editing {
		return nil
	}
	const textAt = 5 // after "╭─ / "
	return tea.NewCursor(textAt+f.line.Column()-f.line.Offset(filterRoom(w)), 0)
}

// filterRoom is how many cells of the border the filter may take.
func filterRoom(w int) int { return max(w-24, 10) }
