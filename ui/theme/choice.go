package theme

import (
	"maps"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Choice is the theme that a person chose: a built-in one, and own colours by
// role ("#RRGGBB", or a number up to 255) in place of some of its colours. The
// zero Choice is the first built-in theme.
type Choice struct {
	Name  string
	Own   map[string]string
	Dark  map[string]string // on dark backgrounds, before Own
	Light map[string]string // on light ones
}

// Theme makes the theme for a background and what the terminal can show of
// colours. Without colours the styles keep to bold, underline and reverse.
func (c Choice) Theme(on Background, profile colorprofile.Profile) *Theme {
	p := c.palette(on, profile)
	t := &Theme{On: on, Colours: profile, Frame: lipgloss.RoundedBorder()}
	plain := lipgloss.NewStyle()
	t.Styles = stylesOn(p, plain)
	if p.Selection == nil {
		// Reversed, each colour would be another background.
		t.Selected = stylesOn(Palette{}, plain.Reverse(true))
	} else {
		t.Selected = stylesOn(p, plain.Background(p.Selection))
	}
	t.Tab = Compile(foreground(plain.Bold(true), p.Accent))
	t.Token = Compile(foreground(plain.Bold(true), p.Run))
	if p.Accent == nil {
		t.Tab = Compile(plain.Bold(true).Underline(true))
	}
	if p.Run == nil {
		t.Token = Compile(plain.Underline(true))
	}
	return t
}

// palette is the built-in palette with the own colours that the terminal can
// show: with sixteen colours those that are one of them.
func (c Choice) palette(on Background, profile colorprofile.Profile) Palette {
	p := find(c.Name).paletteFor(on, profile)
	if profile <= colorprofile.ASCII {
		return p
	}
	own, fields := c.own(on), p.fields()
	for i, role := range roles {
		set, ok := own[role]
		if !ok {
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

// own are the own colours on a background.
func (c Choice) own(on Background) map[string]string {
	special := map[Background]map[string]string{Dark: c.Dark, Light: c.Light}[on]
	own := make(map[string]string, len(c.Own)+len(special))
	maps.Copy(own, c.Own)
	maps.Copy(own, special)
	return own
}
