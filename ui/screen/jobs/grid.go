package jobs

import (
	"math"
	"slices"

	"darkroom/api/expand"
	"darkroom/ui/result"
)

// gridLine is a line of the gallery: the rows from..to-1, each in its column.
type gridLine struct {
	from, to int
	columns  []int // of each row; nil is one after the other
}

// column is where a row stands in its line.
func (g gridLine) column(n int) int {
	if g.columns != nil {
		return g.columns[n-g.from]
	}
	return n - g.from
}

// nearest is the row of the line that is closest to a column.
func (g gridLine) nearest(column int) int {
	best, least := g.from, math.MaxInt
	for n := g.from; n < g.to; n++ {
		if away := max(g.column(n)-column, column-g.column(n)); away < least {
			best, least = n, away
		}
	}
	return best
}

// lineOf is the gallery's line that holds a row. It looks at the rows around that
// one alone, so that a line stays as it is wherever the view begins: variations in
// two values begin a line and end it, all other lines begin at a multiple of the columns.
func (l *list) lineOf(n int) gridLine {
	if from, to := l.sending(n); to-from > 1 {
		return l.variationLine(from, to, n)
	}
	several := func(n int) bool {
		from, to := l.sending(n)
		return to-from > 1
	}
	g, full := gridLine{from: n, to: n + 1}, l.filled(0, l.total, n)
	for g.from > full.from && !several(g.from-1) {
		g.from--
	}
	for g.to < full.to && !several(g.to) {
		g.to++
	}
	return g
}

// variationLine is the line of row n among the variations from..to-1. If two values
// changed, each line has one of the first and the columns are the second; otherwise
// they follow each other.
func (l *list) variationLine(from, to, n int) gridLine {
	_, _, values := l.axes(from, to)
	if len(values) < 2 || len(values) > l.columns {
		return l.filled(from, to, n)
	}
	g, value := gridLine{from: n, to: n + 1}, l.firstValue(n)
	for g.from > from && l.firstValue(g.from-1) == value {
		g.from--
	}
	for g.to < to && l.firstValue(g.to) == value {
		g.to++
	}
	last := -1
	for i := g.from; i < g.to; i++ {
		_, x := expand.SplitLabel(l.label(i))
		column := slices.Index(values, x)
		if column <= last { // the same value twice: it cannot be a grid
			return l.filled(g.from, g.to, n)
		}
		g.columns, last = append(g.columns, column), column
	}
	return g
}

// filled is the line of row n among from..to-1 if they follow each other.
func (l *list) filled(from, to, n int) gridLine {
	from += (n - from) / l.columns * l.columns
	return gridLine{from: from, to: min(from+l.columns, to)}
}

// lines is how many lines of the gallery are in view.
func (l *list) lines() int { return max(l.height/l.columns, 1) }

// fits is how many columns have cells when all rows are in view in so many lines
// of so many columns; 0 when they have no room.
func (l *list) fits(columns, lines int) (used int) {
	if l.total > columns*lines {
		return 0
	}
	other := *l
	other.columns = columns
	for n := 0; n < other.total; lines-- {
		line := other.lineOf(n)
		used, n = max(used, line.column(line.to-1)+1), line.to
	}
	if lines < 0 {
		return 0
	}
	return used
}

// grid are the lines of the gallery in view.
func (l *list) grid() []gridLine {
	all := make([]gridLine, 0, l.lines())
	for n := l.top; n < l.total && len(all) < l.lines(); n = all[len(all)-1].to {
		all = append(all, l.lineOf(n))
	}
	return all
}

// back is the first row of the line so many lines before row n, or of the first.
func (l *list) back(n, lines int) int {
	from := l.lineOf(n).from
	for ; lines > 0 && from > 0; lines-- {
		from = l.lineOf(from - 1).from
	}
	return from
}

// revealLine scrolls the gallery as little as needed to have the selection in
// view, and no further than its last line.
func (l *list) revealLine() {
	if l.total == 0 {
		l.top = 0
		return
	}
	line := l.lineOf(l.at)
	top := min(l.lineOf(min(l.top, l.total-1)).from, line.from)
	top = max(top, l.back(l.at, l.lines()-1))
	l.top = min(top, l.back(l.total-1, l.lines()-1))
}

// beside is the row so many lines below row n, in its column, or n itself.
func (l *list) beside(n, lines int) int {
	line := l.lineOf(n)
	column := line.column(n)
	for ; lines > 0 && line.to < l.total; lines-- {
		line = l.lineOf(line.to)
	}
	for ; lines < 0 && line.from > 0; lines++ {
		line = l.lineOf(line.from - 1)
	}
	if n >= line.from && n < line.to {
		return n
	}
	return line.nearest(column)
}

// cells are the rows in view as the gallery draws them.
func (l *list) cells() []result.Line {
	grid := l.grid()
	lines := make([]result.Line, 0, len(grid))
	for _, g := range grid {
		line := result.Line{From: g.from, Columns: g.columns}
		if lo, hi := g.from-l.offset, min(g.to-l.offset, len(l.rows)); lo >= 0 && lo < hi {
			line.Rows = l.rows[lo:hi]
		}
		lines = append(lines, line)
	}
	return lines
}
