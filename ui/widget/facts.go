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

// Facts gathers lines of at most w cells.
type Facts struct {
	Width int
	Theme *theme.Theme
	Lines []string
}

func (f *Facts) Painted(s string) { f.Lines = append(f.Lines, ansi.Truncate(s, f.Width, "…")) }

func (f *Facts) Gap() {
	if n := len(f.Lines); n > 0 && f.Lines[n-1] != "" {
		f.Lines = append(f.Lines, "")
	}
}

func (f *Facts) Wrapped(style theme.Style, s string) {
	if s == "" {
		return
	}
	for _, l := range Wrap(s, f.Width) {
		f.Lines = append(f.Lines, style.Paint(l))
	}
}

// Joined writes parts with dots between them; a part stays whole.
func (f *Facts) Joined(style theme.Style, parts []string) {
	line := ""
	for _, part := range parts {
		switch {
		case line == "":
			line = part
		case theme.Width(line)+3+theme.Width(part) <= f.Width:
			line += " · " + part
		default:
			f.Wrapped(style, line)
			line = part
		}
	}
	f.Wrapped(style, line)
}

// Listed writes painted words after a lead of w cells, in as many lines as they
// need, the next ones as far in as the first.
func (f *Facts) Listed(lead string, w int, words []string) {
	line, used := lead, w
	for i, word := range words {
		n := theme.Width(word)
		if i > 0 && used+2+n > f.Width {
			f.Painted(line)
			line, used = theme.Blank(w), w
		} else if i > 0 {
			line, used = line+"  ", used+2
		}
		line, used = line+word, used+n
	}
	f.Painted(line)
}

// Tilde writes the home folder as people do.
func Tilde(path, home string) string {
	if home != "" && strings.HasPrefix(path, home+"/") {
		return "~" + path[len(home):]
	}
	return path
}

// RequestFacts are the parts of a request but its texts and addresses.
func RequestFacts(k *env.Env, r api.Request) []string {
	parts := []string{api.Clean(r.Model, api.MaxIDText).String()}
	add := func(s string) {
		if s != "" {
			parts = append(parts, s)
		}
	}
	add(r.VideoModel)
	add(r.Size)
	add(r.Quality)
	add(r.Resolution)
	add(r.AspectRatio)
	if r.Duration != "" {
		add(k.Say("%s s", r.Duration))
	}
	if r.Seed != nil {
		add(k.Say("seed %d", *r.Seed))
	}
	if n := len(r.ImageFiles) + len(r.VideoFiles) + len(r.AudioFiles); n > 0 {
		add(k.Words.Count(n, "%d material", "%d materials"))
	}
	return parts
}

// GridColumn is a column of a Grid.
type GridColumn struct {
	Width int  // in cells, the gap to the next column included
	Right bool // aligned to the right
}

// Grid is a table that is read: painted cells in columns of fixed widths, so
// that a click can be looked up without drawing. It has no border of its own;
// it stands in a Pane.
type Grid struct {
	Columns []GridColumn
	Head    []string // painted; empty for no heading
	Rows    [][]string
	// Wrap writes a long cell on several lines. Else it is cut.
	Wrap bool
}

// Lines draws the grid. Every line is as wide as the columns together.
func (g Grid) Lines() []string {
	if len(g.Rows) == 0 && len(g.Head) == 0 {
		return nil
	}
	styles := make([]lipgloss.Style, len(g.Columns))
	for i, c := range g.Columns {
		// Inline spares looking for where a line could be broken.
		styles[i] = lipgloss.NewStyle().Width(c.Width).Inline(!g.Wrap)
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
