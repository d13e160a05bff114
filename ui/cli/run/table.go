package run

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
)

// Pad fills a text with spaces up to a width in cells.
func Pad(text string, width int) string {
	return text + strings.Repeat(" ", max(width-ansi.StringWidth(text), 0))
}

// Table is rows of cells in columns as wide as their widest cell, two spaces
// apart. Every row has as many cells.
type Table struct {
	Rows  [][]string
	Right bool // aligned at the right, but for the first column
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Write prints the rows. A failure of standard output is kept there.
func (t *Table) Write(to io.Writer) {
	var widths []int
	for _, row := range t.Rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	var text strings.Builder
	for _, row := range t.Rows {
		line := ""
		for i, cell := range row {
			if i > 0 || t.Right {
				line += "  "
			}
			if i > 0 && t.Right {
				line += strings.Repeat(" ", widths[i]-ansi.StringWidth(cell)) + cell
			} else {
				line += Pad(cell, widths[i])
			}
		}
		text.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, _ = io.WriteString(to, text.String())
}

// PrintTable prints rows as aligned columns below their headings where a
// terminal reads them, else with a tab between cells and without headings.
func (p *Program) PrintTable(t *Table, headings ...string) {
	if IsTerminal(p.Out) {
		head := Map(headings, func(h string) string { return strings.ToUpper(p.Sentence(Word(h))) })
		t.Rows = append([][]string{head}, t.Rows...)
		t.Write(p.Out)
		return
	}
	var text strings.Builder
	tabs := strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")
	for _, row := range t.Rows {
		text.WriteString(strings.Join(Map(row, tabs.Replace), "\t") + "\n")
	}
	_, _ = io.WriteString(p.Out, text.String())
}

// PrintCSV prints the named fields of a list as CSV, below their names.
func (p *Program) PrintCSV(list any, fields ...string) error {
	value, err := plain(list)
	if err != nil {
		return err
	}
	var text strings.Builder
	w := csv.NewWriter(&text)
	_ = w.Write(fields)
	documents, _ := value.([]any)
	for _, document := range documents {
		row := make([]string, len(fields))
		for i, name := range fields {
			if v := document.(map[string]any)[name]; v != nil {
				row[i] = csvCell(fmt.Sprint(v))
			}
		}
		_ = w.Write(row)
	}
	w.Flush()
	_, err = io.WriteString(p.Out, text.String())
	return err
}

// csvCell makes a value one that no program that opens the file takes for a
// formula or a control of the terminal.
func csvCell(s string) string {
	s = api.OneLine(api.CleanLines(s, api.MaxErrorText).String())
	if s != "" && (s[0] == '=' || s[0] == '+' || s[0] == '-' || s[0] == '@') {
		return "'" + s
	}
	return s
}
