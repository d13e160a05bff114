package theme

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Width is the number of cells that s takes, sequences not counted.
func Width(s string) int { return ansi.StringWidth(s) }

// Cut cuts plain or painted s to w cells; … marks the cut.
func Cut(s string, w int) string {
	if w <= 0 {
		return ""
	}
	return ansi.Truncate(s, w, "…")
}

// CutLeft keeps the end of s, such as a path, in w cells; … marks the cut.
func CutLeft(s string, w int) string {
	n := ansi.StringWidth(s)
	if n <= w {
		return s
	}
	if w <= 0 {
		return ""
	}
	s = ansi.TruncateLeft(s, n-w+1, "…")
	// A wide character at the cut can leave one cell too many.
	return ansi.Truncate(s, w, "")
}

// Fit cuts s to w cells and fills it up with blanks to exactly w.
func Fit(s string, w int) string {
	if w <= 0 {
		return ""
	}
	s = Cut(s, w)
	return s + Blank(w-ansi.StringWidth(s))
}

func Blank(n int) string { return strings.Repeat(" ", max(n, 0)) }
