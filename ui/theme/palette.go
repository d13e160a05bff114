package theme

import (
	"image/color"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// Palette holds the colours of a theme by meaning. A nil colour is the
// terminal's own. Selection is the background of the selected row; nil is
// reverse video, for terminals that have no quiet colour for it.
type Palette struct {
	Muted, Faint, Border color.Color
	Accent               color.Color
	Good, Warn, Bad      color.Color
	Run, Fetch, Doubt    color.Color
	Selection            color.Color
}

// paletteFor picks the colours: one amber accent on whatever background the
// terminal has. Each that carries words has a contrast of at least 4.5 to 1 to
// the common backgrounds and to the selected row's. Terminals with fewer
// colours get a palette of their own, because the nearest match would turn
// quiet greys into the background itself.
func paletteFor(on Background, profile colorprofile.Profile) Palette {
	switch profile {
	case colorprofile.Ascii, colorprofile.NoTTY:
		return Palette{}
	case colorprofile.ANSI:
		return sixteen(on)
	case colorprofile.ANSI256:
		return indexed(on)
	}
	return full(on)
}

// choose returns the function that picks the colour for the background. Colours
// are written as lipgloss.Color takes them; "" is the terminal's own.
func choose(on Background) func(dark, light, unknown string) color.Color {
	lightDark := lipgloss.LightDark(on == Dark)
	return func(dark, light, unknown string) color.Color {
		if on == Unknown {
			return colour(unknown)
		}
		return lightDark(colour(light), colour(dark))
	}
}

func colour(s string) color.Color {
	if s == "" {
		return nil
	}
	return lipgloss.Color(s)
}

// full are the colours of terminals that show any.
func full(on Background) Palette {
	pick := choose(on)
	return Palette{
		Muted:     pick("#B4B4B4", "#555555", "#767676"),
		Faint:     pick("#969696", "#696969", "#767676"),
		Border:    pick("#585858", "#B2B2B2", "#8A8A8A"),
		Accent:    pick("#F2A65A", "#9F4506", "#B1611D"),
		Good:      pick("#93C47D", "#2F6B22", "#468337"),
		Warn:      pick("#E8C66A", "#7A5600", "#8F710E"),
		Bad:       pick("#EE7B6C", "#B02F22", "#CD4839"),
		Run:       pick("#82B4E8", "#1F62AA", "#3677C2"),
		Fetch:     pick("#70C7C0", "#10716D", "#18827D"),
		Doubt:     pick("#CBA0E4", "#76389B", "#985BBE"),
		Selection: pick("#38291B", "#F8EADA", ""),
	}
}

// indexed are the colours of terminals with 256.
func indexed(on Background) Palette {
	pick := choose(on)
	return Palette{
		Muted:     pick("249", "240", "243"),
		Faint:     pick("247", "242", "243"),
		Border:    pick("240", "249", "245"),
		Accent:    pick("215", "130", "130"),
		Good:      pick("114", "28", "28"),
		Warn:      pick("221", "94", "130"),
		Bad:       pick("210", "124", "161"),
		Run:       pick("110", "25", "63"),
		Fetch:     pick("80", "23", "30"),
		Doubt:     pick("183", "91", "98"),
		Selection: pick("236", "230", ""),
	}
}

// sixteen are the terminal's own colours, by number. Where the background is
// not known, blue is left out: it is lost on black.
func sixteen(on Background) Palette {
	pick := choose(on)
	return Palette{
		Muted:  pick("7", "8", "8"),
		Faint:  pick("8", "8", "8"),
		Border: pick("8", "8", "8"),
		Accent: pick("11", "1", "1"),
		Good:   pick("2", "2", "2"),
		Warn:   pick("3", "5", "5"),
		Bad:    pick("9", "1", "1"),
		Run:    pick("12", "4", "6"),
		Fetch:  pick("6", "6", "6"),
		Doubt:  pick("13", "5", "5"),
	}
}
