package picture

import (
	"fmt"
	"image"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// A mark stands before each line of a picture's half blocks, so that whoever
// has the whole frame finds where the picture is: the colour of an underline
// that is not there. It holds the picture's id and the number of the line, and of a
// part of the picture its place and size.
const markStart = "\x1b[58;2;"

func mark(id, row int) string {
	return fmt.Sprintf("%s%d;%d;%dm", markStart, id>>8&255, id&255, row)
}

// Window are the lines from..from+rows-1 of a picture, which may stand in a box of
// blanks, of each so many cells from x. Their marks say which part of the picture it is.
func Window(lines []string, x, from, cols, rows int) []string {
	if len(lines) == 0 {
		return nil
	}
	from = min(from, len(lines))
	all, wide := slices.Clone(lines[from:min(from+rows, len(lines))]), ansi.StringWidth(lines[0])
	if len(all) == len(lines) && wide <= cols {
		return lines
	}
	cols = min(cols, wide-x)
	var high, low, top, count int // of the part: its picture, first line and number of lines
	for _, l := range slices.Backward(all) {
		if _, rest, marked := strings.Cut(l, markStart); marked {
			_, _ = fmt.Sscanf(rest, "%d;%d;%dm", &high, &low, &top)
			count++
		}
	}
	row := 0
	for i, l := range all {
		before, rest, marked := strings.Cut(l, markStart)
		if marked {
			_, rest, _ = strings.Cut(rest, "m")
			l = before + rest
		}
		if wide > cols {
			l = ansi.Cut(l, x, x+cols)
		}
		lead, left := max(len(before)-x, 0), max(x-len(before), 0) // blanks, and cells that are cut away
		if shown := min(cols-lead, strings.Count(rest, block)-left); marked && shown > 0 {
			l = fmt.Sprintf("%s%s%d;%d;%d;%d;%d;%d;%dm%s", l[:lead], markStart, high, low, row, left, top, shown, count, l[lead:])
			row++
		}
		all[i] = l
	}
	return all
}

func marked(lines []string, id int) []string {
	all := make([]string, len(lines))
	for y, l := range lines {
		all[y] = mark(id, y) + l
	}
	return all
}

// Placed is a sixel picture's place in a frame, in cells from 0.
type Placed struct {
	X, Y   int
	Sixel  *Sixel
	before []string // of each of its lines, the text left of it
	after  []string // and right of it
}

type found struct {
	sixel   *Sixel
	row, x  int
	at, end int // of the half blocks, in bytes of the line without marks
}

// Line is a line of a frame without marks, and the pictures that they named.
type Line struct {
	Text  string
	marks []found
}

// ReadLine takes the marks out of a line. Pictures stay half blocks in a line
// with a wide character: a renderer rewrites such lines at each change, and with
// them what was drawn over the cells.
func ReadLine(line string, find func(id int) *Sixel) Line {
	if !strings.Contains(line, markStart) {
		return Line{Text: line}
	}
	clean, marks := unmark(line, find)
	if plain := ansi.Strip(clean); ansi.StringWidth(plain) != utf8.RuneCountInString(plain) {
		return Line{Text: clean}
	}
	return Line{clean, marks}
}

// Place returns the places of the pictures in a frame that nothing covers.
func Place(lines []Line) (placed []Placed) {
	for y, line := range lines {
		for _, m := range line.marks {
			here := func(p Placed) bool { return p.Sixel.ID == m.sixel.ID && p.X == m.x && p.Y == y-m.row }
			at := slices.IndexFunc(placed, here)
			if at < 0 {
				at, placed = len(placed), append(placed, Placed{X: m.x, Y: y - m.row, Sixel: m.sixel})
			}
			p := &placed[at]
			p.before, p.after = append(p.before, line.Text[:m.at]), append(p.after, line.Text[m.end:])
		}
	}
	return slices.DeleteFunc(placed, func(p Placed) bool { return len(p.before) != p.Sixel.Rows })
}

// unmark takes the marks out of a line, and says which were followed by the
// whole of their picture's cells.
func unmark(line string, find func(id int) *Sixel) (string, []found) {
	var clean strings.Builder
	var marks []found
	for {
		at := strings.Index(line, markStart)
		if at < 0 {
			clean.WriteString(line)
			return clean.String(), marks
		}
		clean.WriteString(line[:at])
		var high, low, row, x, y, cols, rows int
		end := strings.IndexByte(line[at:], 'm')
		n, _ := fmt.Sscanf(line[at+len(markStart):], "%d;%d;%d;%d;%d;%d;%dm", &high, &low, &row, &x, &y, &cols, &rows)
		if n < 3 || end < 0 {
			line = line[at+len(markStart):]
			continue
		}
		line = line[at+end+1:]
		s := find(high<<8 | low)
		if s != nil && n == 7 {
			s = s.Part(image.Rect(x, y, x+cols, y+rows))
		}
		if s == nil {
			continue
		}
		if n, ok := cells(line, s.Cols); ok {
			from := clean.Len()
			marks = append(marks, found{s, row, ansi.StringWidth(clean.String()), from, from + n})
		}
	}
}

// block is the half block that a cell of a picture is drawn with.
const block = "▀"

// cells measures so many half blocks and their colours, in bytes.
func cells(line string, count int) (n int, ok bool) {
	for count > 0 {
		switch {
		case strings.HasPrefix(line[n:], block):
			n, count = n+len(block), count-1
		case strings.HasPrefix(line[n:], "\x1b["):
			end := strings.IndexByte(line[n:], 'm')
			if end < 0 {
				return 0, false
			}
			n += end + 1
		default:
			return 0, false
		}
	}
	return n, true
}

// Same reports whether two places show the same picture.
func (p Placed) Same(q Placed) bool { return p.X == q.X && p.Y == q.Y && p.Sixel == q.Sixel }

// Overwritten reports whether a picture that was drawn at p may be damaged in a
// later frame that has it at q: a line that changed on both sides of it is
// rewritten from the one change to the other.
func (p Placed) Overwritten(q Placed) bool {
	for y := range p.before {
		if p.before[y] != q.before[y] && p.after[y] != q.after[y] {
			return true
		}
	}
	return false
}

// Scrolled reports whether lines next to the picture moved up or down between
// two frames: the terminal may have been scrolled, and the picture with it.
func (p Placed) Scrolled(q Placed) bool {
	rows := map[string]int{}
	for y := range p.before {
		rows[ansi.Strip(p.before[y])+"\x00"+ansi.Strip(p.after[y])] = y
	}
	moved := 0
	for y := range q.before {
		text := ansi.Strip(q.before[y]) + "\x00" + ansi.Strip(q.after[y])
		if at, ok := rows[text]; ok && at != y && text != ansi.Strip(p.before[y])+"\x00"+ansi.Strip(p.after[y]) {
			moved++
		}
	}
	return moved > 1
}

// Draw draws the picture in its place and leaves the cursor where it was.
func (p Placed) Draw() string {
	return ansi.SaveCursor + ansi.CursorPosition(p.X+1, p.Y+1) + p.Sixel.Data() + ansi.RestoreCursor
}
