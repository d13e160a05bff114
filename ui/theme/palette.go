package theme

import (
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
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

// words is the number of roles that carry words and have to be readable: the first.
const words = 10

// fields are the colours of a palette in the order of roles.
func (p *Palette) fields() [16]*color.Color {
	return [...]*color.Color{&p.Muted, &p.Faint, &p.Accent, &p.Good, &p.Warn, &p.Bad, &p.Run, &p.Fetch, &p.Doubt, &p.Text,
		&p.Border, &p.Selection, &p.Page, &p.Panel, &p.Element, &p.Button}
}

// builtin is a built-in theme by the background: its colours in the order of roles, for
// terminals that show any colour and for those with 256, of which the nearest match is
// often too weak; and its accent for those with sixteen. "-" is the terminal's own.
type builtin struct {
	name          string
	full, indexed [3]string
	accents       [3]string
}

// builtins are the built-in themes. Each colour that carries words has a contrast of at
// least 4.5 to 1 to each ground of its theme, of 7 to 1 in the last; where there are no
// grounds, to black and white.
var builtins = []builtin{
	{
		name: "amber",
		full: [...]string{
			Unknown: "#767676 #767676 #B1611D #468337 #8F710E #CD4839 #3677C2 #18827D #985BBE - " +
				"#8A8A8A - - - - -",
			Dark: "#ADB2BE #8B91A0 #FFB259 #86D992 #FFD166 #FF7A76 #7AB8FF #70C7C0 #C4A7FF #E8E6E1 " +
				"#454B59 #2C3140 #0F1116 #171A21 #232833 #1B1205",
			Light: "#55524A #68655B #9C4706 #226634 #735000 #A3211A #1B549B #0F615D #6B3FB5 #23211D " +
				"#BDB8AA #E3DDD0 #F3F1EC #FBFAF7 #E9E6DE #FFFFFF",
		},
		indexed: [...]string{
			Unknown: "243 243 130 28 130 161 63 30 98 - 245 - - - - -",
			Dark:    "249 247 215 114 221 210 110 80 183 254 240 237 233 234 236 232",
			Light:   "239 241 94 22 58 88 25 23 54 234 249 254 254 231 255 231",
		},
		accents: [...]string{Unknown: "1", Dark: "11", Light: "1"},
	},
	{
		name: "slate",
		full: [...]string{
			Unknown: "#767676 #767676 #3677C2 #468337 #8F710E #CD4839 #7B66C4 #18827D #B3509B - " +
				"#8A8A8A - - - - -",
			Dark: "#AEBBCB #8F9CAE #8CB8F0 #8CC8A0 #E2C27A #F08C8C #B9A8F4 #6CC5C9 #E3A0CF #E3E8EF " +
				"#465264 #27344A #0D1219 #141B25 #1F2937 #0A1420",
			Light: "#4C5868 #5A6675 #1D5FA8 #1F663F #6B4E00 #A52A34 #5B4BB5 #0B5F67 #8A2F7D #1C2430 " +
				"#B4BCC8 #D9E3F0 #EDF1F6 #FAFCFE #E3E9F1 #FFFFFF",
		},
		indexed: [...]string{
			Unknown: "243 243 63 28 130 161 98 30 133 - 245 - - - - -",
			Dark:    "249 247 111 115 221 210 147 80 218 254 240 237 233 234 236 232",
			Light:   "239 241 25 22 58 88 55 23 90 234 249 254 254 231 255 231",
		},
		accents: [...]string{Unknown: "-", Dark: "12", Light: "4"},
	},
	{
		name: "mono",
		full: [...]string{
			Unknown: "#767676 #767676 - #5F7F55 #87732F #AF5F59 #5878A0 #4E7F78 #816AA1 - " +
				"#8A8A8A - - - - -",
			Dark: "#BABABA #999999 #FFFFFF #A9C4A0 #D6C69A #E09A90 #A6BBD0 #A0C4C0 #C0AED0 #E6E6E6 " +
				"#4A4A4A #303030 #101010 #191919 #262626 #101010",
			Light: "#505050 #636363 #000000 #365630 #5E4C14 #872D24 #2C5074 #245650 #593F74 #222222 " +
				"#B8B8B8 #DCDCDC #F1F1F1 #FCFCFC #E7E7E7 #FFFFFF",
		},
		indexed: [...]string{
			Unknown: "243 243 - 28 130 161 63 30 98 - 245 - - - - -",
			Dark:    "250 247 231 151 187 181 153 152 182 254 239 237 233 234 236 232",
			Light:   "239 241 16 22 58 88 24 23 54 234 249 254 254 231 255 231",
		},
		accents: [...]string{Unknown: "-", Dark: "15", Light: "0"},
	},
	{
		name: "contrast",
		full: [...]string{
			Unknown: "#767676 #767676 - #468337 #8F710E #CD4839 #3677C2 #18827D #985BBE - " +
				"#767676 - - - - -",
			Dark: "#DADADA #BEBEBE #FFD75F #87E887 #FFE9A8 #FFA8A0 #9CCBFF #7FE3DC #E3BFFF #FFFFFF " +
				"#9E9E9E - #000000 #0E0E0E #1F1F1F #000000",
			Light: "#303030 #454545 #7A3300 #0F520E #5A4000 #8C1515 #0A4080 #0A4E4B #5A2379 #000000 " +
				"#6C6C6C - #FFFFFF #F7F7F7 #ECECEC #FFFFFF",
		},
		indexed: [...]string{
			Unknown: "243 243 - 28 130 161 63 30 98 - 243 - - - - -",
			Dark:    "253 250 221 120 229 217 153 123 225 231 247 - 16 233 234 16",
			Light:   "236 238 52 22 236 88 18 235 54 16 242 - 231 231 255 231",
		},
		accents: [...]string{Unknown: "-", Dark: "11", Light: "0"},
	},
}

// Names are the built-in themes; the first one is used when none was chosen.
func Names() []string {
	names := make([]string, len(builtins))
	for i, l := range builtins {
		names[i] = l.name
	}
	return names
}

func find(name string) builtin {
	for _, l := range builtins {
		if l.name == name {
			return l
		}
	}
	return builtins[0]
}

// sixteen are the terminal's own colours in the order of roles. Those left out cannot be
// read on that background in many terminals.
var sixteen = [...]string{
	Unknown: "8 8 - 8 5 1 8 8 5 - 8 - - - - -",
	Dark:    "7 8 11 2 3 9 12 6 13 - 8 - - - - -",
	Light:   "8 8 1 - 5 1 4 4 5 - 8 - - - - -",
}

func (l builtin) paletteFor(on Background, profile colorprofile.Profile) Palette {
	var p Palette
	switch profile {
	case colorprofile.ASCII, colorprofile.NoTTY:
	case colorprofile.ANSI:
		p.set(sixteen[on])
		p.Accent = colour(l.accents[on])
	case colorprofile.ANSI256:
		p.set(l.indexed[on])
	default:
		p.set(l.full[on])
	}
	return p
}

func (p *Palette) set(colours string) {
	fields := p.fields()
	for i, c := range strings.Fields(colours) {
		*fields[i] = colour(c)
	}
}

// colour reads a colour as lipgloss.Color does; "-" is the terminal's own.
func colour(s string) color.Color {
	if s == "-" {
		return nil
	}
	return lipgloss.Color(s)
}
