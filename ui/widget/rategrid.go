package widget

import (
	"slices"
	"strings"

	"darkroom/api"
	"darkroom/ui/theme"
)

// RateCell is a price in a table. What there is no room for is left out.
type RateCell struct {
	Figure  string      // the price, or what stands for it
	Price   api.Credits // its place among the others gives the cell its ground
	Missing bool        // there is no price
	Dim     bool        // an old price, or one of a refused duration
	Second  string      // the price by the other measure
	Change  string      // how it differs from the chosen one
	Word    string      // a sign and a word about it: "↓ cheapest"
	Style   theme.Style // of the word
}

// RateGrid is a map of prices: tier by resolution, size by quality, or tier by duration.
type RateGrid struct {
	Unit       string
	Rows, Cols []string   // the names, clean
	Cells      []RateCell // row by row
	Row, Col   int        // the chosen cell; there is none when Row is -1
	Focus      bool       // that has the keys
	Tall       bool       // rows are set apart, if there is room
}

// RateFrame is how a grid fits into a pane.
type RateFrame struct {
	name, cell int // widths
	row, col   int // the first in view
	rows, cols int // how many are in view
	pitch      int // lines of a row: of two, the last is blank
}

func (g *RateGrid) Frame(w, h int) RateFrame {
	n, least, most, more := len(g.Rows), 0, 20, false
	f := RateFrame{name: theme.Width(g.Unit) + 1, pitch: 1, rows: max(min(n, h-1), 1)}
	for _, name := range g.Rows {
		f.name = max(f.name, theme.Width(name)+2)
	}
	f.name = min(f.name, w/3)
	for i := range g.Cells {
		least = max(least, theme.Width(g.Cells[i].Figure)+3)
		more = more || g.Cells[i].Second != "" || g.Cells[i].Change != ""
	}
	if g.Tall && more {
		least, most = max(least, 14), 64
	}
	f.cols = max(min(len(g.Cols), (w+1-f.name)/max(least, 1)), 1)
	f.cell = min((w+1-f.name)/f.cols, max(most, least)) // no gap behind the last one
	if rest := w + 1 - f.name - f.cols*f.cell; rest < f.cols {
		f.name += rest
	}
	if g.Tall && 2*n <= h {
		f.pitch = 2
	}
	f.row, f.col = max(g.Row-f.rows+1, 0), max(g.Col-f.cols+1, 0)
	return f
}

// CellAt is the cell at a position in the grid's own cells; the heading is line 0.
func (f RateFrame) CellAt(x, y int) (row, col int, ok bool) {
	row, col = (y-1)/f.pitch, (x-f.name)/f.cell
	return f.row + row, f.col + col, x >= f.name && y > 0 && row < f.rows && col < f.cols
}

// Steps are the different prices, from the lowest on.
func (g *RateGrid) Steps() (steps []api.Credits) {
	for i := range g.Cells {
		if at, found := slices.BinarySearch(steps, g.Cells[i].Price); !found && !g.Cells[i].Missing {
			steps = slices.Insert(steps, at, g.Cells[i].Price)
		}
	}
	return steps
}

// Lines draws the part of the grid in view. The cells are drawn as wide as their
// columns, so that the lines are joined as they are: see BenchmarkRateGrid.
func (g *RateGrid) Lines(t *theme.Theme, f RateFrame) []string {
	if len(g.Cells) == 0 {
		return nil
	}
	end := min(f.col+f.cols, len(g.Cols))
	head := t.Muted.Paint(theme.Fit(g.Unit, f.name))
	for _, name := range g.Cols[f.col:end] {
		head += t.Muted.Paint(AlignRight(theme.Cut(name, f.cell-3), f.cell-2)) + "  "
	}
	if head = head[:len(head)-1]; end < len(g.Cols) { // there are more
		head = head[:len(head)-1] + t.Muted.Paint("›")
	}
	lines := []string{head}
	steps := g.Steps()
	for row := f.row; row < min(f.row+f.rows, len(g.Rows)); row++ {
		style := t.Text
		if row == g.Row {
			style = t.Strong
		}
		line := style.Paint(theme.Fit(theme.Cut(g.Rows[row], f.name-1), f.name))
		for col := f.col; col < end; col++ {
			heat, _ := slices.BinarySearch(steps, g.Cells[row*len(g.Cols)+col].Price)
			line += g.cell(t, row, col, f, float64(heat)/float64(max(len(steps)-1, 1))) + " "
		}
		lines = append(lines, []string{line[:len(line)-1], ""}[:f.pitch]...)
	}
	return lines[:len(lines)-f.pitch/2]
}

// cell draws a price on the ground of its heat. The chosen one has a mark, and is filled
// while it has the keys. On a hot ground all is text.
func (g *RateGrid) cell(t *theme.Theme, row, col int, f RateFrame, heat float64) string {
	c, mark, ground := g.Cells[row*len(g.Cols)+col], " ", t.Heat(heat)
	figure, quiet, word, text, accent := t.Strong, t.Muted, c.Style, t.Text, t.Accent
	chosen := row == g.Row && col == g.Col
	if level := int(heat * 3); f.pitch > 1 && !t.Grounds() && !c.Missing {
		c.Second = "▁▃▅▇"[3*level:3*level+3] + " " + c.Second
	}
	if f.pitch > 1 && c.Word != "" {
		c.Word += "  " + c.Second
	} else if f.pitch > 1 {
		c.Word, word = c.Second, quiet
	}
	if chosen {
		mark = "▸" + theme.Blank(min(len(c.Word), 1))
	}
	if heat > hot {
		quiet, word = text, text
	}
	switch {
	case chosen && g.Focus:
		figure, quiet, word, text, accent = t.Button, t.Button, t.Button, t.Button, t.Button
	case c.Missing:
		figure, ground = t.Faint, theme.Ground{}
	case c.Dim:
		figure = t.Muted
	}
	price := figure.Paint(c.Figure)
	if c.Change != "" && theme.Width(c.Change) < f.cell-5-theme.Width(price) {
		price += quiet.Paint(AlignRight(" "+c.Change, len(" +100 %")))
	}
	room := f.cell - 2 - theme.Width(mark) - theme.Width(price)
	if theme.Width(c.Word) >= room {
		c.Word, _, _ = strings.Cut(c.Word, " ") // the sign says it
	}
	c.Word = theme.Cut(c.Word, room)
	return ground.Lay(accent.Paint(mark) + word.Paint(c.Word) + text.Paint(theme.Blank(room-theme.Width(c.Word))) +
		price + text.Paint(" "))
}

// hot is the heat from which quiet words cannot be read.
const hot = 0.4

// Signs of words about prices, for legends.
const (
	RateLowestSign  = "↓"
	RateDiffersSign = "!"
)
