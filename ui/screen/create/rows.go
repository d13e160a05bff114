package create

// rows is which row of a list is selected and which are in view. The zero rows
// is empty.
type rows struct {
	count    int
	height   int // rows in view
	selected int
	top      int // the first in view
}

// setRows takes a new list of n rows, of which the first is selected.
func (r *rows) setRows(n int) { r.count, r.selected, r.top = n, 0, 0 }

// setHeight sets how many rows are in view.
func (r *rows) setHeight(n int) {
	r.height = n
	r.move(0)
}

// move moves the selection and keeps it in view.
func (r *rows) move(by int) {
	r.selected = max(min(r.selected+by, r.count-1), 0)
	r.top = max(min(r.top, r.selected), r.selected-r.height+1)
}

// click selects the row on a line of the view and reports whether there is one.
func (r *rows) click(line int) bool {
	row := r.top + line
	if line < 0 || line >= r.height || row >= r.count {
		return false
	}
	r.selected = row
	return true
}
