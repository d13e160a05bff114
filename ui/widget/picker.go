package widget

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/ui/action"
	"darkroom/ui/msg"
)

// Picker is a list of rows of which one is selected, and the window of rows that
// is shown. It knows the rows by their numbers alone: what they hold and how
// they look belongs to its owner. The zero Picker is empty.
//
// Its owner calls SetRows when the rows change and SetWindow when the size
// does, puts Actions into its table, and hands messages to Update.
type Picker struct {
	rows, at  int
	top       int // the first row in the window
	y, height int // where the window lies in its box, and how high it is
}

// SetRows says that there are other rows now, n of them. The first one is
// selected.
func (p *Picker) SetRows(n int) {
	p.rows, p.at, p.top = max(n, 0), 0, 0
}

// KeepRows says how many rows there are now; the selected one stays.
func (p *Picker) KeepRows(n int) {
	p.rows = max(n, 0)
	p.Select(p.at)
}

// Rows is how many rows there are.
func (p *Picker) Rows() int { return p.rows }

// SetWindow says where the window begins in its box and how high it is.
func (p *Picker) SetWindow(y, height int) {
	p.y, p.height = y, max(height, 1)
	p.show()
}

// Selected is the number of the selected row; false when there is none.
func (p *Picker) Selected() (int, bool) { return p.at, p.at < p.rows }

// Select selects a row, brings it into the window, and reports whether it is
// another one.
func (p *Picker) Select(row int) (moved bool) {
	before := p.at
	p.at = max(min(row, p.rows-1), 0)
	p.show()
	return p.at != before
}

// Move selects the row that lies so many further on.
func (p *Picker) Move(by int) (moved bool) { return p.Select(p.at + by) }

// Scroll moves the window alone.
func (p *Picker) Scroll(by int) { p.top = max(min(p.top+by, p.rows-p.height), 0) }

// show moves the window as little as it takes to hold the selected row, and so
// that it has no blank rows while there are others.
func (p *Picker) show() {
	p.top = max(min(p.top, p.at), p.at-p.height+1)
	p.top = max(min(p.top, p.rows-p.height), 0)
}

// Below is how many rows lie below the window.
func (p *Picker) Below() int { return max(p.rows-p.top-p.height, 0) }

// RowAt is the row on line y of the box; false when there is none.
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

// Update takes the mouse. It reports whether a row was clicked, which is
// selected then.
func (p *Picker) Update(message tea.Msg) (clicked bool) {
	switch m := message.(type) {
	case msg.WheelMsg:
		p.Move(m.By)
	case msg.ClickMsg:
		row, ok := p.RowAt(m.Y)
		if ok {
			p.Select(row)
		}
		return ok
	}
	return false
}

// Actions are the keys that move the selection. While something is typed they
// are those that a line of text does not take.
func (p *Picker) Actions(typing bool) []action.Action {
	by := func(rows int) func() tea.Cmd {
		return func() tea.Cmd { p.Move(rows); return nil }
	}
	page := func(pages int) func() tea.Cmd {
		return func() tea.Cmd { p.Move(pages * p.height); return nil }
	}
	table := []action.Action{
		{Name: "previous", Keys: []string{"up", "ctrl+p"}, Label: "previous", Hidden: true, Handler: by(-1)},
		{Name: "next", Keys: []string{"down", "ctrl+n"}, Label: "next", Hidden: true, Handler: by(1)},
		{Name: "previous_page", Keys: []string{"pgup"}, Label: "previous page", Hidden: true, Handler: page(-1)},
		{Name: "next_page", Keys: []string{"pgdown"}, Label: "next page", Hidden: true, Handler: page(1)},
	}
	if typing {
		return table
	}
	table[0].Keys, table[1].Keys = append(table[0].Keys, "k"), append(table[1].Keys, "j")
	return append(table,
		action.Action{Name: "first", Keys: []string{"home", "g"}, Label: "first", Hidden: true, Handler: by(-1 << 20)},
		action.Action{Name: "last", Keys: []string{"end", "G", "shift+g"}, Label: "last", Hidden: true, Handler: by(1 << 20)},
	)
}
