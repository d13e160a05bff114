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

// paletteFor picks the colours: the amber of a safelight on whatever ground the
// terminal has. Sixteen-colour terminals are told their own names, because the
// nearest match would turn quiet greys into the ground itself.
func paletteFor(dark bool, profile colorprofile.Profile) Palette {
	switch {
	case profile == colorprofile.Ascii || profile == colorprofile.NoTTY:
		return Palette{Selection: "7"}
	case profile == colorprofile.ANSI && dark:
		return Palette{Muted: "37", Faint: "90", Border: "90", Accent: "93", Good: "32", Warn: "33", Bad: "91",
			Run: "94", Fetch: "36", Doubt: "95", Selection: "7"}
	case profile == colorprofile.ANSI:
		return Palette{Muted: "90", Faint: "90", Border: "90", Accent: "31", Good: "32", Warn: "35", Bad: "31",
			Run: "34", Fetch: "36", Doubt: "35", Selection: "7"}
	case dark:
		return Palette{
			Muted: rgb(0xA8A8A8), Faint: rgb(0x808080), Border: rgb(0x585858), Accent: rgb(0xF2A65A),
			Good: rgb(0x93C47D), Warn: rgb(0xE8C66A), Bad: rgb(0xEE7B6C),
			Run: rgb(0x82B4E8), Fetch: rgb(0x70C7C0), Doubt: rgb(0xCBA0E4), Selection: rgbGround(0x3B2F25),
		}
	default:
		return Palette{
			Muted: rgb(0x5F5F5F), Faint: rgb(0x808080), Border: rgb(0xB2B2B2), Accent: rgb(0xA84B08),
			Good: rgb(0x38762A), Warn: rgb(0x8A6400), Bad: rgb(0xB93426),
			Run: rgb(0x1F62AA), Fetch: rgb(0x10716D), Doubt: rgb(0x76389B), Selection: rgbGround(0xF6E6D4),
		}
	}
}
