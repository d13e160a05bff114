package theme

import (
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// Palette holds the colours of a theme by meaning. A nil colour is the terminal's own;
// a nil Selection is reverse video.
type Palette struct {
	Muted, Faint, Border color.Color
	Accent               color.Color
	Good, Warn, Bad      color.Color
	Run, Fetch, Doubt    color.Color
	Selection            color.Color
}

// roles are the names of a palette's colours, in its order.
var roles = []string{"muted", "faint", "accent", "good", "warn", "bad", "run", "fetch", "doubt", "border", "selection"}

// words is the number of roles that carry words and have to be readable: the first.
const words = 9

// fields are the colours of a palette in the order of roles.
func (p *Palette) fields() [11]*color.Color {
	return [...]*color.Color{&p.Muted, &p.Faint, &p.Accent, &p.Good, &p.Warn, &p.Bad, &p.Run, &p.Fetch, &p.Doubt, &p.Border, &p.Selection}
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
// least 4.5 to 1 to the common backgrounds and the selected row's, of 7 to 1 in the last.
var builtins = []builtin{
	{
		name: "amber",
		full: [...]string{
			Unknown: "#767676 #767676 #B1611D #468337 #8F710E #CD4839 #3677C2 #18827D #985BBE #8A8A8A -",
			Dark:    "#B4B4B4 #969696 #F2A65A #93C47D #E8C66A #EE7B6C #82B4E8 #70C7C0 #CBA0E4 #585858 #38291B",
			Light:   "#555555 #696969 #9F4506 #2F6B22 #7A5600 #B02F22 #1F62AA #10716D #76389B #B2B2B2 #F8EADA",
		},
		indexed: [...]string{
			Unknown: "243 243 130 28 130 161 63 30 98 245 -",
			Dark:    "249 247 215 114 221 210 110 80 183 240 236",
			Light:   "240 242 130 28 94 124 25 23 91 249 230",
		},
		accents: [...]string{Unknown: "1", Dark: "11", Light: "1"},
	},
	{
		name: "slate",
		full: [...]string{
			Unknown: "#767676 #767676 #3677C2 #468337 #8F710E #CD4839 #7B66C4 #18827D #B3509B #8A8A8A -",
			Dark:    "#AEBBCB #8F9CAE #8CB8F0 #8CC8A0 #E2C27A #F08C8C #B9A8F4 #6CC5C9 #E3A0CF #4A5566 #1F2C3F",
			Light:   "#4C5868 #5F6B7A #1D5FA8 #23704A #7A5600 #B0303A #5B4BB5 #0E6C75 #96388A #B4BCC8 #E6EEF9",
		},
		indexed: [...]string{
			Unknown: "243 243 63 28 130 161 98 30 133 245 -",
			Dark:    "249 246 111 115 221 210 147 80 218 240 235",
			Light:   "240 242 25 22 94 124 61 23 90 249 255",
		},
		accents: [...]string{Unknown: "-", Dark: "12", Light: "4"},
	},
	{
		name: "mono",
		full: [...]string{
			Unknown: "#767676 #767676 - #5F7F55 #87732F #AF5F59 #5878A0 #4E7F78 #816AA1 #8A8A8A -",
			Dark:    "#BABABA #999999 #FFFFFF #A9C4A0 #D6C69A #E09A90 #A6BBD0 #A0C4C0 #C0AED0 #505050 #303030",
			Light:   "#555555 #696969 #000000 #3F6238 #6E5A20 #97382E #34597F #2C625E #62477E #B8B8B8 #ECECEC",
		},
		indexed: [...]string{
			Unknown: "243 243 - 28 130 161 63 30 98 245 -",
			Dark:    "250 247 231 151 187 181 153 152 182 239 236",
			Light:   "240 242 16 22 58 88 24 23 54 249 255",
		},
		accents: [...]string{Unknown: "-", Dark: "15", Light: "0"},
	},
	{
		name: "contrast",
		full: [...]string{
			Unknown: "#767676 #767676 - #468337 #8F710E #CD4839 #3677C2 #18827D #985BBE #767676 -",
			Dark:    "#DADADA #BEBEBE #FFD75F #87E887 #FFE9A8 #FFA8A0 #9CCBFF #7FE3DC #E3BFFF #9E9E9E -",
			Light:   "#303030 #454545 #7A3300 #0F520E #5A4000 #8C1515 #0A4080 #0A4E4B #5A2379 #6C6C6C -",
		},
		indexed: [...]string{
			Unknown: "243 243 - 28 130 161 63 30 98 243 -",
			Dark:    "253 250 221 120 229 217 153 123 225 247 -",
			Light:   "236 238 52 22 58 88 18 23 54 242 -",
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
	Unknown: "8 8 - 8 5 1 8 8 5 8 -",
	Dark:    "7 8 11 2 3 9 12 6 13 8 -",
	Light:   "8 8 1 - 5 1 4 4 5 8 -",
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
