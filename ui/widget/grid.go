package widget

import (
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
)

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
