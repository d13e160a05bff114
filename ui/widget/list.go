package widget

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
)

// Picker is a list of rows of which one is selected, and the window of rows that
// is shown. It knows the rows by their numbers alone. The zero Picker is empty.
//
// Its owner calls SetRows when the rows change and SetWindow when the size
// does, puts Actions into its table, and hands messages to Update.
type Picker struct {
	rows, at  int
	top       int // the first row in the window
	y, height int // where the window lies in its box, and how high it is
}

// SetRows says that there are n other rows now; the first one is selected.
func (p *Picker) SetRows(n int) { p.rows, p.at, p.top = n, 0, 0 }

func (p *Picker) KeepRows(n int) {
	p.rows = n
	p.Select(p.at)
}

func (p *Picker) Rows() int { return p.rows }

func (p *Picker) SetWindow(y, height int) {
	p.y, p.height = y, max(height, 1)
	p.show()
}

func (p *Picker) Selected() (int, bool) { return p.at, p.at < p.rows }

// Select brings a row into the window, and reports whether it is another one.
func (p *Picker) Select(row int) (moved bool) {
	before := p.at
	p.at = max(min(row, p.rows-1), 0)
	p.show()
	return p.at != before
}

func (p *Picker) Move(by int) (moved bool) { return p.Select(p.at + by) }
func (p *Picker) Scroll(by int)            { p.top = max(min(p.top+by, p.rows-p.height), 0) }

// show moves the window to the selected row, without blank rows.
func (p *Picker) show() {
	p.top = max(min(p.top, p.at), p.at-p.height+1)
	p.top = max(min(p.top, p.rows-p.height), 0)
}

func (p *Picker) Below() int { return max(p.rows-p.top-p.height, 0) }

func (p *Picker) RowAt(y int) (int, bool) {
	row := p.top + y - p.y
	return row, y >= p.y && y < p.y+p.height && row < p.rows
}

// Lines draws the rows in the window; lines without a row are empty.
func (p *Picker) Lines(draw func(row int, selected bool) string) []string {
	lines := make([]string, p.height)
	for i := range lines {
		if row := p.top + i; row < p.rows {
			lines[i] = draw(row, row == p.at)
		}
	}
	return lines
}

// Update takes the mouse, and reports whether a row was clicked and so selected.
func (p *Picker) Update(message tea.Msg) (clicked bool) {
	switch m := message.(type) {
	case msg.WheelMsg:
		p.Move(m.By)
	case msg.ClickMsg:
		var row int
		if row, clicked = p.RowAt(m.Y); clicked {
			p.Select(row)
		}
	}
	return clicked
}

// Actions are the keys that move the selection. While something is typed they
// are those that a line of text does not take.
func (p *Picker) Actions(typing bool) []action.Action {
	by := func(rows int) func() tea.Cmd { return func() tea.Cmd { p.Move(rows); return nil } }
	page := func(pages int) func() tea.Cmd { return func() tea.Cmd { p.Move(pages * p.height); return nil } }
	var up, down action.Keys = "up ctrl+p", "down ctrl+n"
	if !typing {
		up, down = up+" k", down+" j"
	}
	table := []action.Action{
		Moving("previous", "↑/↓", "choose", by(-1), up),
		Moving("next", "", "next", by(1), down),
		Moving("previous_page", "pgup/pgdown", "page", page(-1), "pgup"),
		Moving("next_page", "", "next page", page(1), "pgdown"),
	}
	if typing {
		return table
	}
	return append(table,
		Moving("first", "home/end", "first or last", by(-1<<20), "home g"),
		Moving("last", "", "last", by(1<<20), "end G shift+g"),
	)
}

// Moving is an action that everybody tries, and that the footer leaves out.
func Moving(name, display, label string, do func() tea.Cmd, keys action.Keys) action.Action {
	return action.Action{Name: name, Keys: keys, Display: display, Label: label, Hidden: true, Handler: do}
}

// Finder is a line of text that narrows the list below it, for overlays to embed.
type Finder struct {
	Line   Line
	List   Picker
	Room   func() int     // how many cells the line may take
	Typed  func() tea.Cmd // follows when the text is another one
	Choose func() tea.Cmd // follows when a row is clicked
	Table  []action.Action
}

const FinderTop = 5

func (f *Finder) Actions() []action.Action { return f.Table }
func (f *Finder) Typing() bool             { return true }
func (f *Finder) Restyle()                 {}

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

func (f *Finder) Cursor() *tea.Cursor { return f.Line.Cursor(4, 3, f.Room()) }

// Well is one line of text on the ground of what is written into, w cells wide.
func Well(t *theme.Theme, text string, w int) string {
	return t.Element.Lay(t.Accent.Paint("›") + " " + theme.Fit(text, w-2))
}

// Head is the text, or a hint while there is none, above a rule.
func (f *Finder) Head(t *theme.Theme, hint string) []string {
	text := f.Line.Window(f.Room())
	if f.Line.Empty() {
		text = t.Faint.Paint(theme.Cut(hint, f.Room()))
	}
	return []string{"", "", Well(t, text, f.Room()+2), Divide("")}
}

const filterPause = 60 * time.Millisecond

// Filter is the line of text that narrows a list, in the border of its pane. A
// FilterDueMsg comes once the typing pauses.
type Filter struct {
	Line    Line
	editing bool
	seq     int // of the last change of the text
}

type FilterDueMsg struct {
	of  *Filter
	seq int
}

func (f *Filter) Text() string  { return f.Line.Text() }
func (f *Filter) Editing() bool { return f.editing }
func (f *Filter) Start()        { f.editing = true }
func (f *Filter) Stop()         { f.editing = false }

// Reset empties and stops the filter. A FilterDueMsg that is to come is void.
func (f *Filter) Reset() {
	f.Line.Set("")
	f.seq++
	f.Stop()
}

// Clear is Reset for a person: the list is due.
func (f *Filter) Clear(ctx context.Context) tea.Cmd {
	f.Reset()
	return f.changed(ctx)
}

func (f *Filter) Edit(ctx context.Context, key tea.KeyPressMsg) (tea.Cmd, bool) {
	switch key.String() {
	case "enter", "down", "up":
		f.Stop()
		return nil, true
	case "esc":
		return f.Clear(ctx), true
	}
	before := f.Text()
	used := f.Line.Edit(key)
	if f.Text() == before {
		return nil, used
	}
	return f.changed(ctx), true
}

func (f *Filter) Paste(ctx context.Context, text string) tea.Cmd {
	f.Line.Insert(text)
	return f.changed(ctx)
}

func (f *Filter) changed(ctx context.Context) tea.Cmd {
	f.seq++
	return env.Later(ctx, filterPause, FilterDueMsg{f, f.seq})
}

func (f *Filter) Due(m FilterDueMsg) bool { return m == FilterDueMsg{f, f.seq} }

func (f *Filter) Title(w int, title string) string {
	if !f.editing && f.Line.Empty() {
		return title
	}
	return "/ " + f.Line.Window(filterRoom(w))
}

// Cursor is the cell of the cursor in a pane of w cells, or nil.
func (f *Filter) Cursor(w int) *tea.Cursor {
	if !f.editing {
		return nil
	}
	const textAt = 5 // after "╭─ / "
	return f.Line.Cursor(textAt, 0, filterRoom(w))
}

func filterRoom(w int) int { return max(w-24, 10) }
