package theme

import (
	"image/color"
	"math"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// LeastContrast is what words need to be read, by the Web Content Accessibility
// Guidelines.
const LeastContrast = 4.5

// Weak is an own colour that is hard to read.
type Weak struct {
	Role     string
	Contrast float64
	Selected bool // on the background of the selected row
}

// Weak are the own colours of a choice that are hard to read on a background of
// that kind; terminal is the terminal's own background, nil where it is not
// known. Colours that differ between terminals are not judged.
func (c Choice) Weak(on Background, terminal color.Color) []Weak {
	own := c.own(on)
	if len(own) == 0 || on == Unknown {
		return nil
	}
	if terminal == nil {
		terminal = colour([...]string{Dark: "#1E1E1E", Light: "#FFFFFF"}[on])
	}
	p := c.palette(on, colorprofile.TrueColor)
	var weak []Weak
	fields := p.fields()
	for i, field := range fields[:words] {
		role := roles[i]
		_, mine := own[role]
		if got, ok := contrast(*field, terminal); mine && ok && got < LeastContrast {
			weak = append(weak, Weak{Role: role, Contrast: got})
			continue
		}
		_, selection := own["selection"]
		if got, ok := contrast(*field, p.Selection); (mine || selection) && ok && got < LeastContrast {
			weak = append(weak, Weak{Role: role, Contrast: got, Selected: true})
		}
	}
	return weak
}

// contrast is the ratio of two colours by the same guidelines, from 1 to 21;
// false where one of them is the terminal's own.
func contrast(a, b color.Color) (float64, bool) {
	la, ok := luminance(a)
	lb, also := luminance(b)
	if !ok || !also {
		return 0, false
	}
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05), true
}

// luminance is the relative luminance of a colour.
func luminance(c color.Color) (float64, bool) {
	switch c := c.(type) {
	case nil, ansi.BasicColor:
		return 0, false
	case ansi.IndexedColor:
		if c < 16 {
			return 0, false
		}
	}
	part := func(v uint32) float64 {
		c := float64(v) / 0xffff
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	r, g, b, _ := c.RGBA()
	return 0.2126*part(r) + 0.7152*part(g) + 0.0722*part(b), true
}
