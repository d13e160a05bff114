package widget

import (
	"cmp"

	"darkroom/api"
	"darkroom/ui/theme"
)

type RateMark int

const (
	RatePlain   RateMark = iota
	RateMissing          // there is no figure, or the service does not take this choice
	RateLowest           // no other choice is cheaper
	RateDiffers          // not the published price
)

type RateCell struct {
	Text string // the figure, or what stands for it
	// Price, when set, gives the cell a ground between those of the cheapest and the dearest.
	Price api.Credits
	Rate  string // what a second costs; "" where there is none
	Mark  RateMark
	Dim   bool // an old figure, or one of little weight
}

// RateGrid is a table of prices: tier by resolution, or size by quality.
type RateGrid struct {
	Rows, Cols []string   // the names, clean
	Cells      []RateCell // row by row
	// Row and Col are the selected cell; there is none when Row is -1.
	Row, Col int
	Focus    bool // the selected cell has the keys
	Rated    bool // the cells have rates, shown where there is room
}

// RateFrame is how a grid fits into a pane.
type RateFrame struct {
	name, cell int // widths, in cells
	row, col   int // the first in view
	rows, cols int // how many are in view
}

const (
	rateName = 8  // the names take at least so many cells
	minRate  = 9  // a figure with its mark
	rateBoth = 13 // a figure and what a second costs
	maxRate  = 16
	rateGap  = 2 // before the ground of a cell
)

func (g *RateGrid) Frame(w, h int) RateFrame {
	f := RateFrame{name: rateName}
	for _, r := range g.Rows {
		f.name = max(f.name, theme.Width(r)+1)
	}
	f.name = min(f.name, w/3)
	f.cols = max(min(len(g.Cols), (w-f.name)/minRate), 1)
	f.cell = min(max((w-f.name)/f.cols, minRate), maxRate)
	f.rows = max(min(len(g.Rows), h-1), 1)
	f.row, f.col = max(g.Row-f.rows+1, 0), max(g.Col-f.cols+1, 0)
	return f
}

// CellAt is the cell at a position in the grid's own cells; the heading is line 0.
func (f RateFrame) CellAt(x, y int) (row, col int, ok bool) {
	if x < f.name || y < 1 || y > f.rows || (x-f.name)/f.cell >= f.cols {
		return 0, 0, false
	}
	return f.row + y - 1, f.col + (x-f.name)/f.cell, true
}

// Lines draws the part of the grid in view. The cells are drawn as wide as their
// columns, so that the lines are joined as they are: see BenchmarkRateGrid.
func (g *RateGrid) Lines(t *theme.Theme, f RateFrame) []string {
	if len(g.Cells) == 0 {
		return nil
	}
	figure, rate := f.cell-1, 0 // a cell is a figure, its mark and a rate
	if g.Rated && f.cell >= rateBoth {
		figure, rate = f.cell-6, 5
	}
	head, end := theme.Blank(f.name), min(f.col+f.cols, len(g.Cols))
	for _, name := range g.Cols[f.col:end] {
		head += t.Muted.Paint(AlignRight(theme.Cut(name, figure), figure)) + theme.Blank(1+rate)
	}
	lines, low, high := []string{head}, api.Credits(0), api.Credits(1)
	for i := range g.Cells {
		if p := g.Cells[i].Price; p > 0 {
			low, high = cmp.Or(min(low, p), p), max(high, p)
		}
	}
	for row := f.row; row < min(f.row+f.rows, len(g.Rows)); row++ {
		name := t.Text
		if row == g.Row {
			name = t.Strong
		}
		line := name.Paint(theme.Fit(theme.Cut(g.Rows[row], f.name-1), f.name))
		for col := f.col; col < end; col++ {
			heat := float64(g.Cells[row*len(g.Cols)+col].Price-low) / float64(max(high-low, 1))
			line += g.cell(t, row, col, figure, rate, t.Heat(heat))
		}
		lines = append(lines, line)
	}
	return lines
}

func (g *RateGrid) cell(t *theme.Theme, row, col, room, rate int, heat theme.Ground) string {
	c, in, cursor := g.Cells[row*len(g.Cols)+col], &t.Styles, ""
	if row == g.Row && col == g.Col {
		cursor = "▸"
		if g.Focus {
			in = &t.Selected
		}
	}
	style, sign := in.Text, " "
	switch c.Mark {
	case RateMissing:
		style = in.Faint
	case RateLowest:
		style, sign = in.Good, RateLowestSign
	case RateDiffers:
		style, sign = in.Warn, RateDiffersSign
	}
	if c.Dim {
		style = in.Muted
	}
	room -= theme.Width(cursor)
	if theme.Width(c.Text) > room {
		room, rate = room+rate, 0
	}
	text := theme.Cut(c.Text, room)
	pad, words, second := room-theme.Width(text), style, in.Muted
	if c.Price > 0 && !c.Dim && t.Grounds() {
		words, second = in.Text, in.Text // whatever the heat
	} else {
		heat = theme.Ground{}
	}
	gap := min(pad, rateGap)
	return in.Text.Paint(theme.Blank(gap)) + heat.Lay(in.Text.Paint(theme.Blank(pad-gap))+in.Accent.Paint(cursor)+words.Paint(text)+
		style.Paint(sign)+second.Paint(AlignRight(theme.Cut(c.Rate, rate), rate)))
}

// Signs of marks, for legends.
const (
	RateLowestSign  = "•"
	RateDiffersSign = "!"
)
