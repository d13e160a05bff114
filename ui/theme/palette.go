package theme

import (
	"fmt"

	"github.com/charmbracelet/colorprofile"
)

// Palette holds colours as parts of a "select graphic rendition" sequence
// ("38;2;242;166;90", "33"), so that inks are made by joining. Selection is a
// background.
type Palette struct {
	Muted, Faint, Border string
	Accent               string
	Good, Warn, Bad      string
	Run, Fetch, Doubt    string
	Selection            string
}

func rgb(hex uint32) string { return fmt.Sprintf("38;2;%d;%d;%d", hex>>16, hex>>8&0xff, hex&0xff) }

func rgbGround(hex uint32) string {
	return fmt.Sprintf("48;2;%d;%d;%d", hex>>16, hex>>8&0xff, hex&0xff)
}

// reverse is the ground of terminals that have no quiet colour for it.
const reverse = "7"

// paletteFor picks the colours: the amber of a safelight on whatever ground the
// terminal has. Each that carries words has a contrast of at least 4.5 to 1 to
// the common grounds and to the selected row's. Terminals with fewer colours
// are told their own, because the nearest match would turn quiet greys into
// the ground itself.
func paletteFor(on Ground, profile colorprofile.Profile) Palette {
	switch profile {
	case colorprofile.Ascii, colorprofile.NoTTY:
		return Palette{Selection: reverse}
	case colorprofile.ANSI:
		return sixteen(on)
	case colorprofile.ANSI256:
		return manyFor(on)
	}
	switch on {
	case Light:
		return Palette{
			Muted: rgb(0x555555), Faint: rgb(0x696969), Border: rgb(0xB2B2B2), Accent: rgb(0x9F4506),
			Good: rgb(0x2F6B22), Warn: rgb(0x7A5600), Bad: rgb(0xB02F22),
			Run: rgb(0x1F62AA), Fetch: rgb(0x10716D), Doubt: rgb(0x76389B), Selection: rgbGround(0xF8EADA),
		}
	case Unknown:
		return Palette{
			Muted: rgb(0x767676), Faint: rgb(0x767676), Border: rgb(0x8A8A8A), Accent: rgb(0xB1611D),
			Good: rgb(0x468337), Warn: rgb(0x8F710E), Bad: rgb(0xCD4839),
			Run: rgb(0x3677C2), Fetch: rgb(0x18827D), Doubt: rgb(0x985BBE), Selection: reverse,
		}
	}
	return Palette{
		Muted: rgb(0xB4B4B4), Faint: rgb(0x969696), Border: rgb(0x585858), Accent: rgb(0xF2A65A),
		Good: rgb(0x93C47D), Warn: rgb(0xE8C66A), Bad: rgb(0xEE7B6C),
		Run: rgb(0x82B4E8), Fetch: rgb(0x70C7C0), Doubt: rgb(0xCBA0E4), Selection: rgbGround(0x38291B),
	}
}

// manyFor are the colours of terminals with 256.
func manyFor(on Ground) Palette {
	many := func(n int) string { return fmt.Sprintf("38;5;%d", n) }
	switch on {
	case Light:
		return Palette{
			Muted: many(240), Faint: many(242), Border: many(249), Accent: many(130), Good: many(28), Warn: many(94), Bad: many(124),
			Run: many(25), Fetch: many(23), Doubt: many(91), Selection: "48;5;230",
		}
	case Unknown:
		return Palette{
			Muted: many(243), Faint: many(243), Border: many(245), Accent: many(130), Good: many(28), Warn: many(130), Bad: many(161),
			Run: many(63), Fetch: many(30), Doubt: many(98), Selection: reverse,
		}
	}
	return Palette{
		Muted: many(249), Faint: many(247), Border: many(240), Accent: many(215), Good: many(114), Warn: many(221), Bad: many(210),
		Run: many(110), Fetch: many(80), Doubt: many(183), Selection: "48;5;236",
	}
}

// sixteen are the terminal's own colours, by name.
func sixteen(on Ground) Palette {
	if on == Dark {
		return Palette{Muted: "37", Faint: "90", Border: "90", Accent: "93", Good: "32", Warn: "33", Bad: "91",
			Run: "94", Fetch: "36", Doubt: "95", Selection: reverse}
	}
	p := Palette{Muted: "90", Faint: "90", Border: "90", Accent: "31", Good: "32", Warn: "35", Bad: "31",
		Run: "34", Fetch: "36", Doubt: "35", Selection: reverse}
	if on == Unknown {
		p.Run = "36" // blue is lost on black
	}
	return p
}
