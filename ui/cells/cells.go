// Package cells writes pictures and wide characters in a form that the renderer
// reads and compares as quickly as plain text.
//
// The renderer reads the whole of each frame anew and keeps two colours for every
// half block; a line that holds a wide character it writes whole with each frame.
// A [Coder] puts ASCII characters in their places, one for each column, whose
// style is the number of what stands there. The [Writer] between the renderer and
// the terminal writes the original again.
package cells

import (
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
)

const (
	mostCells = 32   // of a run: a change of one of them writes all
	firstCode = '!'  // stands for the first cell of a run, '"' for the second
	mostNew   = 1024 // runs after which those that are no longer drawn are forgotten
)

// Coder gives numbers to what it finds in the lines of frames. It is safe for
// concurrent use: lines are drawn while a frame is written.
type Coder struct {
	mu    sync.Mutex
	last  int
	ids   map[run]int
	runs  map[int]numbered
	round int // grows each time that old runs are forgotten
	fresh int // runs since then
}

// run is a part of a line as it was drawn. Its column belongs to it: the same
// text elsewhere has another number, so that the renderer never moves half of a
// wide character to the side.
type run struct {
	column int
	from   look // before its first character
	text   string
}

type numbered struct {
	run   run
	round int // in which it was drawn last
}

// Round grows from time to time. Then all lines of a frame are to be coded anew,
// so that what they use is kept.
func (c *Coder) Round() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.round
}

// Line codes a line of a frame.
func (c *Coder) Line(line string) string {
	if !strings.Contains(line, "▀") && !hasWide(line) {
		return line
	}
	l := coded{coder: c, line: line}
	column := 0
	for at := 0; at < len(line); {
		text, width, n, _ := ansi.DecodeSequence(line[at:], ansi.NormalState, nil)
		params, style := styleOf(text)
		columns := columnsOf(text, width)
		switch {
		case style:
			l.at = l.at.with(params)
		case columns > 0:
			l.add(at, at+n, column, columns)
		default:
			l.flush()
			l.plain(text)
		}
		column += width
		at += n
	}
	return l.String()
}

// hasWide reports whether a line may hold other characters that are coded.
func hasWide(line string) bool {
	for i := range len(line) {
		if line[i] >= 0xe3 { // U+3000 and above
			return true
		}
	}
	return false
}

// wide are characters of which every terminal agrees that they take two columns.
var wide = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x3001, Hi: 0x3029, Stride: 1}, {Lo: 0x3041, Hi: 0x3096, Stride: 1}, {Lo: 0x30a1, Hi: 0x30ff, Stride: 1},
	{Lo: 0x3400, Hi: 0x4dbf, Stride: 1}, {Lo: 0x4e00, Hi: 0x9fff, Stride: 1}, {Lo: 0xff01, Hi: 0xff60, Stride: 1}}}

// columnsOf is how many columns a character takes that is coded, else 0.
func columnsOf(text string, width int) int {
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case text == "▀", r == kitty.Placeholder && width == 1:
		return 1
	case width == 2 && size == len(text) && unicode.Is(wide, r):
		return 2
	}
	return 0
}

// number is that of a run.
func (c *Coder) number(r run) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	id, ok := c.ids[r]
	if ok {
		c.runs[id] = numbered{c.runs[id].run, c.round}
		return id
	}
	if c.fresh++; c.ids == nil || c.fresh > mostNew {
		c.forget()
	}
	c.last = c.last%0xffffff + 1
	r.text = strings.Clone(r.text) // without the line around it
	r.from = look{strings.Clone(r.from.fore), strings.Clone(r.from.back), strings.Clone(r.from.rest)}
	c.ids[r], c.runs[c.last] = c.last, numbered{r, c.round}
	return c.last
}

// forget keeps the runs that were drawn in this round or the one before, which
// are all that the frames in view and under way hold.
func (c *Coder) forget() {
	ids, runs := map[run]int{}, map[int]numbered{}
	for id, n := range c.runs {
		if n.round == c.round {
			ids[n.run], runs[id] = id, n
		}
	}
	c.ids, c.runs, c.fresh, c.round = ids, runs, 0, c.round+1
}

// run is what a number stands for.
func (c *Coder) run(id int) (run, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok := c.runs[id]
	return n.run, ok
}

// coded is a line while it is coded.
type coded struct {
	strings.Builder
	coder   *Coder
	line    string
	at      look // of what comes next
	written look // of what was written last; its rest is "coded" after a run
	begun   run
	from    int // where the run begins in the line
	to      int
	cells   int
}

// add takes a character to the run.
func (l *coded) add(from, to, column, columns int) {
	if l.cells+columns > mostCells {
		l.flush()
	}
	if l.cells == 0 {
		l.begun, l.from = run{column: column, from: l.at}, from
	}
	l.to, l.cells = to, l.cells+columns
}

// flush writes the run.
func (l *coded) flush() {
	if l.cells == 0 {
		return
	}
	l.begun.text = l.line[l.from:l.to]
	id := l.coder.number(l.begun)
	fmt.Fprintf(l, "\x1b[0;58;2;%d;%d;%dm", id>>16, id>>8&255, id&255)
	for i := range l.cells {
		l.WriteByte(byte(firstCode + i))
	}
	l.written, l.cells = look{rest: "coded"}, 0
}

// plain writes other text as it is.
func (l *coded) plain(text string) {
	if l.written != l.at {
		l.WriteString("\x1b[" + l.at.whole() + "m")
		l.written = l.at
	}
	l.WriteString(text)
}

// String is the line, at whose end the colours are as the original left them.
func (l *coded) String() string {
	l.flush()
	l.plain("")
	return l.Builder.String()
}
