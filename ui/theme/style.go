package theme

import (
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Style is a lipgloss.Style compiled once to the sequences that turn it on and off,
// since a frame applies styles some thousand times. The zero Style writes plainly.
type Style struct {
	on, off string
	style   *lipgloss.Style
}

// compile makes the Style of s, with colours and the attributes that themes use. It
// does not take apart what Render makes, which costs the first frame a good part.
func compile(s lipgloss.Style) Style {
	var a ansi.Style
	if s.GetBold() {
		a = a.Bold()
	}
	if s.GetUnderline() {
		a = a.Underline(true)
	}
	if s.GetReverse() {
		a = a.Reverse(true)
	}
	if c := s.GetForeground(); c != noColour {
		a = a.ForegroundColor(c)
	}
	if c := s.GetBackground(); c != noColour {
		a = a.BackgroundColor(c)
	}
	c := Style{style: &s}
	if len(a) > 0 {
		c.on, c.off = a.String(), ansi.ResetStyle
	}
	return c
}

var noColour color.Color = lipgloss.NoColor{}

// Style is the style for components of lipgloss and bubbles.
func (s Style) Style() lipgloss.Style {
	if s.style == nil {
		return lipgloss.NewStyle()
	}
	return *s.style
}

// Paint returns text, which holds no sequences, in this style.
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
