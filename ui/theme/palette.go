package theme

import (
	"cmp"
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

// palettes are the built-in themes by the terminal's background, "any" if it is not known,
// and colours: any colour; 256, of which the nearest match is often too weak; or the
// terminal's own sixteen, without those that cannot be read on that background in many
// terminals. The colours follow in the order of roles; "-" is the terminal's own. Each that
// carries words has a contrast of at least 4.5 to 1 to each ground of its theme, of 7 to 1
// in the last; where there are no grounds, to black and white.
const palettes = `
amber any full 767676 767676 B1611D 468337 8F710E CD4839 3677C2 18827D 985BBE - 8A8A8A - - - - -
amber any 256 243 243 130 28 130 161 63 30 98 - 245 - - - - -
amber any 16 8 8 - 8 5 1 8 8 5 - 8 - - - - -
amber dark full ADB2BE 8B91A0 FFB259 86D992 FFD166 FF7A76 7AB8FF 70C7C0 C4A7FF E8E6E1 454B59 2C3140 0F1116 171A21 232833 1B1205
amber dark 256 249 247 215 114 221 210 110 80 183 254 240 237 233 234 236 232
amber dark 16 7 8 11 2 3 9 12 6 13 - 8 - - - - -
amber light full 55524A 68655B 9C4706 226634 735000 A3211A 1B549B 0F615D 6B3FB5 23211D BDB8AA E3DDD0 F3F1EC FBFAF7 E9E6DE FFFFFF
amber light 256 239 241 94 22 58 88 25 23 54 234 249 254 254 231 255 231
amber light 16 8 8 4 - 5 1 4 4 5 - 8 - - - - -
slate any full 767676 767676 3677C2 468337 8F710E CD4839 7B66C4 18827D B3509B - 8A8A8A - - - - -
slate any 256 243 243 63 28 130 161 98 30 133 - 245 - - - - -
slate any 16 8 8 - 8 5 1 8 8 5 - 8 - - - - -
slate dark full AEBBCB 8F9CAE 8CB8F0 8CC8A0 E2C27A F08C8C B9A8F4 6CC5C9 E3A0CF E3E8EF 465264 27344A 0D1219 141B25 1F2937 0A1420
slate dark 256 249 247 111 115 221 210 147 80 218 254 240 237 233 234 236 232
slate dark 16 7 8 12 2 3 9 12 6 13 - 8 - - - - -
slate light full 4C5868 5A6675 1D5FA8 1F663F 6B4E00 A52A34 5B4BB5 0B5F67 8A2F7D 1C2430 B4BCC8 D9E3F0 EDF1F6 FAFCFE E3E9F1 FFFFFF
slate light 256 239 241 25 22 58 88 55 23 90 234 249 254 254 231 255 231
slate light 16 8 8 4 - 5 1 4 4 5 - 8 - - - - -
mono any full 767676 767676 - 5F7F55 87732F AF5F59 5878A0 4E7F78 816AA1 - 8A8A8A - - - - -
mono any 256 243 243 - 28 130 161 63 30 98 - 245 - - - - -
mono any 16 8 8 - 8 5 1 8 8 5 - 8 - - - - -
mono dark full BABABA 999999 FFFFFF A9C4A0 D6C69A E09A90 A6BBD0 A0C4C0 C0AED0 E6E6E6 4A4A4A 303030 101010 191919 262626 101010
mono dark 256 250 247 231 151 187 181 153 152 182 254 239 237 233 234 236 232
mono dark 16 7 8 15 2 3 9 12 6 13 - 8 - - - - -
mono light full 505050 636363 000000 365630 5E4C14 872D24 2C5074 245650 593F74 222222 B8B8B8 DCDCDC F1F1F1 FCFCFC E7E7E7 FFFFFF
mono light 256 239 241 16 22 58 88 24 23 54 234 249 254 254 231 255 231
mono light 16 8 8 0 - 5 1 4 4 5 - 8 - - - - -
contrast any full 767676 767676 - 468337 8F710E CD4839 3677C2 18827D 985BBE - 767676 - - - - -
contrast any 256 243 243 - 28 130 161 63 30 98 - 243 - - - - -
contrast any 16 8 8 - 8 5 1 8 8 5 - 8 - - - - -
contrast dark full DADADA BEBEBE FFD75F 87E887 FFE9A8 FFA8A0 9CCBFF 7FE3DC E3BFFF FFFFFF 9E9E9E - 000000 0E0E0E 1F1F1F 000000
contrast dark 256 253 250 221 120 229 217 153 123 225 231 247 - 16 233 234 16
contrast dark 16 7 8 11 2 3 9 12 6 13 - 8 - - - - -
contrast light full 303030 454545 7A3300 0F520E 5A4000 8C1515 0A4080 0A4E4B 5A2379 000000 6C6C6C - FFFFFF F7F7F7 ECECEC FFFFFF
contrast light 256 236 238 52 22 236 88 18 235 54 16 242 - 231 231 255 231
contrast light 16 8 8 0 - 5 1 4 4 5 - 8 - - - - -
`

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
