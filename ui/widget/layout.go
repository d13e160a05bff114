package widget

// Below this size the program says one sentence instead of drawing.
const (
	MinWidth  = 60
	MinHeight = 16
	// WideFrom is the width from which two panes stand side by side.
	WideFrom = 100
	// tallFrom is the height from which the notice has a line of its own.
	tallFrom = 30
)

// Rect is a rectangle of cells.
type Rect struct{ X, Y, W, H int }

func (r Rect) Holds(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}

// Within is a rectangle of a larger one in what holds that.
func (r Rect) Within(larger Rect) Rect { return Rect{r.X + larger.X, r.Y + larger.Y, r.W, r.H} }

// Layout is where everything stands.
type Layout struct {
	TooSmall bool
	Header   Rect
	Body     Rect
	Notice   Rect // the footer's line on low screens: then a notice takes its place
	Footer   Rect
}

// LayoutFor lays the screen out. It depends on nothing but the size, so nothing
// moves when a figure or a notice arrives.
func LayoutFor(w, h int) Layout {
	if w < MinWidth || h < MinHeight {
		return Layout{TooSmall: true, Body: Rect{0, 0, max(w, 1), max(h, 1)}}
	}
	p := Layout{Header: Rect{0, 0, w, 1}, Footer: Rect{0, h - 1, w, 1}}
	p.Notice = p.Footer
	bottom := h - 1
	if h >= tallFrom {
		bottom--
		p.Notice = Rect{0, bottom, w, 1}
	}
	p.Body = Rect{0, 1, w, bottom - 1}
	return p
}

// SplitPanes divides a body's width into a left and a right pane. right is 0
// when only one fits.
func SplitPanes(w, leftShare, minRight int) (left, right int) {
	if w < WideFrom {
		return w, 0
	}
	right = max(w*(100-leftShare)/100, minRight)
	return w - right, right
}
