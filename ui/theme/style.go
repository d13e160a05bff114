package theme

import (
	"image/color"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Style is a way to write, as the sequence that turns it on, since a frame applies styles
// some thousand times. The zero Style writes plainly.
type Style struct {
	on  string
	Ink color.Color // nil: the terminal's own
}

// styled is the Style of colours, nil for the terminal's own, and attributes.
func styled(ink, back color.Color, attributes ...ansi.Attr) Style {
	a := ansi.NewStyle(attributes...)
	if ink != nil {
		a = a.ForegroundColor(ink)
	}
	if back != nil {
		a = a.BackgroundColor(back)
	}
	if len(a) == 0 {
		return Style{}
	}
	return Style{a.String(), ink}
}

// Paint returns text, which holds no sequences, in this style.
func (s Style) Paint(text string) string {
	if s.on == "" || text == "" {
		return text
	}
	return s.on + text + ansi.ResetStyle
}

// Write appends text in this style to b.
func (s Style) Write(b *strings.Builder, text string) {
	b.WriteString(s.Paint(text))
}
