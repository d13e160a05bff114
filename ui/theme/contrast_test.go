package theme

import (
	"image/color"
	"math"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// luminance is WCAG's relative luminance of a colour.
func luminance(hex uint32) float64 {
	part := func(v uint32) float64 {
		c := float64(v&0xff) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*part(hex>>16) + 0.7152*part(hex>>8) + 0.0722*part(hex)
}

// contrast is WCAG's ratio, from 1 to 21.
func contrast(a, b uint32) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// hexOf is a colour of a palette: one of true colour, or one of 256 by the cube
// and the greys that all terminals share.
func hexOf(t *testing.T, c color.Color) uint32 {
	t.Helper()
	switch c := c.(type) {
	case color.RGBA:
		return uint32(c.R)<<16 | uint32(c.G)<<8 | uint32(c.B)
	case ansi.IndexedColor:
		n := uint32(c)
		if n < 16 {
			break
		}
		if n >= 232 {
			grey := 8 + (n-232)*10
			return grey<<16 | grey<<8 | grey
		}
		steps := [...]uint32{0x00, 0x5F, 0x87, 0xAF, 0xD7, 0xFF}
		n -= 16
		return steps[n/36]<<16 | steps[n/6%6]<<8 | steps[n%6]
	}
	t.Fatalf("%#v is no colour that is the same everywhere", c)
	return 0
}

// Borders carry no words; everything else has to be readable.
func TestColoursOfWordsHaveContrast(t *testing.T) {
	t.Parallel()
	if got := contrast(0x000000, 0xFFFFFF); math.Abs(got-21) > 0.01 {
		t.Fatalf("black on white is %.2f, want 21: the formula is wrong", got)
	}
	if got := hexOf(t, colour("130")); got != 0xAF5F00 {
		t.Fatalf("colour 130 is %06X, want AF5F00", got)
	}
	dark, light := []uint32{0x000000, 0x14161B, 0x1E1E1E, 0x1E1E2E, 0x282C34}, []uint32{0xFFFFFF, 0xFBFBF8, 0xFDF6E3, 0xEFF1F5}
	for _, c := range []struct {
		name        string
		on          Background
		profile     colorprofile.Profile
		backgrounds []uint32 // besides the selected row's
		least       float64
	}{
		{"dark", Dark, colorprofile.TrueColor, dark, 4.5},
		{"dark, 256 colours", Dark, colorprofile.ANSI256, dark, 4.5},
		{"light", Light, colorprofile.TrueColor, light, 4.5},
		{"light, 256 colours", Light, colorprofile.ANSI256, light[:2], 4.5},
		// Nothing has more than 4.58 on both black and white.
		{"unknown", Unknown, colorprofile.TrueColor, []uint32{0x000000, 0xFFFFFF}, 4.5},
		{"unknown, 256 colours", Unknown, colorprofile.ANSI256, []uint32{0x000000, 0xFFFFFF}, 4},
	} {
		p := paletteFor(c.on, c.profile)
		if p.Selection != nil {
			c.backgrounds = append(c.backgrounds[:len(c.backgrounds):len(c.backgrounds)], hexOf(t, p.Selection))
		}
		for name, colour := range map[string]color.Color{"Muted": p.Muted, "Faint": p.Faint, "Accent": p.Accent, "Good": p.Good, "Warn": p.Warn,
			"Bad": p.Bad, "Run": p.Run, "Fetch": p.Fetch, "Doubt": p.Doubt} {
			for _, background := range c.backgrounds {
				if got := contrast(hexOf(t, colour), background); got < c.least {
					t.Errorf("%s: %s on #%06X has a contrast of %.2f, want %.1f", c.name, name, background, got, c.least)
				}
			}
		}
	}
}

// The two weights of quiet words stay apart.
func TestQuieterWordsAreQuieter(t *testing.T) {
	t.Parallel()
	for on, background := range map[Background]uint32{Dark: 0x14161B, Light: 0xFFFFFF} {
		for _, profile := range []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256} {
			p := paletteFor(on, profile)
			muted, faint := contrast(hexOf(t, p.Muted), background), contrast(hexOf(t, p.Faint), background)
			if muted < faint*1.2 {
				t.Errorf("background %d: muted words have %.2f, faint ones %.2f: they look the same", on, muted, faint)
			}
		}
	}
}

func TestGuessReadsTheLastPart(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]Background{"": Unknown, "15;0": Dark, "0;15": Light, "0;default;15": Light, "7": Light, "12;8": Dark, "x": Unknown} {
		if got := Guess(in); got != want {
			t.Errorf("%q is taken for %d, want %d", in, got, want)
		}
	}
}
