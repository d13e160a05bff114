// Package theme is darkroom's one look: inks by meaning, for dark and light
// backgrounds, and for terminals with many, sixteen or no colours.
package theme

import (
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

const reset = "\x1b[m"

// Ink is one way to write text: the sequence that turns it on, made once.
// The zero Ink writes plainly.
type Ink struct{ on string }

// Paint returns s in this ink. s must not hold sequences of its own.
func (k Ink) Paint(s string) string {
	if k.on == "" || s == "" {
		return s
	}
	return k.on + s + reset
}

// Write appends s in this ink to b.
func (k Ink) Write(b *strings.Builder, s string) {
	if k.on == "" || s == "" {
		b.WriteString(s)
		return
	}
	b.WriteString(k.on)
	b.WriteString(s)
	b.WriteString(reset)
}

// Inks are the ways to write on one ground.
type Inks struct {
	Text   Ink // ordinary words
	Strong Ink // words that lead
	Muted  Ink // labels, second thoughts
	Faint  Ink // what does not apply, or only fills
	Border Ink // frames at rest
	Focus  Ink // the frame that has the keys
	Accent Ink // the one colour that says: here
	Key    Ink // names of keys
	Good   Ink
	Warn   Ink
	Bad    Ink
	Wait   Ink // queued, not yet begun
	Run    Ink // under way
	Fetch  Ink // on its way here
	Doubt  Ink // not known
}

// Theme is the look for one kind of terminal. It is made once and handed
// around; nothing of it changes.
type Theme struct {
	Inks          // on the terminal's own ground
	Selected Inks // on the ground of the selected row
	Tab      Ink  // the tab one is on
	Token    Ink  // a material's token in the prompt
	On       Ground
	Colours  colorprofile.Profile
}

// Ground is what the terminal's background is.
type Ground int

// Unknown is the ground of a terminal that does not tell: its colours are those
// that can be read on both others.
const (
	Unknown Ground = iota
	Dark
	Light
)

// New makes the theme for a ground and what the terminal can show of colours.
// Without colours the inks keep to bold, underline and reverse.
func New(on Ground, profile colorprofile.Profile) *Theme {
	p := paletteFor(on, profile)
	t := &Theme{On: on, Colours: profile}
	t.Inks = inksOn(p, "")
	t.Selected = inksOn(p, p.Selection)
	t.Tab = Ink{sgr("1", p.Accent, "")}
	t.Token = Ink{sgr("1", p.Run, "")}
	if p.Accent == "" {
		t.Tab = Ink{sgr("1;4", "", "")}
		t.Token = Ink{sgr("4", "", "")}
	}
	return t
}

// Guess reads COLORFGBG ("15;0"), which some terminals set.
func Guess(colorfgbg string) Ground {
	switch colorfgbg[strings.LastIndexByte(colorfgbg, ';')+1:] {
	case "7", "15":
		return Light
	case "0", "1", "2", "3", "4", "5", "6", "8":
		return Dark
	}
	return Unknown
}

func inksOn(p Palette, ground string) Inks {
	ink := func(attr, colour string) Ink {
		if ground == reverse {
			colour = "" // reversed, each would be another ground
		}
		return Ink{sgr(attr, colour, ground)}
	}
	return Inks{
		Text: ink("", ""), Strong: ink("1", ""), Muted: ink("", p.Muted), Faint: ink("", p.Faint),
		Border: ink("", p.Border), Focus: ink("", p.Accent), Accent: ink("1", p.Accent), Key: ink("", p.Accent),
		Good: ink("", p.Good), Warn: ink("", p.Warn), Bad: ink("", p.Bad),
		Wait: ink("", p.Muted), Run: ink("", p.Run), Fetch: ink("", p.Fetch), Doubt: ink("", p.Doubt),
	}
}

// sgr joins parts of a "select graphic rendition" sequence.
func sgr(attr, colour, ground string) string {
	parts := make([]string, 0, 3)
	for _, s := range []string{attr, colour, ground} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "\x1b[" + strings.Join(parts, ";") + "m"
}

// Width is the number of cells that s takes, sequences not counted.
func Width(s string) int { return ansi.StringWidth(s) }

// Cut cuts plain or painted s to w cells, with … for what is missing.
func Cut(s string, w int) string {
	if w <= 0 {
		return ""
	}
	return ansi.Truncate(s, w, "…")
}

// CutLeft keeps the end of s in w cells, with … for what is missing, as fits
// paths and addresses.
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

const blanks = "                                                                                                                                "

// Blank returns n blanks.
func Blank(n int) string {
	if n <= 0 {
		return ""
	}
	if n <= len(blanks) {
		return blanks[:n]
	}
	return strings.Repeat(" ", n)
}
