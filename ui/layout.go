package ui

// Below this size the program says one sentence instead of drawing.
const (
	minWidth  = 60
	minHeight = 16
	// wideFrom is the width from which two panes stand side by side.
	wideFrom = 100
	// tallFrom is the height from which the notice has a line of its own.
	tallFrom = 30
)

// rect is a rectangle of cells.
type rect struct{ x, y, w, h int }

func (r rect) holds(x, y int) bool {
	return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h
}

// plan is where everything stands.
type plan struct {
	tooSmall bool
	header   rect
	body     rect
	notice   rect // the footer's line on low screens: then a notice takes its place
	footer   rect
}

// planFor lays the screen out. It depends on nothing but the size, so nothing
// moves when a figure or a notice arrives.
func planFor(w, h int) plan {
	if w < minWidth || h < minHeight {
		return plan{tooSmall: true, body: rect{0, 0, max(w, 1), max(h, 1)}}
	}
	p := plan{header: rect{0, 0, w, 1}, footer: rect{0, h - 1, w, 1}}
	p.notice = p.footer
	bottom := h - 1
	if h >= tallFrom {
		bottom--
		p.notice = rect{0, bottom, w, 1}
	}
	p.body = rect{0, 1, w, bottom - 1}
	return p
}
