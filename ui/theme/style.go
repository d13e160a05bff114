package theme

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Style is a lipgloss.Style compiled once to the sequences that turn it on and
// off: a frame applies styles some thousand times, and Render works each of
// them out anew. The zero Style writes plainly.
type Style struct {
	on, off string
	style   *lipgloss.Style
}

// Ink is the former name of Style.
type Ink = Style

// sentinel is what a style is compiled around.
const sentinel = "\x1f"

// Compile makes the Style of s, of which only attributes and colours are kept:
// what frames or pads text belongs to a lipgloss.Style.
func Compile(s lipgloss.Style) Style {
	on, off, _ := strings.Cut(s.Inline(true).UnsetWidth().UnsetHeight().Render(sentinel), sentinel)
	return Style{on: on, off: off, style: &s}
}

// Style is the style for components of lipgloss and bubbles.
func (s Style) Style() lipgloss.Style {
	if s.style == nil {
		return lipgloss.NewStyle()
	}
	return *s.style
}

// Paint returns text in this style. It must not hold sequences of its own.
func (s Style) Paint(text string) string {
	if s.on == "" || text == "" {
		return text
	}
	return s.on + text + s.off
}

// Write appends text in this style to b.
func (s Style) Write(b *strings.Builder, text string) {
	if s.on == "" || text == "" {
		b.WriteString(text)
		return
	}
	b.WriteString(s.on)
	b.WriteString(text)
	b.WriteString(s.off)
}
