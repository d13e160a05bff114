package widget

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"darkroom/ui/theme"
)

// BenchmarkRateGrid is a step of the selection through the table of seedance2 in
// three ways: as it is drawn; by lipgloss/table; and by lipgloss/table with a
// Memo for each line, of which a step draws two anew.
func BenchmarkRateGrid(b *testing.B) {
	t := theme.Choice{}.Theme(theme.Dark, colorprofile.TrueColor)
	g := tiers()
	step := func(i int) { g.Row, g.Col, g.Focus = i%2, 2-i%3, true }
	table := func(lines ...string) []string {
		f := g.Frame(70, 9)
		out := Grid{Columns: []GridColumn{{Width: f.name}}}
		for range g.Cols {
			out.Columns = append(out.Columns, GridColumn{Width: f.cell})
		}
		for _, line := range lines {
			out.Rows = append(out.Rows, strings.Split(line, "\x00"))
		}
		return out.Lines()
	}
	cells := func(row int) string {
		line := t.Text.Paint(g.Rows[row])
		for col := range g.Cols {
			line += "\x00" + g.cell(t, row, col, g.Frame(70, 9).cell)
		}
		return line
	}
	b.Run("drawn", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			step(i)
			g.Lines(t, g.Frame(70, 9))
		}
	})
	b.Run("table", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			step(i)
			table(cells(0), cells(1))
		}
	})
	b.Run("table-memo", func(b *testing.B) {
		var rows Memos[int, int, []string]
		for i := 0; b.Loop(); i++ {
			step(i)
			for row := range g.Rows {
				selected := -1
				if row == g.Row {
					selected = g.Col
				}
				rows.Get(row, selected, func() []string { return table(cells(row)) })
			}
		}
	})
}
