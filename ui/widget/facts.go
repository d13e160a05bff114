package widget

import (
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/theme"
)

// Facts gathers lines of at most Width cells.
type Facts struct {
	Width int
	Theme *theme.Theme
	Lines []string
}

func (f *Facts) Painted(s string) { f.Lines = append(f.Lines, ansi.Truncate(s, f.Width, "…")) }

func (f *Facts) Add(lines ...string) { f.Lines = append(f.Lines, lines...) }
func (f *Facts) Gap() {
	if n := len(f.Lines); n > 0 && f.Lines[n-1] != "" {
		f.Lines = append(f.Lines, "")
	}
}

func (f *Facts) Wrapped(style theme.Style, s string) {
	if s != "" {
		for _, l := range Wrap(s, f.Width) {
			f.Lines = append(f.Lines, style.Paint(l))
		}
	}
}

// Muted is a text alone, in lines of at most w cells.
func Muted(k *env.Env, text string, w int) []string {
	f := Facts{Width: w}
	f.Wrapped(k.Theme.Muted, text)
	return f.Lines
}

// Joined writes parts with dots between them; a part stays whole.
func (f *Facts) Joined(style theme.Style, parts []string) {
	line := ""
	for _, part := range parts {
		if longer := line + " · " + part; line != "" && theme.Width(longer) <= f.Width {
			line = longer
		} else {
			f.Wrapped(style, line)
			line = part
		}
	}
	f.Wrapped(style, line)
}

func Tilde(path, home string) string {
	if home != "" && strings.HasPrefix(path, home+"/") {
		path = "~" + path[len(home):]
	}
	return api.Clean(path, api.MaxAddressText).String()
}

// RequestFacts are the parts of a request but its texts and addresses.
func RequestFacts(k *env.Env, r api.Request) []string {
	parts := r.Said(k.Say)
	if n := len(r.ImageFiles) + len(r.VideoFiles) + len(r.AudioFiles); n > 0 {
		parts = append(parts, k.Words.Count(n, "%d material", "%d materials"))
	}
	return parts
}

type GridColumn struct {
	Width int  // in cells, the gap to the next column included
	Gap   int  // cells of it that wrapped text leaves
	Right bool // aligned to the right
}

// Grid is a table that is read: painted cells in columns of fixed widths.
type Grid struct {
	Columns []GridColumn
	Head    []string // painted; empty for no heading
	Rows    [][]string
	Wrap    bool // a long cell is written on several lines; else it is cut
}

// Lines draws the grid, each line as wide as the columns together.
func (g Grid) Lines() []string {
	if len(g.Rows) == 0 && len(g.Head) == 0 {
		return nil
	}
	styles := make([]lipgloss.Style, len(g.Columns))
	for i, c := range g.Columns {
		// Inline saves looking for where a line could be broken.
		styles[i] = lipgloss.NewStyle().Width(c.Width).PaddingRight(c.Gap).Inline(!g.Wrap)
		if c.Right {
			styles[i] = styles[i].Align(lipgloss.Right)
		}
	}
	t := table.New().
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).
		BorderHeader(false).BorderColumn(false).BorderRow(false).
		Wrap(g.Wrap).
		StyleFunc(func(_, col int) lipgloss.Style { return styles[col] }).
		Headers(g.Head...).
		Rows(g.Rows...)
	return strings.Split(t.String(), "\n")
}
