package widget

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"darkroom/ui/theme"
)

// Overlay puts s, which is w cells wide, over a line at column x. The line may
// be painted; half of a wide character becomes a blank.
func Overlay(line, s string, x, w int) string {
	left, right := around(line, x, w)
	return left + s + right
}

// Cover lays a box over the middle of a body that is w cells wide, and dims what
// is left of the body. It returns the body's lines and where the box lies in
// them.
func Cover(t *theme.Theme, body, box string, w int) (string, Rect) {
	under, over := strings.Split(body, "\n"), strings.Split(box, "\n")
	at := Rect{W: theme.Width(over[0]), H: len(over)}
	at.X, at.Y = max((w-at.W)/2, 0), max((len(under)-at.H)/3, 0)
	var b strings.Builder
	b.Grow(len(body) + len(box))
	for i, line := range under {
		if i > 0 {
			b.WriteByte('\n')
		}
		line = ansi.Strip(line)
		if i < at.Y || i >= at.Y+at.H {
			t.Faint.Write(&b, line)
			continue
		}
		left, right := around(line, at.X, at.W)
		t.Faint.Write(&b, left)
		b.WriteString(over[i-at.Y])
		t.Faint.Write(&b, right)
	}
	return b.String(), at
}

// around is what a line has left of column x, filled up to it, and right of
// column x+w.
func around(line string, x, w int) (left, right string) {
	left = ansi.Truncate(line, x, "")
	left += theme.Blank(x - theme.Width(left))
	rest := theme.Width(line) - x - w
	if rest <= 0 {
		return left, ""
	}
	right = ansi.TruncateLeft(line, x+w, "")
	if theme.Width(right) > rest { // it keeps a character that it cuts in half
		right = ansi.TruncateLeft(line, x+w+1, "")
	}
	return left, theme.Blank(rest-theme.Width(right)) + right
}
