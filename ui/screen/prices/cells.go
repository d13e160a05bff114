package prices

import (
	"strings"

	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// cell is a price in a table. What there is no room for is left out.
type cell struct {
	figure string      // or what stands for it
	priced bool        // it is a price: the ground is its heat
	dim    bool        // an old price, or one of a refused duration
	heat   float64     // from 0, the cheapest of the table, to 1
	second string      // the price by the other measure
	change string      // how it differs from the chosen one
	word   string      // a sign and a word about it: "• cheapest"
	style  theme.Style // of the word
}

// table is prices by the names of rows and columns, as a map of their heat.
type table struct {
	unit       string
	rows, cols []string // the names, clean
	cells      []cell   // row by row
	row, col   int      // the chosen cell
	focus      bool     // that has the keys
	tall       bool     // a price takes two lines where there is room
	least      int      // columns that a price takes, or more for its figure
	most       int
}

// frame is how a table fits into a pane.
type frame struct {
	name, cell int // widths
	row, col   int // the first in view
	rows, cols int // how many are in view
	pitch      int // lines of a row, 3 of which the last is blank
}

func (b *table) frame(w, h int) frame {
	n := len(b.rows)
	f := frame{name: theme.Width(b.unit) + 1, pitch: 1}
	for _, name := range b.rows {
		f.name = max(f.name, theme.Width(name)+2)
	}
	f.name = min(f.name, w/3)
	least := b.least
	for i := range b.cells {
		least = max(least, theme.Width(b.cells[i].figure)+3)
	}
	f.cols = max(min(len(b.cols), (w-f.name)/least), 1)
	f.cell = min((w-f.name)/f.cols, max(b.most, least))
	switch {
	case b.tall && 3*n <= h:
		f.pitch = 3
	case b.tall && 2*n < h:
		f.pitch = 2
	}
	f.rows = max(min(n, h/f.pitch), 1)
	if f.pitch == 1 {
		f.rows = max(min(n, h-1), 1)
	}
	f.row, f.col = max(b.row-f.rows+1, 0), max(b.col-f.cols+1, 0)
	return f
}

// cellAt is the cell at a position in the table's own cells; the heading is line 0.
func (f frame) cellAt(x, y int) (row, col int, ok bool) {
	row, col = (y-1)/f.pitch, (x-f.name)/f.cell
	return f.row + row, f.col + col, x >= f.name && y > 0 && row < f.rows && col < f.cols
}

// lines draws the part of the table in view.
func (b *table) lines(t *theme.Theme, f frame) []string {
	if len(b.cells) == 0 {
		return nil
	}
	end := min(f.col+f.cols, len(b.cols))
	head := t.Muted.Paint(theme.Fit(b.unit, f.name))
	for _, name := range b.cols[f.col:end] {
		head += t.Muted.Paint(widget.AlignRight(theme.Cut(name, f.cell-3), f.cell-2)) + "  "
	}
	lines := []string{head}
	for row := f.row; row < min(f.row+f.rows, len(b.rows)); row++ {
		style := t.Text
		if row == b.row {
			style = t.Strong
		}
		upper, lower := style.Paint(theme.Fit(theme.Cut(b.rows[row], f.name-1), f.name)), theme.Blank(f.name)
		for col := f.col; col < end; col++ {
			first, second := b.cell(t, row, col, f)
			upper, lower = upper+first+" ", lower+second+" "
		}
		lines = append(lines, append([]string{upper, lower, ""}[:min(f.pitch, 2)], make([]string, max(f.pitch-2, 0))...)...)
	}
	if f.pitch == 3 {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// cell draws a price on the ground of its heat. The chosen one has a mark, and the
// ground of what is selected while it has the keys. On a hot ground all is text.
func (b *table) cell(t *theme.Theme, row, col int, f frame) (upper, lower string) {
	c, in, mark, ground := b.cells[row*len(b.cols)+col], t.Styles, " ", theme.Ground{}
	chosen := row == b.row && col == b.col
	if chosen {
		mark = "▸"
	}
	switch {
	case chosen && b.focus:
		in = t.Selected
	case c.priced:
		ground = t.Heat(c.heat)
	}
	figure, quiet, word := in.Strong, in.Muted, c.style
	switch {
	case c.dim:
		figure = in.Muted
	case !c.priced:
		figure = in.Faint
	case c.heat > hot:
		quiet, word = in.Text, in.Text
	}
	if chosen && b.focus {
		word = in.Text
	}
	line := func(mark, left string, style theme.Style, right string, last theme.Style) string {
		room := f.cell - 3 - theme.Width(right)
		if theme.Width(left) >= room {
			left, _, _ = strings.Cut(left, " ") // the sign says it
		}
		left = theme.Cut(left, room)
		return ground.Lay(in.Accent.Paint(mark) + style.Paint(left) + in.Text.Paint(theme.Blank(room-theme.Width(left))) +
			last.Paint(right) + in.Text.Paint(" "))
	}
	if f.pitch > 1 {
		return line(mark, c.word, word, c.figure, figure), line(" ", c.second, quiet, c.change, quiet)
	}
	if room := f.cell - 4 - theme.Width(c.figure); theme.Width(c.change) >= room || c.change == "" {
		return line(mark, c.word, word, c.figure, figure), ""
	}
	sign, _, _ := strings.Cut(c.word, " ")
	gap := widget.AlignRight(c.change, min(f.cell-4-theme.Width(c.figure), changeWidth))
	first := f.cell - 3 - theme.Width(c.figure) - theme.Width(gap) - theme.Width(sign)
	return ground.Lay(in.Accent.Paint(mark) + word.Paint(sign) + in.Text.Paint(theme.Blank(first)) +
		figure.Paint(c.figure) + quiet.Paint(gap) + in.Text.Paint(" ")), ""
}

const (
	// hot is the heat from which quiet words cannot be read.
	hot = 0.4
	// changeWidth is what a difference takes behind a figure: " +575 +135 %".
	changeWidth = 14
)
