package widget

import (
	"math"
	"strings"

	"charm.land/bubbles/v2/progress"
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
	for _, f := range api.Settings("") {
		if text := f.Text(&r); text != "" {
			parts = append(parts, f.Said(k.Say, text, true))
		}
	}
	if n := len(r.ImageFiles) + len(r.VideoFiles) + len(r.AudioFiles); n > 0 {
		parts = append(parts, k.Words.Count(n, "%d material", "%d materials"))
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
		// Inline saves looking for where a line could be broken.
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

// ProgressBar is a thin progress bar of width cells at part, from 0 to 1.
func ProgressBar(t *theme.Theme, part float64, width int) string {
	width = max(width, 0)
	if math.IsNaN(part) {
		part = 0
	}
	full := int(math.Round(min(max(part, 0), 1) * float64(width)))
	bar := progress.New(
		progress.WithoutPercentage(), progress.WithWidth(width), progress.WithFillCharacters('━', '─'),
		progress.WithColors(t.Run.Style().GetForeground()),
	)
	bar.EmptyColor = t.Faint.Style().GetForeground()
	return bar.ViewAs(float64(full) / float64(max(width, 1)))
}
