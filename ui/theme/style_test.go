package theme

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api/sim/simtest/expect"
	"darkroom/state/settings"
)

func TestStylesAreSequences(t *testing.T) {
	t.Parallel()
	red, grey := lipgloss.Color("#010203"), lipgloss.Color("236")
	for _, c := range []struct {
		style Style
		want  string
	}{
		{Style{}, "x"},
		{styled(nil, nil), "x"},
		{styled(red, grey, ansi.AttrBold), "\x1b[1;38;2;1;2;3;48;5;236mx\x1b[m"},
		{styled(nil, nil, ansi.AttrBold, ansi.AttrReverse), "\x1b[1;7mx\x1b[m"},
		{styled(nil, lipgloss.Color("9")), "\x1b[101mx\x1b[m"},
	} {
		expect.Equal(t, c.style.Paint("x"), c.want, "painted")
		expect.Equal(t, c.style.Paint(""), "", "nothing, painted")
	}
}

// Without colours everything that has to differ does so by attributes.
func TestThemesWithoutColoursHaveNone(t *testing.T) {
	t.Parallel()
	th := Choice{}.Theme(Dark, colorprofile.Ascii)
	for _, s := range []Style{th.Text, th.Strong, th.Muted, th.Bad, th.Tab, th.Token, th.Selected.Text, th.Selected.Bad} {
		got := s.Paint("x")
		expect.That(t, !strings.Contains(got, "38;") && !strings.Contains(got, "48;") && !strings.Contains(got, "[3"), got, "has a colour")
	}
	expect.That(t, th.Selected.Text.Paint("x") != th.Text.Paint("x"), "the selected row looks like the others")
	expect.That(t, th.Tab.Paint("x") != th.Muted.Paint("x"), "the tab looks like the others")
}

// The names and colours that the settings know are those of the themes.
func TestSettingsKnowEveryTheme(t *testing.T) {
	t.Parallel()
	expect.List(t, settings.ThemeNames, Names, "the settings know the themes")
	expect.List(t, settings.ThemeRoles, roles, "the settings know the colours")
}

func TestSteadyFramesTakeTheSameCellsHoweverTheyAreCounted(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		"│ 👩‍👩‍👧‍👦 family portrait │", "│ ⚠️ care ❤️ │", "│ 👍🏽 ok │", "│ 1️⃣ first │", "🏳️‍🌈", "\x1b[1m👩‍🚀\x1b[m 纸船", "plain\n👩‍🚀 x\nplain",
	} {
		out := Steady(in)
		for line := range strings.Lines(out) {
			expect.Equal(t, ansi.StringWidth(line), ansi.StringWidthWc(line), line, "by signs and by code points")
		}
		expect.Equal(t, ansi.StringWidth(in), ansi.StringWidth(out), in, "and", out)
	}
	for _, in := range []string{"", "plain", "纸船 🚋 【@图片1】", "\x1b[38;2;1;2;3m│\x1b[m"} {
		expect.Equal(t, Steady(in), in)
	}
}

// systems are the first eight and the bright eight colours as terminals have them.
var systems = map[string][16]string{
	"xterm": {"#000000", "#CD0000", "#00CD00", "#CDCD00", "#0000EE", "#CD00CD", "#00CDCD", "#E5E5E5",
		"#7F7F7F", "#FF0000", "#00FF00", "#FFFF00", "#5C5CFF", "#FF00FF", "#00FFFF", "#FFFFFF"},
	"VGA": {"#000000", "#AA0000", "#00AA00", "#AA5500", "#0000AA", "#AA00AA", "#00AAAA", "#AAAAAA",
		"#555555", "#FF5555", "#55FF55", "#FFFF55", "#5555FF", "#FF55FF", "#55FFFF", "#FFFFFF"},
	"VS Code": {"#000000", "#CD3131", "#0DBC79", "#E5E510", "#2472C8", "#BC3FBC", "#11A8CD", "#E5E5E5",
		"#666666", "#F14C4C", "#23D18B", "#F5F543", "#3B8EEA", "#D670D6", "#29B8DB", "#E5E5E5"},
}

// words is the number of roles that carry words and have to be readable: the first.
const words = 10

// unknown are the backgrounds between which every other one lies.
var unknown = []color.Color{lipgloss.Color("#000000"), lipgloss.Color("#FFFFFF")}

// Borders carry no words; everything else has to be readable, in every theme, on each
// of its grounds and on the selected row's, where what is faint is written muted.
func TestColoursOfWordsHaveContrast(t *testing.T) {
	t.Parallel()
	got := contrast(lipgloss.Color("#000000"), lipgloss.Color("#FFFFFF"))
	expect.Must(t, math.Abs(got-21) <= 0.01, "black on white is", got, "want 21: the formula is wrong")
	expect.Equal(t, ansi.Convert256(lipgloss.Color("#AF5F00")), 130, "#AF5F00")
	full, indexed := colorprofile.TrueColor, colorprofile.ANSI256
	for _, name := range Names {
		best, ofIndexed := 4.5, 4.5
		if name == "contrast" {
			best, ofIndexed = 7, 6.4
		}
		for _, c := range []struct {
			on      Background
			profile colorprofile.Profile
			least   float64
		}{
			{Dark, full, best},
			{Dark, indexed, ofIndexed},
			{Light, full, best},
			{Light, indexed, ofIndexed},
			// Nothing has more than 4.58 on both black and white.
			{Unknown, full, 4.5},
			{Unknown, indexed, 4},
		} {
			p, grounds := (Choice{Name: name}).palette(c.on, c.profile), unknown
			if c.on != Unknown {
				grounds = []color.Color{p.Page, p.Panel, p.Element}
				got := contrast(p.Button, p.Accent)
				expect.That(t, got >= c.least, name, c.on, c.profile, "the words of the button have a contrast of", got)
			}
			for i, heat := range (Choice{Name: name}.Theme(c.on, c.profile)).heats {
				expect.That(t, heat.Colour == nil || contrast(p.Text, heat.Colour) >= c.least, name, c.on, c.profile, "text on heat", i)
				expect.That(t, heat.Colour == nil || i > 3 || contrast(p.Accent, heat.Colour) >= min(c.least, 4.5), name, c.on, c.profile, "accent on heat", i)
			}
			fields := p.fields()
			for i, field := range fields[:words] {
				on := grounds
				if p.Selection != nil && roles[i] != "faint" {
					on = append(slices.Clone(on), p.Selection)
				}
				for _, ground := range on {
					if *field == nil {
						break // the terminal's own text
					}
					got := contrast(*field, ground)
					expect.That(t, got >= c.least, name, c.on, c.profile, roles[i], hexOf(*field), "on", hexOf(ground), "has", got, "want", c.least)
				}
			}
		}
	}
}

// Words can be read on the tint of any picture, all but faint ones.
func TestWordsHaveContrastOnTints(t *testing.T) {
	t.Parallel()
	for _, name := range Names {
		for _, on := range []Background{Dark, Light} {
			for _, profile := range []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256} {
				p, th := (Choice{Name: name}).palette(on, profile), Choice{Name: name}.Theme(on, profile)
				fields := p.fields()
				for n := range 5 * 5 * 5 {
					mean := color.RGBA{uint8(n % 5 * 63), uint8(n / 5 % 5 * 63), uint8(n / 25 * 63), 255}
					ground := th.Tint(mean).Colour
					for i, field := range fields[:words] {
						got := contrast(*field, ground)
						expect.That(t, roles[i] == "faint" || got >= 4.5, name, on, profile, roles[i], "on the tint", hexOf(ground), "of", mean, "has", got)
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
	for _, name := range Names {
		for on, backgrounds := range map[Background][]string{Dark: {"#000000"}, Light: {"#FFFFFF"}, Unknown: {"#000000", "#FFFFFF"}} {
			p := (Choice{Name: name}).palette(on, colorprofile.ANSI)
			fields := p.fields()
			for i, field := range fields[:words] {
				if *field == nil {
					continue
				}
				n, ok := (*field).(ansi.BasicColor)
				expect.Must(t, ok, name, on, roles[i], "is", *field, "none of the sixteen")
				for of, system := range systems {
					for _, background := range backgrounds {
						got := contrast(lipgloss.Color(system[n]), lipgloss.Color(background))
						expect.That(t, got >= 2.5, name, on, roles[i], "colour", n, "of", of, "on", background, "has a contrast of", got, "want 2.5")
					}
				}
			}
		}
	}
}

// The two weights of quiet words stay apart, and the accent from the text around it.
func TestQuieterWordsAreQuieter(t *testing.T) {
	t.Parallel()
	for _, name := range Names {
		for on, background := range map[Background]string{Dark: "#14161B", Light: "#FFFFFF"} {
			for _, profile := range []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256} {
				p := (Choice{Name: name}).palette(on, profile)
				muted := contrast(p.Muted, lipgloss.Color(background))
				faint := contrast(p.Faint, lipgloss.Color(background))
				border := contrast(p.Border, lipgloss.Color(background))
				expect.That(t, muted >= faint*1.2, name, "background", on, profile, "muted words have", muted, "faint ones", faint)
				expect.That(t, faint >= border*1.2, name, "background", on, profile, "faint words have", faint, "borders", border)
				for _, other := range []color.Color{p.Muted, p.Run, p.Doubt, p.Good, p.Bad} {
					expect.That(t, p.Accent != other, name, "background", on, profile, "the accent is", other, "as another colour is")
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
		expect.Equal(t, p.Accent, want.accent, want.on, want.profile, "the accent")
		expect.That(t, want.profile <= colorprofile.ASCII || p.Good == ansi.BasicColor(2), want.on, want.profile, "good")
		slate := (Choice{Name: "slate"}).palette(want.on, want.profile)
		expect.Equal(t, p.Bad, slate.Bad, want.on, want.profile, "bad is that of the theme")
	}
}

func TestGuessReadsTheLastPart(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]Background{"": Unknown, "15;0": Dark, "0;15": Light, "0;default;15": Light, "7": Light, "12;8": Dark, "x": Unknown} {
		expect.Equal(t, Guess(in), want, in, "taken for")
	}
}

// contrast is the ratio of two colours by the Web Content Accessibility
// Guidelines, from 1 to 21: words need 4.5.
func contrast(a, b color.Color) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// luminance is the relative luminance of a colour.
func luminance(c color.Color) float64 {
	part := func(v uint32) float64 {
		c := float64(v) / 0xffff
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	r, g, b, _ := c.RGBA()
	return 0.2126*part(r) + 0.7152*part(g) + 0.0722*part(b)
}

func FuzzWidth(f *testing.F) {
	for _, s := range []string{"", "plain", "\x1b[1;38;2;1;2;3mred\x1b[m 清晨", "e\u0301 \x1b[4:3mwavy", "\x1b]8;;http://x\x07link", "1\ufe0f\u20e3", "a\x1b", "\x1b[2Jm", "\x9b1m", "\xe6\x1b[m", "\x1b[1 qx"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		expect.Equal(t, Width(s), ansi.StringWidth(s), s, "cells")
	})
}
