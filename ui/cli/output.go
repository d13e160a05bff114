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
	right bool // aligned at the right
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
		for i, cell := range row {
			gap := strings.Repeat(" ", widths[i]-ansi.StringWidth(cell)+2)
			switch {
			case t.right:
				text.WriteString(gap + cell)
			case i == len(row)-1:
				text.WriteString(cell)
			default:
				text.WriteString(cell + gap)
			}
		}
		text.WriteByte('\n')
	}
	_, err := io.WriteString(to, text.String())
	return err
}
