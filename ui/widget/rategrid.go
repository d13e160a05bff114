package widget

import (
	"cmp"
	"math"
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
	Amount  string      // by how much it differs from the chosen one
	Change  string      // the same in per cent
	Sign    string      // about it, also where there is no room for the word: "↓"
	Word    string      // behind the sign, or alone: "cheapest"
	Style   theme.Style // of both
}

// RateGrid is a map of prices: tier by resolution, size by quality, or tier by duration.
type RateGrid struct {
	Unit       string
	Rows, Cols []string   // the names, clean
	Cells      []RateCell // row by row
	Row, Col   int        // the chosen cell; there is none when Row is -1
	Focus      bool       // that has the keys
	Wide       bool       // cells may be wide, for more than the price
}

// RateFrame is how a grid fits into a pane.
type RateFrame struct {
	name, cell                     int // widths
	figure, second, amount, change int // those within a cell; 0: there is no room
	row, col                       int // the first in view
	rows, cols                     int // how many are in view
}

func (g *RateGrid) Frame(w, h int) RateFrame {
	n, most := len(g.Rows), 18
	f := RateFrame{name: theme.Width(g.Unit) + 1, rows: max(min(n, h-1), 1)}
	for _, name := range g.Rows {
		f.name = max(f.name, theme.Width(name)+2)
	}
	for i := range g.Cells {
		c := &g.Cells[i]
		f.figure, f.second = max(f.figure, theme.Width(c.Figure)), max(f.second, theme.Width(c.Second))
		f.amount, f.change = max(f.amount, theme.Width(c.Amount)), max(f.change, theme.Width(c.Change))
	}
	f.figure++
	least := f.figure + 2
	if g.Wide {
		if most = 48; f.second+f.change > 0 {
			least = max(least, 14)
		}
	}
	// A long name has a third, or is whole if the cells leave it the room.
	f.name = min(f.name, max(w/3, min(theme.Width(g.Unit)+1, w/2), min(f.name-1, w+1-len(g.Cols)*least)))
	f.cols = max(min(len(g.Cols), (w+1-f.name)/max(least, 1)), 1)
	f.cell = min((w+1-f.name)/f.cols, max(most, least)) // no gap behind the last one
	if rest := w + 1 - f.name - f.cols*f.cell; rest < f.cols {
		f.name += rest
	}
	room := f.cell - f.figure - 4 // beside the price, the mark and a sign
	for _, part := range [...]*int{&f.change, &f.second, &f.amount} {
		if *part += 2; *part == 2 || *part > room {
			*part = 0
		}
		room -= *part
	}
	if f.second+f.change > 0 && room > 7 { // as far from the price as from each other
		f.figure++
	}
	f.row, f.col = max(g.Row-f.rows+1, 0), max(min(g.Col, len(g.Cols)-1)-f.cols+1, 0) // a duration that is not taken has no column
	return f
}

// CellAt is the cell at a position in the grid's own cells; the heading is line 0.
func (f RateFrame) CellAt(x, y int) (row, col int, ok bool) {
	row, col = y-1, (x-f.name)/max(f.cell, 1) // it is 0 before anything was drawn
	return f.row + row, f.col + col, x >= f.name && y > 0 && row < f.rows && col < f.cols
}

// Range is the lowest and the highest price.
func (g *RateGrid) Range() (low, high api.Credits) {
	for i := range g.Cells {
		if c := &g.Cells[i]; !c.Missing {
			low, high = min(cmp.Or(low, c.Price), c.Price), max(high, c.Price)
		}
	}
	return low, high
}

// heat is the place of a price between two others, each doubling as far as the one before.
func heat(price, low, high api.Credits) float64 {
	if price <= low || high <= low {
		return 0
	}
	return min(math.Log(float64(price)/float64(max(low, 1)))/math.Log(float64(high)/float64(max(low, 1))), 1)
}

// Lines draws the part of the grid in view. The cells are drawn as wide as their
// columns, so that the lines are joined as they are: see BenchmarkRateGrid.
func (g *RateGrid) Lines(t *theme.Theme, f RateFrame) []string {
	if len(g.Cells) == 0 {
		return nil
	}
	end := min(f.col+f.cols, len(g.Cols))
	head := t.Muted.Paint(theme.Fit(g.Unit, f.name))
	for n, name := range g.Cols[f.col:end] {
		more := "  "
		if f.col+n == end-1 && end < len(g.Cols) {
			more = t.Muted.Paint("›") + " "
		}
		head += t.Strong.If(f.col+n == g.Col, t.Muted).Paint(AlignRight(theme.Cut(name, f.cell-3), f.cell-2)) + more
	}
	lines := []string{head[:len(head)-1]}
	low, high := g.Range()
	for row := f.row; row < min(f.row+f.rows, len(g.Rows)); row++ {
		line := t.Strong.If(row == g.Row, t.Text).Paint(theme.Fit(theme.Cut(g.Rows[row], f.name-1), f.name))
		for col := f.col; col < end; col++ {
			if line += g.cell(t, row, col, f, heat(g.Cells[row*len(g.Cols)+col].Price, low, high)); col < end-1 {
				line += " "
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// cell draws a price on the ground of its heat, and what it is a second and how it differs before
// it. The chosen one has a mark; without grounds it is filled while it has the keys.
// On a hot ground all is text.
func (g *RateGrid) cell(t *theme.Theme, row, col int, f RateFrame, heat float64) string {
	c, mark, ground := g.Cells[row*len(g.Cols)+col], " ", t.Heat(heat)
	figure, text, accent := t.Strong, t.Text, t.Accent
	word := text.If(heat > hot, c.Style)
	chosen := row == g.Row && col == g.Col
	level := int(heat*3 + 0.5)
	if !t.Grounds() && g.Wide && f.cell > f.figure+4 && !c.Missing && c.Sign+c.Word == "" { // a bar in place of the ground
		c.Sign = "▁▃▅▇"[3*level : 3*level+3]
	}
	if chosen {
		mark, figure = "▸", figure.If(heat > hot, accent)
	}
	switch {
	case chosen && g.Focus && (c.Missing || !t.Grounds()):
		figure, word, text, accent, ground = t.Button, t.Button, t.Button, t.Button, t.Filled
	case c.Missing:
		figure, ground = t.Faint, theme.Ground{}
	case c.Dim:
		figure = t.Muted
	case !t.Grounds(), strings.HasPrefix(c.Figure, "≈"): // not quoted
		figure = t.Text
	}
	sign, said, facts := cmp.Or(c.Sign, " "), c.Word, theme.Fit(c.Second, f.second)+theme.Fit(c.Amount, f.amount)+theme.Fit(c.Change, f.change)
	if facts != "" {
		facts = " " + facts
	} else if !chosen {
		mark = ""
	}
	if strings.TrimSpace(facts) == "" { // its word may have their room
		facts = facts[:min(len(facts), 1)]
	}
	room := f.cell - 2 - theme.Width(mark+sign+facts+c.Figure)
	if room < 0 || sign == " " && mark != "" && theme.Width(c.Word) == room { // the mark takes its place
		sign, room = "", room+1
	}
	if theme.Width(said) >= room {
		said = ""
	}
	said = text.Paint(facts) + word.Paint(theme.Fit(said, max(room, 0)))
	return ground.Lay(accent.Paint(mark) + word.Paint(sign) + said + figure.Paint(c.Figure) + text.Paint(" "))
}

// hot is the heat from which quiet words cannot be read.
const hot = 0.4
