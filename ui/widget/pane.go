package widget

import (
	"strings"

	"darkroom/ui/theme"
)

// Pane is a rounded frame with its titles in the border.
type Pane struct {
	Width, Height int
	Title         string // left in the upper border, plain
	Right         string // right in the upper border, plain
	Foot          string // right in the lower border, plain
	// Inked, when set, is right in several styles.
	Inked string
	Focus bool // it has the keys
}

// Inner is the size between the borders, with one blank on either side.
func (p Pane) Inner() (w, h int) { return max(p.Width-4, 0), max(p.Height-2, 0) }

// Lines draws the frame around lines, which are w-4 cells wide or narrower and
// may be painted. Missing lines stay blank, surplus ones are left out. A line
// that starts with a rule is drawn as a divider with a title: see divide.
func (p Pane) Lines(t *theme.Theme, body []string) []string {
	edge := t.Border
	if p.Focus {
		edge = t.Focus
	}
	out := make([]string, 0, p.Height)
	out = append(out, p.top(t, edge))
	w, h := p.Inner()
	left, right := edge.Paint(t.Frame.Left), edge.Paint(t.Frame.Right)
	var b strings.Builder
	for i := range h {
		line := ""
		if i < len(body) {
			line = body[i]
		}
		if title, ok := strings.CutPrefix(line, Divider); ok {
			out = append(out, p.rule(t, edge, title))
			continue
		}
		b.Reset()
		b.Grow(len(line) + len(left) + len(right) + w)
		b.WriteString(left)
		b.WriteString(" ")
		b.WriteString(line)
		b.WriteString(theme.Blank(w - theme.Width(line)))
		b.WriteString(" ")
		b.WriteString(right)
		out = append(out, b.String())
	}
	return append(out, p.bottom(t, edge))
}

// Divider marks a line of a pane as a rule across it.
const Divider = "\x00"

// Divide is a line that lines draws as a rule with a title.
func Divide(title string) string { return Divider + title }

func (p Pane) top(t *theme.Theme, edge theme.Style) string {
	f, room := &t.Frame, p.Width-2
	if room < 0 {
		return theme.Fit(f.TopLeft+f.TopRight, p.Width)
	}
	left, right := theme.Cut(p.Title, max(room-4, 0)), p.Right
	used := 0
	if left != "" {
		used += theme.Width(left) + 3
	}
	if right != "" && room-used-5 < theme.Width(right) {
		right = ""
	}
	if right != "" {
		used += theme.Width(right) + 3
	}
	title := t.Strong
	if p.Focus {
		title = t.Accent
	}
	var b strings.Builder
	if left != "" {
		edge.Write(&b, f.TopLeft+f.Top+" ")
		title.Write(&b, left)
		edge.Write(&b, " "+repeat(f.Top, room-used))
	} else {
		edge.Write(&b, f.TopLeft+repeat(f.Top, room-used))
	}
	if right != "" {
		b.WriteString(" ")
		if p.Inked != "" {
			b.WriteString(p.Inked)
		} else {
			t.Muted.Write(&b, right)
		}
		edge.Write(&b, " "+f.Top)
	}
	edge.Write(&b, f.TopRight)
	return b.String()
}

func (p Pane) rule(t *theme.Theme, edge theme.Style, title string) string {
	f, room := &t.Frame, p.Width-2
	title = theme.Cut(title, max(room-4, 0))
	if title == "" {
		return edge.Paint(f.MiddleLeft + repeat(f.Top, room) + f.MiddleRight)
	}
	var b strings.Builder
	edge.Write(&b, f.MiddleLeft+f.Top+" ")
	t.Strong.Write(&b, title)
	edge.Write(&b, " "+repeat(f.Top, room-theme.Width(title)-3)+f.MiddleRight)
	return b.String()
}

func (p Pane) bottom(t *theme.Theme, edge theme.Style) string {
	f, room := &t.Frame, p.Width-2
	if room < 0 {
		return theme.Fit(f.BottomLeft+f.BottomRight, p.Width)
	}
	if p.Foot == "" || theme.Width(p.Foot)+4 > room {
		return edge.Paint(f.BottomLeft + repeat(f.Bottom, room) + f.BottomRight)
	}
	var b strings.Builder
	edge.Write(&b, f.BottomLeft+repeat(f.Bottom, room-theme.Width(p.Foot)-3)+" ")
	t.Muted.Write(&b, p.Foot)
	edge.Write(&b, " "+f.Bottom+f.BottomRight)
	return b.String()
}

// repeat is s n times, or nothing.
func repeat(s string, n int) string { return strings.Repeat(s, max(n, 0)) }

// Beside joins panes line by line; all have the same number of lines.
func Beside(panes ...[]string) string { return Below(panes, nil) }

// Below joins panes line by line, with the lines of another one below them.
func Below(panes [][]string, last []string) string {
	size := 0
	for _, p := range append(panes, last) {
		for _, l := range p {
			size += len(l) + 1
		}
	}
	var b strings.Builder
	b.Grow(size)
	for i := range panes[0] {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, p := range panes {
			b.WriteString(p[i])
		}
	}
	for _, l := range last {
		b.WriteByte('\n')
		b.WriteString(l)
	}
	return b.String()
}

// SplitPanes divides a body's width into a left and a right pane. right is 0
// when only one fits.
func SplitPanes(w, leftShare, leastRight int) (left, right int) {
	if w < WideFrom {
		return w, 0
	}
	right = max(w*(100-leftShare)/100, leastRight)
	return w - right, right
}

// FilterRoom is how many cells of the border the filter may take.
func FilterRoom(w int) int { return max(w-24, 10) }

func AlignRight(s string, w int) string { return theme.Blank(w-theme.Width(s)) + s }
