package jobs

import (
	"cmp"
	"slices"
	"strings"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/state"
	"darkroom/ui/widget"
)

const heldRows = 300 // enough that paging does not run into what is not held

// list is the part of a long list that is held, and the position in the whole.
// The selection is a job, not a number: it stays when rows come and go.
type list struct {
	rows     []state.Row
	offset   int // of rows[0] in the whole list
	total    int // rows that match the filter
	all      int
	at       int // selected row in the whole list
	top      int // first row in view
	height   int // rows in view: lines of the list, or cells of the gallery
	gallery  bool
	columns  int             // rows side by side; 1 but for the gallery
	across   int             // rows that a line of the gallery has room for at its default size
	turned   map[string]bool // sendings whose grid lies across
	days     bool            // in an order by time: a line names the day of the rows below it
	filtered bool            // there may be more rows than those that match
	latest   widget.Latest
	pushed   int // rows that came above since the last question
	asked    int // offset of the last question
	version  int // grows with every answer; 0: nothing was read yet
	// picked asks for a job to be selected wherever it is found.
	picked string
}

// setView gives how many rows are in view, and side by side in the gallery.
func (l *list) setView(height, columns int, gallery bool) {
	l.height, l.columns, l.gallery = max(height, 1), max(columns, 1), gallery
	l.reveal()
}

// held is how many rows are held around the view.
func (l *list) held() int { return max(heldRows, 4*l.height) }

// row is row n of the whole list, or nil.
func (l *list) row(n int) *state.Row {
	if n < l.offset || n >= l.offset+len(l.rows) {
		return nil
	}
	return &l.rows[n-l.offset]
}

// current is the selected row, or an empty one.
func (l *list) current() *state.Row { return cmp.Or(l.row(l.at), new(state.Row)) }

// selected is the id of the selected job, or "".
func (l *list) selected() string { return l.current().ID }

func (l *list) visible() []state.Row {
	lo, hi := max(l.top-l.offset, 0), l.top+l.height
	if l.gallery {
		for _, line := range l.grid() {
			hi = line.To
		}
	}
	hi = max(min(hi-l.offset, len(l.rows)), 0)
	return l.rows[min(lo, hi):hi]
}

// move selects row to and reports whether that is another one.
func (l *list) move(to int) bool {
	before := l.at
	l.at = max(min(to, l.total-1), 0)
	l.reveal()
	return l.at != before
}

// reveal scrolls as little as needed to have the selection in view.
func (l *list) reveal() {
	switch {
	case l.gallery && l.total == 0:
		l.top = 0
		return
	case l.gallery: // no further than its last line
		top := min(l.lineOf(min(l.top, l.total-1)).From, l.lineOf(l.at).From)
		top = max(top, l.back(l.at, l.lines()-1))
		l.top = min(top, l.back(l.total-1, l.lines()-1))
		return
	}
	l.top = max(min(l.top, l.at), l.at-l.height+1, 0)
	// What stands above and below rows takes the place of others, and of those at the end none.
	for l.top < l.at && !slices.Contains(l.layout(), l.at) {
		l.top++
	}
	for full := true; full && l.top > max(l.total-l.height, 0); {
		l.top--
		if lines := l.layout(); !slices.Contains(lines, l.at) || !slices.Contains(lines, l.total-1) {
			full, l.top = false, l.top+1
		}
	}
}

// Lines of a layout that are no row: the name of the day of the rows below, a blank above
// it, and why the row above did not end well; where there is room, of each what made it.
const (
	dayLine = -1 - iota
	blankLine
	noteLine
)

// layout is what the lines of the list show: numbers of rows, or what stands between them.
func (l *list) layout() []int {
	lines, roomy := make([]int, 0, l.height), 3*l.total+4 <= l.height
	for n := l.top; n < l.total && len(lines) < l.height; n++ {
		if l.days && (n == l.top || l.newDay(n)) {
			if l.height > 24 && (!roomy || n == l.top) {
				lines = append(lines, blankLine)
			}
			if lines = append(lines, dayLine); roomy {
				lines = append(lines, blankLine)
			}
		}
		if lines = append(lines, n); roomy {
			lines = append(lines, noteLine, blankLine)
		} else if noted(l.row(n)) {
			lines = append(lines, noteLine)
		}
	}
	return lines[:min(len(lines), l.height)]
}

// newDay reports whether row n was made on another day than the one before.
func (l *list) newDay(n int) bool {
	before, r := l.row(n-1), l.row(n)
	if before == nil || r == nil {
		return false
	}
	if before.Phase == api.PhaseHeld || r.Phase == api.PhaseHeld {
		return before.Phase != r.Phase || asking(before) != asking(r)
	}
	was, is := before.CreatedAt, r.CreatedAt
	return is.YearDay() != was.YearDay() || is.Year() != was.Year()
}

// asking is the entry whose request waits, or "".
func asking(r *state.Row) string {
	if r.Phase != api.PhaseHeld {
		return ""
	}
	return r.Entry
}

// short reports whether rows near the view are missing.
func (l *list) short() bool {
	lo, hi := max(l.top-l.height, 0), min(l.top+2*l.height, l.total)
	if l.total == 0 || lo >= l.offset && hi <= l.offset+len(l.rows) {
		return false
	}
	// The answer to the question on its way may bring them.
	return lo < l.asked || hi > min(l.asked+l.held(), l.total)
}

// ask notes a new question for the rows around the view and returns their offset.
func (l *list) ask() (seq, offset int) {
	l.height = cmp.Or(l.height, 40)
	l.asked = max(l.top+l.pushed-(l.held()-l.height)/2, 0)
	if l.picked != "" {
		l.asked = 0
	}
	l.pushed = 0
	return l.latest.Ask(), l.asked
}

// take holds the rows of an answer, and finds the selection again by its job.
func (l *list) take(p state.Page) {
	before, id := l.at, cmp.Or(l.picked, l.selected())
	l.rows, l.offset, l.total, l.all = p.Rows, p.Offset, p.Total, p.All
	l.version++
	l.turn()
	found := l.index(id)
	if found >= 0 {
		l.at, l.picked = l.offset+found, ""
	}
	l.at = max(min(l.at, l.total-1), 0)
	if found >= 0 && l.top > 0 {
		l.top += l.at - before
	}
	l.reveal()
}

// index is the place of a job among the held rows, or -1.
func (l *list) index(id string) int {
	return slices.IndexFunc(l.rows, func(r state.Row) bool { return r.ID == id })
}

// sending are the rows around n that were sent as one and differ in two values, as far
// as they are held and stand next to each other, in the orders by time; n alone if their grid
// would leave most of a line of so many cells empty, or would be what a filter leaves of one.
func (l *list) sending(n, across int) (from, to int) {
	r := l.row(n)
	same := func(n int) bool {
		other := l.row(n)
		return other != nil && other.Agreement == r.Agreement && strings.Contains(other.Label, " · ")
	}
	if r == nil || r.Agreement == "" || !l.days || !same(n) {
		return n, n + 1
	}
	from, to = around(n, 0, l.total, same)
	_, lines, columns := l.axes(from, to)
	if 3*len(columns) < across || l.filtered && (len(columns) < 2 || len(lines)*len(columns) != to-from) {
		return n, n + 1
	}
	return from, to
}

// around are the rows next to n, between from and to-1, that are alike, and n itself.
func around(n, from, to int, alike func(n int) bool) (first, end int) {
	for first = n; first > from && alike(first-1); first-- {
	}
	for end = n + 1; end < to && alike(end); end++ {
	}
	return first, end
}

// axes are the labels of the rows from..to-1, and the values of their grid.
func (l *list) axes(from, to int) (labels, lines, columns []string) {
	for i := from; i < to; i++ {
		labels = append(labels, l.label(i))
		if first := l.firstValue(i); !slices.Contains(lines, first) {
			lines = append(lines, first)
		}
	}
	return labels, lines, expand.Axis(labels)
}

// label is the label of row n, with its values exchanged where a grid is turned.
func (l *list) label(n int) string {
	r := l.row(n)
	before, last := expand.SplitLabel(r.Label)
	if l.turned[r.Agreement] {
		return expand.JoinLabel(last, before)
	}
	return r.Label
}

// firstValue is the first value of the label of row n.
func (l *list) firstValue(n int) string {
	first, _ := expand.SplitLabel(l.label(n))
	return first
}

// turn lays the grids across that would be higher than wide: a terminal is wider
// than high. Those that are wider than a line lie down where that gives them room.
// It orders the held rows of such a sending by their second value.
func (l *list) turn() {
	l.turned = map[string]bool{}
	third := func(first string) bool {
		before, _ := expand.SplitLabel(first)
		return before != ""
	}
	for from, to := l.offset, 0; l.days && from < l.offset+len(l.rows); from = to {
		from, to = l.sending(from, 0) // it may be drawn in any width
		labels, lines, values := l.axes(from, to)
		slices.Sort(labels)
		switch whole := len(lines)*len(values) == to-from && len(slices.Compact(labels)) == to-from; {
		case from > 0 && from == l.offset, to < l.total && to == l.offset+len(l.rows): // more of them may not be held
		case !whole, slices.ContainsFunc(lines, third), len(lines) > l.across:
		case len(lines) > len(values), len(values) > l.across:
			column := func(r state.Row) int {
				_, last := expand.SplitLabel(r.Label)
				return slices.Index(values, last)
			}
			slices.SortStableFunc(l.rows[from-l.offset:to-l.offset], func(a, b state.Row) int { return column(a) - column(b) })
			l.turned[l.row(from).Agreement] = true
		}
	}
}
