package widget

import (
	"github.com/charmbracelet/x/ansi"

	"darkroom/ui/theme"
)

// Overlay lays the lines of a box, which are all equally wide, over the lines of
// a body, from column x and line y on. A wide character of which the box covers
// one half becomes a blank. It changes body and returns it.
func Overlay(body, box []string, x, y int) []string {
	for i, over := range box {
		if at := y + i; at >= 0 && at < len(body) {
			body[at] = overlayLine(body[at], over, x)
		}
	}
	return body
}

func overlayLine(line, over string, x int) string {
	left := ansi.Truncate(line, x, "")
	end := x + theme.Width(over)
	out := left + theme.Blank(x-theme.Width(left)) + over
	rest := theme.Width(line) - end
	if rest <= 0 {
		return out
	}
	right := ansi.TruncateLeft(line, end, "")
	if theme.Width(right) > rest {
		right = ansi.TruncateLeft(line, end+1, "")
	}
	return out + theme.Blank(rest-theme.Width(right)) + right
}
