package widget

import (
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"

	"darkroom/ui/theme"
)

// Column is a column of a Table.
type Column struct {
	Title string // plain; a table whose titles are all empty has no header
	Right bool   // figures stand at the right
}

// Table is a table that is read: no borders, as wide as its cells, cut to the
// width there is. A row is a line.
type Table struct {
	Columns []Column
	Rows    [][]string // plain
	// Rule draws a line under the header.
	Rule bool
	// Style is that of a cell; nil is ordinary text everywhere.
	Style func(row, column int) theme.Style
}

// tableGap is how many blanks stand between two columns.
const tableGap = 2

// Lines draws the table: the header, then its rows, at most w cells wide.
func (tb Table) Lines(t *theme.Theme, w int) []string {
	if w <= 0 || len(tb.Columns) == 0 {
		return nil
	}
	d := table.New().Wrap(false).Border(t.Frame).BorderStyle(t.Border.Style()).
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).BorderColumn(false).BorderHeader(tb.Rule)
	if headers := tb.headers(); headers != nil {
		d.Headers(headers...)
	} else if len(tb.Rows) == 0 {
		return nil
	}
	rows := make([][]string, len(tb.Rows))
	for i, row := range tb.Rows {
		rows[i] = tb.cells(row)
	}
	d.Rows(rows...)
	d.StyleFunc(func(row, column int) lipgloss.Style { return tb.cell(t, row, column) })
	if tb.width(rows) > w {
		d.Width(w)
	}
	return strings.Split(d.Render(), "\n")
}

// headers are the titles, or nil when there are none.
func (tb Table) headers() []string {
	titles := make([]string, len(tb.Columns))
	some := false
	for i, c := range tb.Columns {
		titles[i] = c.Title
		some = some || c.Title != ""
	}
	if !some {
		return nil
	}
	return titles
}

// cells are the cells of a row, one a column, each on one line.
func (tb Table) cells(row []string) []string {
	out := make([]string, len(tb.Columns))
	for i := range min(len(row), len(out)) {
		out[i] = row[i]
		if strings.ContainsAny(out[i], "\r\n\t") {
			out[i] = OneLine(out[i])
		}
	}
	return out
}

func (tb Table) cell(t *theme.Theme, row, column int) lipgloss.Style {
	s := t.Muted.Style()
	switch {
	case row == table.HeaderRow:
	case tb.Style != nil:
		s = tb.Style(row, column).Style()
	default:
		s = t.Text.Style()
	}
	if tb.Columns[column].Right {
		s = s.Align(lipgloss.Right)
	}
	if column < len(tb.Columns)-1 {
		s = s.PaddingRight(tableGap)
	}
	return s
}

// width is that of the table when nothing is cut.
func (tb Table) width(rows [][]string) int {
	sum := tableGap * (len(tb.Columns) - 1)
	for i, c := range tb.Columns {
		wide := theme.Width(c.Title)
		for _, row := range rows {
			wide = max(wide, theme.Width(row[i]))
		}
		sum += wide
	}
	return sum
}
