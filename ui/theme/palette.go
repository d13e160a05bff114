package theme

import (
	"cmp"
	_ "embed"
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Palette holds the colours of a theme by meaning. A nil colour is the terminal's own;
// a nil Selection is reverse video. Without a Page there are no grounds: panes have lines.
type Palette struct {
	Muted, Faint, Border color.Color
	Accent               color.Color
	Good, Warn, Bad      color.Color
	Run, Fetch, Doubt    color.Color
	Text                 color.Color
	Selection            color.Color
	Page, Panel, Element color.Color // grounds, from the back to the front
	Button               color.Color // words on the accent
}

// roles are the names of a palette's colours, in its order.
var roles = []string{"muted", "faint", "accent", "good", "warn", "bad", "run", "fetch", "doubt", "text",
	"border", "selection", "page", "panel", "element", "button"}

// fields are the colours of a palette in the order of roles.
func (p *Palette) fields() [16]*color.Color {
	return [...]*color.Color{&p.Muted, &p.Faint, &p.Accent, &p.Good, &p.Warn, &p.Bad, &p.Run, &p.Fetch, &p.Doubt, &p.Text,
		&p.Border, &p.Selection, &p.Page, &p.Panel, &p.Element, &p.Button}
}

// Names are the built-in themes; the first one is used when none was chosen.
var Names = []string{"amber", "slate", "mono", "contrast"}

// palettes has a line for each theme, background and number of colours.
//
//go:embed palettes.txt
var palettes string

// palette is the built-in palette with the own colours that the terminal can show.
func (c Choice) palette(on Background, profile colorprofile.Profile) Palette {
	var p Palette
	if profile <= colorprofile.ASCII {
		return p
	}
	background := [...]string{Unknown: "any", Dark: "dark", Light: "light"}[on]
	colours := map[colorprofile.Profile]string{colorprofile.ANSI: "16", colorprofile.ANSI256: "256"}[profile]
	head := strings.Join([]string{cmp.Or(c.Name, Names[0]), background, cmp.Or(colours, "full")}, " ")
	_, row, _ := strings.Cut(palettes, "\n"+head+" ")
	row, _, _ = strings.Cut(row, "\n")
	special, fields := map[Background]map[string]string{Dark: c.Dark, Light: c.Light}[on], p.fields()
	for i, listed := range strings.Fields(row) {
		*fields[i] = colour(listed)
		set := cmp.Or(special[roles[i]], c.Own[roles[i]])
		if set == "" {
			continue
		}
		given := lipgloss.Color(set)
		_, basic := given.(ansi.BasicColor)
		switch {
		case basic || profile == colorprofile.TrueColor:
			*fields[i] = given
		case profile == colorprofile.ANSI256:
			*fields[i] = ansi.Convert256(given)
		}
	}
	return p
}

// colour reads a colour of a palette: RRGGBB, or a number.
func colour(s string) color.Color {
	switch {
	case s == "-":
		return nil
	case len(s) == len("RRGGBB"):
		s = "#" + s
	}
	return lipgloss.Color(s)
}
