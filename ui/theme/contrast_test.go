package theme

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// systems are the first eight and the bright eight colours as terminals have them.
var systems = map[string][16]string{
	"xterm": {"#000000", "#CD0000", "#00CD00", "#CDCD00", "#0000EE", "#CD00CD", "#00CDCD", "#E5E5E5",
		"#7F7F7F", "#FF0000", "#00FF00", "#FFFF00", "#5C5CFF", "#FF00FF", "#00FFFF", "#FFFFFF"},
	"VGA": {"#000000", "#AA0000", "#00AA00", "#AA5500", "#0000AA", "#AA00AA", "#00AAAA", "#AAAAAA",
		"#555555", "#FF5555", "#55FF55", "#FFFF55", "#5555FF", "#FF55FF", "#55FFFF", "#FFFFFF"},
	"VS Code": {"#000000", "#CD3131", "#0DBC79", "#E5E510", "#2472C8", "#BC3FBC", "#11A8CD", "#E5E5E5",
		"#666666", "#F14C4C", "#23D18B", "#F5F543", "#3B8EEA", "#D670D6", "#29B8DB", "#E5E5E5"},
}

var (
	darkOnes  = []string{"#000000", "#14161B", "#1E1E1E", "#1E1E2E", "#282C34"}
	lightOnes = []string{"#FFFFFF", "#FBFBF8", "#FDF6E3", "#EFF1F5"}
)

// Borders carry no words; everything else has to be readable, in every theme, on
// every background and on the selected row's.
func TestColoursOfWordsHaveContrast(t *testing.T) {
	t.Parallel()
	if got := contrast(colour("#000000"), colour("#FFFFFF")); math.Abs(got-21) > 0.01 {
		t.Fatalf("black on white is %.2f, want 21: the formula is wrong", got)
	}
	if got := ansi.Convert256(colour("#AF5F00")); got != 130 {
		t.Fatalf("#AF5F00 is colour %d, want 130", got)
	}
	full, indexed := colorprofile.TrueColor, colorprofile.ANSI256
	for _, l := range builtins {
		best, ofIndexed := 4.5, 4.5
		if l.name == "contrast" {
			best, ofIndexed = 7, 6.4
		}
		for _, c := range []struct {
			on          Background
			profile     colorprofile.Profile
			backgrounds []string // besides the selected row's
			least       float64
		}{
			{Dark, full, darkOnes, best},
			{Dark, indexed, darkOnes, ofIndexed},
			{Light, full, lightOnes, best},
			{Light, indexed, lightOnes[:2], ofIndexed},
			// Nothing has more than 4.58 on both black and white.
			{Unknown, full, []string{"#000000", "#FFFFFF"}, 4.5},
			{Unknown, indexed, []string{"#000000", "#FFFFFF"}, 4},
		} {
			p := l.paletteFor(c.on, c.profile)
			on := slices.Clone(c.backgrounds)
			if p.Selection != nil {
				on = append(on, hexOf(p.Selection))
			}
			fields := p.fields()
			for i, field := range fields[:words] {
				if *field == nil {
					continue // the terminal's own text
				}
				for _, background := range on {
					if got := contrast(*field, colour(background)); got < c.least {
						t.Errorf("%s, %d, %v: %s %s on %s has a contrast of %.2f, want %.1f", l.name, c.on, c.profile, roles[i], hexOf(*field), background, got, c.least)
					}
				}
			}
		}
	}
}

func hexOf(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02X%02X%02X", r>>8, g>>8, b>>8)
}

// Of the sixteen colours terminals have their own idea: the ones that are used
// can be made out in several.
func TestSixteenColoursHaveContrast(t *testing.T) {
	t.Parallel()
	for _, l := range builtins {
		for on, backgrounds := range map[Background][]string{Dark: {"#000000"}, Light: {"#FFFFFF"}, Unknown: {"#000000", "#FFFFFF"}} {
			p := l.paletteFor(on, colorprofile.ANSI)
			fields := p.fields()
			for i, field := range fields[:words] {
				if *field == nil {
					continue
				}
				n, ok := (*field).(ansi.BasicColor)
				if !ok {
					t.Fatalf("%s, %d: %s is %v, none of the sixteen", l.name, on, roles[i], *field)
				}
				for name, system := range systems {
					for _, background := range backgrounds {
						if got := contrast(colour(system[n]), colour(background)); got < 2.5 {
							t.Errorf("%s, %d: %s, colour %d of %s on %s, has a contrast of %.2f, want 2.5", l.name, on, roles[i], n, name, background, got)
						}
					}
				}
			}
		}
	}
}

// The two weights of quiet words stay apart, and the accent from the text around it.
func TestQuieterWordsAreQuieter(t *testing.T) {
	t.Parallel()
	for _, l := range builtins {
		for on, background := range map[Background]string{Dark: "#14161B", Light: "#FFFFFF"} {
			for _, profile := range []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256} {
				p := l.paletteFor(on, profile)
				muted := contrast(p.Muted, colour(background))
				faint := contrast(p.Faint, colour(background))
				border := contrast(p.Border, colour(background))
				if muted < faint*1.2 || faint < border*1.2 {
					t.Errorf("%s, background %d, %v: muted words have %.2f, faint ones %.2f, borders %.2f: they look the same", l.name, on, profile, muted, faint, border)
				}
				for _, other := range []color.Color{p.Muted, p.Run, p.Doubt, p.Good, p.Bad} {
					if p.Accent == other {
						t.Errorf("%s, background %d, %v: the accent is %v, as another colour is", l.name, on, profile, other)
					}
				}
			}
		}
	}
}

func TestOwnColoursTakeTheirPlace(t *testing.T) {
	t.Parallel()
	c := Choice{Name: "slate", Own: map[string]string{"accent": "#FF8800", "good": "2"}, Light: map[string]string{"accent": "#884400"}}
	for _, want := range []struct {
		on      Background
		profile colorprofile.Profile
		accent  color.Color
	}{
		{Dark, colorprofile.TrueColor, lipgloss.Color("#FF8800")},
		{Light, colorprofile.TrueColor, lipgloss.Color("#884400")},
		{Unknown, colorprofile.TrueColor, lipgloss.Color("#FF8800")},
		{Dark, colorprofile.ANSI256, ansi.IndexedColor(208)},
		{Dark, colorprofile.ANSI, ansi.BasicColor(12)}, // the theme's: sixteen colours have no such one
		{Dark, colorprofile.ASCII, nil},
	} {
		p := c.palette(want.on, want.profile)
		if p.Accent != want.accent {
			t.Errorf("%d, %v: the accent is %v, want %v", want.on, want.profile, p.Accent, want.accent)
		}
		if good := p.Good; want.profile > colorprofile.ASCII && good != ansi.BasicColor(2) {
			t.Errorf("%d, %v: good is %v", want.on, want.profile, good)
		}
		if slate := find("slate").paletteFor(want.on, want.profile); p.Bad != slate.Bad {
			t.Errorf("%d, %v: bad is %v, want that of the theme, %v", want.on, want.profile, p.Bad, slate.Bad)
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
