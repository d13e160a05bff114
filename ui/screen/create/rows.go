package create

// rows is which of a list's rows is selected and which are in view. The zero
// rows is empty.
type rows struct {
	count int
	shown int // rows in view
	at    int // the selected one
	top   int // the first in view
}

// reset takes a new list, of which the first row is selected.
func (r *rows) reset(count int) { r.count, r.at, r.top = count, 0, 0 }

// resize sets how many rows are in view.
func (r *rows) resize(shown int) {
	r.shown = shown
	r.move(0)
}

// move moves the selection and keeps it in view.
func (r *rows) move(by int) {
	r.at = max(min(r.at+by, r.count-1), 0)
	r.top = max(min(r.top, r.at), r.at-r.shown+1)
}

// click selects the row on a line of the view and reports whether there is one.
func (r *rows) click(line int) bool {
	row := r.top + line
	if line < 0 || line >= r.shown || row >= r.count {
		return false
	}
	r.at = row
	return true
}
