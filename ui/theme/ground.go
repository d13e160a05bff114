package theme

import (
	"image/color"
	"strconv"
	"strings"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Ground is a background that is laid under text in any styles. The zero Ground is the
// terminal's own: nothing is laid.
type Ground struct {
	on     string
	colour color.Color
}

// groundOf is the ground of a colour, on which text without a style is written in text.
func groundOf(text, colour color.Color) Ground {
	if colour == nil {
		return Ground{}
	}
	return Ground{styled(text, colour).on, colour}
}

// Lay puts the ground under text, which may be painted. What has a background of its
// own, such as a picture or text on a ground that is nearer, keeps it.
func (g Ground) Lay(text string) string {
	if g.on == "" || text == "" {
		return text
	}
	return g.on + strings.ReplaceAll(text, ansi.ResetStyle, ansi.ResetStyle+g.on) + ansi.ResetStyle
}

// Laid tells whether a sequence begins this ground.
func (g Ground) Laid(sequence string) bool { return g.on != "" && sequence == g.on }

// Colour is the ground's colour, or nil.
func (g Ground) Colour() color.Color { return g.colour }

// Edge is half a row of cells of this ground, whose other half is of ground below:
// the upper half in upper, the lower one in g. Terminals leave a seam under ▄.
func (g Ground) Edge(upper Ground, w int) string {
	on := ansi.Style{}.BackgroundColor(g.colour).ForegroundColor(upper.colour).String()
	return on + strings.Repeat("▀", max(w, 0)) + ansi.ResetStyle
}

// Ink is the sequence that writes in the ground's colour.
func (g Ground) Ink() string { return ansi.Style{}.ForegroundColor(g.colour).String() }

// Edges tells whether sequences begin an edge: the last has the background first, as none of
// a picture that has both colours.
func Edges(sequences string) bool {
	last := sequences[max(strings.LastIndexByte(sequences, ansi.ESC), 0):]
	return strings.HasPrefix(last, "\x1b[48") && len(last) > len("\x1b[48;2;255;255;255m")
}

// Grounds tells whether panes are surfaces; otherwise they have lines.
func (t *Theme) Grounds() bool { return t.Page.on != "" }

// Chip is a word on the ground of elements; without grounds it is the word.
func (t *Theme) Chip(text string) string {
	if !t.Grounds() {
		return text
	}
	return t.Element.Lay(" " + text + " ")
}

// Mixed is the ground with a share of another colour in it, from 0 to 1: a tint of a
// picture under text takes at most 0.3, the heat of a price 0.33.
func (t *Theme) Mixed(g Ground, with color.Color, share float64) Ground {
	if !t.Grounds() || with == nil {
		return g
	}
	r, gr, b, _ := g.colour.RGBA()
	wr, wg, wb, _ := with.RGBA()
	part := func(from, to uint32) uint8 { return uint8((float64(from)*(1-share) + float64(to)*share) / 257) }
	var mixed color.Color = color.RGBA{part(r, wr), part(gr, wg), part(b, wb), 0xff}
	if t.Colours == colorprofile.ANSI256 {
		mixed = ansi.Convert256(mixed)
	}
	return groundOf(t.Text.Ink, mixed)
}

// Tint is the panel with a share of a picture's mean colour, which is made dark, or pale on
// a light background, so that every word but faint ones can be read on it. The 256 colours
// have none that is dark enough, and a grey theme none at all: there it is the ground of elements.
func (t *Theme) Tint(mean color.RGBA) Ground {
	if !t.Grounds() {
		return t.Panel
	}
	if r, g, b, _ := t.Accent.Ink.RGBA(); t.Colours == colorprofile.ANSI256 || r == g && g == b {
		return t.Element
	}
	const most = 110 // of a dark colour's strongest part
	toned, share := mean, 0.3
	strongest, to := max(mean.R, mean.G, mean.B, 1), color.RGBA{}
	if t.On == Light {
		share = 0.15
		strongest, to = max(255-mean.R, 255-mean.G, 255-mean.B, 1), color.RGBA{255, 255, 255, 255}
	}
	if strongest > most {
		tone := func(c, to uint8) uint8 { return uint8(int(to) + (int(c)-int(to))*most/int(strongest)) }
		toned = color.RGBA{tone(mean.R, to.R), tone(mean.G, to.G), tone(mean.B, to.B), 255}
	}
	return t.Mixed(t.Panel, toned, share)
}

// Back is a colour as sequences have it, such as 8;2;255;0;0, nearer to the page's.
func (t *Theme) Back(colour string) string {
	if !t.Grounds() {
		return colour
	}
	parts := strings.Split(colour, ";")
	r, g, b, _ := t.Page.colour.RGBA()
	for i, page := range []uint32{r, g, b} {
		own, _ := strconv.Atoi(parts[2+i])
		parts[2+i] = strconv.Itoa((2*own + 3*int(page>>8)) / 5)
	}
	return strings.Join(parts, ";")
}

// Shade is the colour of a bar: its signs, and its ground if there are any.
type Shade struct {
	Style
	Fill Ground
}

// Heat is the ground of a price, from 0, the cheapest, to 1.
func (t *Theme) Heat(share float64) Ground {
	return t.heats[min(max(int(share*float64(len(t.heats))), 0), len(t.heats)-1)]
}
