// Package theme is darkroom's one look: styles by meaning.
package theme

import (
	"cmp"
	_ "embed"
	"image/color"
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Styles are the ways to write on one background.
type Styles struct {
	Text   Style // ordinary words
	Strong Style // words that lead
	Muted  Style // labels, second thoughts
	Faint  Style // text that does not apply, or only fills
	Border Style // frames at rest
	Focus  Style // the frame that has the keys
	Accent Style // the one colour that says: here
	Key    Style // names of keys
	Good   Style
	Warn   Style
	Bad    Style
	Run    Style // under way
	Fetch  Style // on its way here
	Doubt  Style // not known
}

// Theme is the look for one kind of terminal. It is made once and never changed.
type Theme struct {
	Styles                   // on the terminal's own background
	Selected Styles          // on the background of the selected row
	Tab      Style           // the tab one is on
	Token    Style           // a material's token in the prompt
	Button   Style           // the words of the one filled button, and the number of the tab in view
	Failed   Style           // a failed phase, filled where there are grounds
	Page     Ground          // behind everything
	Panel    Ground          // of a pane
	Element  Ground          // of what is written into or chosen: wells, chips
	Filled   Ground          // of the button
	Chosen   Ground          // of the selected row, and of the chosen price
	Veiled   Style           // words that others lie over
	heats    [8]Ground       // of prices, from cheap to dear
	Shades   [5]Shade        // of compared results; of bars: of what leads, of what is not known (2), of the rest (4)
	Frame    lipgloss.Border // the lines around panes and overlays
	Bar      string          // left of the field that has the focus
	On       Background
	Colours  colorprofile.Profile
}

// Row returns the styles of a row of a list, and the mark before it.
func (t *Theme) Row(selected bool) (in *Styles, mark string) {
	if selected {
		return &t.Selected, "▸ "
	}
	return &t.Styles, "  "
}

// Background is the kind of the terminal's background.
type Background int

// Unknown is a background that was not told: its colours can be read on both.
const (
	Unknown Background = iota
	Dark
	Light
)

// Guess reads COLORFGBG ("15;0"), which some terminals set.
func Guess(colorfgbg string) Background {
	switch colorfgbg[strings.LastIndexByte(colorfgbg, ';')+1:] {
	case "7", "15":
		return Light
	case "0", "1", "2", "3", "4", "5", "6", "8":
		return Dark
	}
	return Unknown
}

// stylesOn makes the styles that have a background and attributes in common.
func stylesOn(p Palette, back color.Color, attributes ...ansi.Attr) Styles {
	words := func(c color.Color) Style { return styled(c, back, attributes...) }
	bold := func(c color.Color) Style {
		return styled(c, back, append([]ansi.Attr{ansi.AttrBold}, attributes...)...)
	}
	accent := words(p.Accent)
	key := bold(p.Text).If(p.Text != nil || p.Accent == nil, accent)
	faint := styled(nil, back, ansi.AttrFaint).If(p.Faint == nil && len(attributes) == 0, words(p.Faint))
	return Styles{
		Text: words(p.Text), Strong: bold(p.Text), Muted: words(p.Muted), Faint: faint,
		Border: words(p.Border), Focus: accent, Accent: bold(p.Accent), Key: key,
		Good: words(p.Good), Warn: words(p.Warn), Bad: words(p.Bad),
		Run: words(p.Run), Fetch: words(p.Fetch), Doubt: words(p.Doubt),
	}
}

// Choice is the theme that a person chose: a built-in one, and own colours by role
// ("#RRGGBB", or a number up to 255). The zero Choice is the first built-in theme.
type Choice struct {
	Name  string
	Own   map[string]string
	Dark  map[string]string // on dark backgrounds, before Own
	Light map[string]string // on light ones
}

// Theme makes the theme for a background and the colours of the terminal; without
// colours the styles keep to bold, underline and reverse.
func (c Choice) Theme(on Background, profile colorprofile.Profile) *Theme {
	p, bold := c.palette(on, profile), ansi.Attr(ansi.AttrBold)
	selected := p
	if p.Page != nil {
		selected.Faint = p.Muted // faint words cannot be read there
	}
	t := &Theme{
		On: on, Colours: profile, Frame: lipgloss.RoundedBorder(), Bar: "┃", Styles: stylesOn(p, nil),
		Selected: stylesOn(selected, p.Selection),
		Tab:      styled(nil, nil, bold, ansi.AttrUnderline).If(p.Accent == nil && p.Page == nil, styled(p.Accent, nil, bold)),
		Token:    styled(nil, nil, ansi.AttrUnderline).If(p.Run == nil, styled(p.Run, nil, bold)),
		Button:   styled(nil, nil, bold, ansi.AttrReverse),
		Page:     groundOf(p.Text, p.Page), Panel: groundOf(p.Text, p.Panel), Element: groundOf(p.Text, p.Element),
		Chosen: groundOf(p.Text, p.Selection),
	}
	t.Shades = [...]Shade{{Style: t.Focus, Bar: t.Focus}, {Style: t.Fetch}, {Style: t.Doubt}, {Style: t.Good}, {Style: t.Fetch, Bar: t.Fetch}}
	t.Veiled, t.Failed = t.Faint, t.Bad
	if p.Page != nil {
		t.Bar, t.Tab = "▎", styled(p.Text, nil, bold)
		t.Token = styled(p.Doubt, nil)
		t.Button, t.Failed = styled(p.Button, p.Accent, bold), styled(p.Button, p.Bad, bold)
		t.Veiled = styled(t.Mixed(t.Page, p.Faint, 0.6).Colour, nil)
		for i, c := range [...]color.Color{p.Accent, p.Fetch, p.Doubt, p.Good} {
			t.Shades[i].Fill, t.Shades[i].Quiet = groundOf(p.Button, c), t.Mixed(t.Panel, c, 0.6)
			t.Shades[i].Bar = styled(t.Shades[i].Quiet.Colour, nil)
			t.Shades[i].Tint = t.Mixed(t.Panel, c, 0.3)
			t.Shades[i].Mark = styled(p.Text, t.Shades[i].Tint.Colour, bold, ansi.AttrUnderline)
		}
		t.Filled = t.Shades[0].Fill
		t.Shades[4].Fill, t.Shades[4].Quiet = t.Mixed(t.Panel, p.Accent, 0.45), t.Mixed(t.Panel, p.Accent, 0.32)
		t.Shades[4].Bar = styled(t.Shades[4].Fill.Colour, nil)
		for i := range t.heats {
			if t.heats[i] = t.Mixed(t.Panel, p.Accent, 0.06+0.04*float64(i)); profile == colorprofile.ANSI256 { // where mixed ones are out of order
				indexed := [...]int{235, 236, 236, 237, 237, 238, 239, 240}[i]
				if on == Light {
					indexed = [...]int{255, 255, 254, 254, 253, 252, 251, 250}[i]
				}
				t.heats[i] = groundOf(p.Text, ansi.IndexedColor(indexed))
			}
		}
	}
	if p.Selection == nil {
		// Reversed, each colour would be another background.
		t.Selected = stylesOn(Palette{}, nil, ansi.AttrReverse)
	}
	return t
}

// Style is a way to write, as the sequence that turns it on, since a frame applies styles
// some thousand times. The zero Style writes plainly.
type Style struct {
	on  string
	Ink color.Color // nil: the terminal's own
}

// styled is the Style of colours, nil for the terminal's own, and attributes.
func styled(ink, back color.Color, attributes ...ansi.Attr) Style {
	a := ansi.NewStyle(attributes...)
	if ink != nil {
		a = a.ForegroundColor(ink)
	}
	if back != nil {
		a = a.BackgroundColor(back)
	}
	if len(a) == 0 {
		return Style{}
	}
	return Style{a.String(), ink}
}

// Paint returns text, which holds no sequences, in this style.
func (s Style) Paint(text string) string {
	if s.on == "" || text == "" {
		return text
	}
	return s.on + text + ansi.ResetStyle
}

// If returns s if is holds, otherwise other.
func (s Style) If(is bool, other Style) Style {
	if is {
		return s
	}
	return other
}

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
	_, row, _ := strings.Cut(palettes, strings.Join([]string{"\n" + cmp.Or(c.Name, Names[0]), background, cmp.Or(colours, "full"), ""}, " "))
	row, _, _ = strings.Cut(row, "\n")
	special, fields := map[Background]map[string]string{Dark: c.Dark, Light: c.Light}[on], p.fields()
	for i, listed := range strings.Fields(row) {
		if listed != "-" {
			*fields[i] = lipgloss.Color(listed)
		}
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

// Ground is a background that is laid under text in any styles. The zero Ground is the
// terminal's own: nothing is laid.
type Ground struct {
	on     string
	Colour color.Color // nil: none
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

// Edge is half a row of cells of this ground, whose other half is of ground below:
// the upper half in upper, the lower one in g. Terminals leave a seam under ▄.
func (g Ground) Edge(upper Ground, w int) string {
	return ansi.Style{}.BackgroundColor(g.Colour).ForegroundColor(upper.Colour).Styled(strings.Repeat("▀", max(w, 0)))
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
// picture under text takes at most 0.3, the heat of a price 0.35.
func (t *Theme) Mixed(g Ground, with color.Color, share float64) Ground {
	if !t.Grounds() || with == nil {
		return g
	}
	r, gr, b, _ := g.Colour.RGBA()
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
	toned, share, most := mean, 0.3, uint8(84) // of a dark colour's strongest part
	strongest, to := max(mean.R, mean.G, mean.B, 1), color.RGBA{}
	if t.On == Light {
		share, most = 0.25, 110
		strongest, to = max(255-mean.R, 255-mean.G, 255-mean.B, 1), color.RGBA{255, 255, 255, 255}
	}
	if strongest > most {
		tone := func(c, to uint8) uint8 { return uint8(int(to) + (int(c)-int(to))*int(most)/int(strongest)) }
		toned = color.RGBA{tone(mean.R, to.R), tone(mean.G, to.G), tone(mean.B, to.B), 255}
	}
	return t.Mixed(t.Panel, toned, share)
}

// Behind is the ground of a colour behind a dialog: nearer to the page.
func (t *Theme) Behind(c color.Color) Ground { return t.Mixed(t.Page, c, 0.3) }

// Shade is the colour of a bar: its signs, and its ground if there are any.
type Shade struct {
	Style
	Bar   Style // the colour of Quiet
	Fill  Ground
	Quiet Ground // the same beside a chosen one
	Tint  Ground // below text
	Mark  Style  // words on it
}

// Heat is the ground of a price, from 0, the cheapest, to 1.
func (t *Theme) Heat(share float64) Ground {
	return t.heats[min(max(int(share*float64(len(t.heats)-1)+0.5), 0), len(t.heats)-1)]
}

// Width is the number of cells that s takes, sequences not counted. Between styles text is
// mostly ASCII, whose bytes are counted: looking for clusters takes ten times as long.
func Width(s string) (cells int) {
	for i, end := 0, 0; i < len(s); i = end {
		if s[i] == ansi.ESC {
			if end = i + styleLen(s[i:]); end == i {
				return ansi.StringWidth(s)
			}
			continue
		}
		ascii := true
		for end = i; end < len(s) && s[end] != ansi.ESC; end++ {
			ascii = ascii && s[end] >= ' ' && s[end] <= '~'
		}
		switch {
		case ascii:
			cells += end - i
		case !utf8.ValidString(s[i:end]):
			return ansi.StringWidth(s)
		default:
			cells += ansi.StringWidth(s[i:end])
		}
	}
	return cells
}

// styleLen is the length of the sequence for a style with which s begins, or 0.
func styleLen(s string) int {
	end := len("\x1b[")
	for end < len(s) && s[end] >= '0' && s[end] <= ';' {
		end++
	}
	if strings.HasPrefix(s, "\x1b[") && end < len(s) && s[end] == 'm' {
		return end + 1
	}
	return 0
}

// Cut cuts plain or painted s to w cells; … marks the cut.
func Cut(s string, w int) string {
	if Width(s) > w {
		s = ansi.Truncate(s, w, "…")
	}
	return s
}

// CutLeft keeps the end of plain or painted s, such as a path, in w cells; … marks the cut.
func CutLeft(s string, w int) string {
	if n := Width(s); n > w { // a wide character at the cut can leave one cell too many
		s = ansi.Truncate(ansi.TruncateLeft(s, n-w+1, "…"), w, "")
	}
	return s
}

// Fit cuts s to w cells and fills it up with blanks to exactly w.
func Fit(s string, w int) string {
	s = Cut(s, w)
	return s + Blank(w-Width(s))
}

func Blank(n int) string { return strings.Repeat(" ", max(n, 0)) }

// joiners make one sign of several code points, and terminals disagree about its cells: the
// joiner, the emoji presentation, the keycap, and what the skin tones begin with.
var joiners = []string{"\u200d", "\ufe0f", "\u20e3", "\xf0\x9f\x8f"}

// Steady writes signs to which a terminal that counts code points would give other
// cells by their first code point, in as many cells as before.
func Steady(line string) string {
	if !slices.ContainsFunc(joiners, func(j string) bool { return strings.Contains(line, j) }) {
		return line
	}
	var b strings.Builder
	b.Grow(len(line))
	for i := 0; i < len(line); {
		cluster, cells := ansi.FirstGraphemeCluster(line[i:], ansi.GraphemeWidth)
		i += len(cluster)
		if ansi.StringWidthWc(cluster) == cells {
			b.WriteString(cluster)
			continue
		}
		_, n := utf8.DecodeRuneInString(cluster)
		if one := ansi.StringWidthWc(cluster[:n]); one <= cells {
			b.WriteString(cluster[:n])
			cells -= one
		}
		b.WriteString(Blank(cells))
	}
	return b.String()
}
