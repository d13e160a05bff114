package widget

import (
	"math"
	"strings"

	"darkroom/ui/theme"
)

// ButtonHeight is how many rows a button has.
const ButtonHeight = 3

// Button is the one button of a screen, w cells wide: filled, or on the ground of elements
// while it is off and says what is missing. Without grounds it is a line in reverse video.
func Button(t *theme.Theme, words, key string, w int, off bool) []string {
	ground, style := t.Filled, t.Button
	if off {
		ground, style = t.Element, t.Off
	}
	if key != "" {
		words += "   " + key
	}
	words = theme.Cut(words, w-2)
	left := max(w-theme.Width(words), 0) / 2
	line := style.Paint(theme.Blank(left) + words + theme.Blank(w-left-theme.Width(words)))
	if !t.Grounds() {
		return []string{"", line, ""}
	}
	return []string{ground.Edge(t.Panel, w), ground.Lay(line), t.Panel.Edge(ground, w)}
}

// Share is a part of a bar.
type Share struct {
	Part  float64 // of the whole, from 0 to 1
	Style theme.Style
	Mark  string // "━", or "╍" for what is only reserved
}

// Bar is a thin bar of parts of a whole; what is left of it is the track.
func Bar(t *theme.Theme, w int, parts ...Share) string {
	line, at, sum := "", 0, 0.0
	for _, p := range parts {
		sum += max(p.Part, 0)
		to := min(int(math.Round(sum*float64(w))), w)
		line += p.Style.Paint(strings.Repeat(p.Mark, max(to-at, 0)))
		at = max(at, to)
	}
	track := "━"
	if !t.Grounds() { // there may be no colours
		track = "─"
	}
	return line + t.Border.Paint(strings.Repeat(track, max(w-at, 0)))
}
