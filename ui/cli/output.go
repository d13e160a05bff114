package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// output is standard output; it remembers the first write that failed, so that
// a command whose result went nowhere does not end as if all were well.
type output struct {
	to  io.Writer
	err error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.to.Write(b)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// checkOutput gives the exit code of a run whose own code is code: 1 when its
// output could not be written, unless the run failed for a reason of its own.
func (p *program) checkOutput(o *output, code int) int {
	if o.err == nil {
		return code
	}
	p.notice(sentencef("standard output: %s", fileError(o.err)))
	if code == exitDone {
		return exitFailed
	}
	return code
}

// printPath prints the path of a result; where standard output cannot be
// written it goes to standard error, so that what was paid for is not lost.
func (p *program) printPath(path string) {
	if _, err := fmt.Fprintln(p.out, path); err != nil {
		fmt.Fprintln(p.err, path)
	}
}

// pad fills a text with spaces up to a width in cells; Chinese characters are
// two cells wide.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(width-ansi.StringWidth(text), 0))
}

// table is rows of cells in columns as wide as their widest cell, two spaces
// apart. Every row has as many cells.
type table struct {
	rows  [][]string
	right bool // aligned at the right, but for the first column
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) write(to io.Writer) error {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	var text strings.Builder
	for _, row := range t.rows {
		var line strings.Builder
		for i, cell := range row {
			gap := strings.Repeat(" ", widths[i]-ansi.StringWidth(cell))
			if i > 0 || t.right {
				line.WriteString("  ")
			}
			if t.right && i > 0 {
				line.WriteString(gap + cell)
			} else {
				line.WriteString(cell + gap)
			}
		}
		text.WriteString(strings.TrimRight(line.String(), " "))
		text.WriteByte('\n')
	}
	_, err := io.WriteString(to, text.String())
	return err
}

// printTable prints rows as aligned columns below their headings where a
// terminal reads them, else with a tab between cells and without headings.
func (p *program) printTable(t *table, headings ...string) {
	if p.aligned {
		head := make([]string, len(headings))
		for i, h := range headings {
			head[i] = strings.ToUpper(p.sentence(word(h)))
		}
		t.rows = append([][]string{head}, t.rows...)
		_ = t.write(p.out)
		return
	}
	var text strings.Builder
	for _, row := range t.rows {
		for i, cell := range row {
			if i > 0 {
				text.WriteByte('\t')
			}
			text.WriteString(strings.Map(noTabs, cell))
		}
		text.WriteByte('\n')
	}
	_, _ = io.WriteString(p.out, text.String())
}

// noTabs keeps a cell in its column.
func noTabs(r rune) rune {
	if r == '\t' || r == '\n' || r == '\r' {
		return ' '
	}
	return r
}
