package picture

import (
	"cmp"
	"fmt"
	"image"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Sixel is a picture in pixels for terminals that draw sixels. It is written
// over the half blocks of the same picture, after the frame that shows them.
type Sixel struct {
	ID         int
	Cols, Rows int
	Data       string
}

// Colours of a sixel picture: steps of red, green and blue. They are the same
// for all pictures, since terminals may share their registers among them.
const (
	redSteps, greenSteps, blueSteps = 6, 7, 6
	bandRows                        = 6
)

// encodeSixel makes the sequence that draws an image.
func encodeSixel(img *image.RGBA) string {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	numbers := dither(img, func(r, g, b int) (n, pr, pg, pb int) {
		ir, ig, ib := (r*(redSteps-1)+127)/255, (g*(greenSteps-1)+127)/255, (b*(blueSteps-1)+127)/255
		n = (ir*greenSteps+ig)*blueSteps + ib
		return n, ir * 255 / (redSteps - 1), ig * 255 / (greenSteps - 1), ib * 255 / (blueSteps - 1)
	})
	out := fmt.Appendf(nil, "\x1bP0;1q\"1;1;%d;%d", w, h)
	for n := range redSteps * greenSteps * blueSteps {
		r, g, b := n/blueSteps/greenSteps, n/blueSteps%greenSteps, n%blueSteps
		out = fmt.Appendf(out, "#%d;2;%d;%d;%d", n, r*100/(redSteps-1), g*100/(greenSteps-1), b*100/(blueSteps-1))
	}
	var used [redSteps * greenSteps * blueSteps]bool
	for y := 0; y < h; y += bandRows {
		band := numbers[y*w : min(y+bandRows, h)*w]
		clear(used[:])
		for _, n := range band {
			used[n] = true
		}
		for n, is := range used {
			if is {
				out = strconv.AppendInt(append(out, '#'), int64(n), 10)
				out = append(sixelRow(out, band, w, n), '$')
			}
		}
		out = append(out, '-')
	}
	return string(append(out, "\x1b\\"...))
}

// sixelRow writes where a band has a colour, repetitions shortened.
func sixelRow(out []byte, band []int, w, n int) []byte {
	last, count := byte(0), 0
	flush := func() {
		if count > 3 {
			out = strconv.AppendInt(append(out, '!'), int64(count), 10)
			out = append(out, last)
			return
		}
		for range count {
			out = append(out, last)
		}
	}
	for x := range w {
		c := byte('?')
		for y := 0; y*w+x < len(band); y++ {
			if band[y*w+x] == n {
				c += 1 << y
			}
		}
		if c != last {
			flush()
			last, count = c, 0
		}
		count++
	}
	if last != '?' {
		flush()
	}
	return out
}

// A mark stands before each line of a picture's half blocks, so that whoever
// has the whole frame finds where the picture is: the colour of an underline
// that is not there. It holds the picture's id and the number of the line.
const markStart = "\x1b[58;2;"

func mark(id, row int) string {
	return fmt.Sprintf("%s%d;%d;%dm", markStart, id>>8&255, id&255, row)
}

// marked puts marks before the lines of a picture.
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
	before []string // of each of its lines, what stands left of it
	after  []string // and right of it
}

// spot is where a picture with a mark would begin.
type spot struct{ id, x, y int }

// found is a mark in a line.
type found struct {
	id, row, x int
	at, end    int // of the half blocks, in bytes of the line without marks
}

// Place takes the marks out of a frame and says where pictures stand: those
// whose half blocks are whole, none covered, in lines without a wide character.
// A renderer rewrites lines with wide characters at each change, and with them
// what was drawn over the cells.
func Place(frame string, find func(id int) *Sixel) (string, []Placed) {
	if !strings.Contains(frame, markStart) {
		return frame, nil
	}
	lines := strings.Split(frame, "\n")
	spots := map[spot]*Placed{}
	var order []spot
	for y, line := range lines {
		if !strings.Contains(line, markStart) {
			continue
		}
		clean, marks := unmark(line, find)
		lines[y] = clean
		if plain := ansi.Strip(clean); ansi.StringWidth(plain) != utf8.RuneCountInString(plain) {
			continue
		}
		for _, m := range marks {
			at := spot{m.id, m.x, y - m.row}
			p := spots[at]
			if p == nil {
				p = &Placed{X: m.x, Y: y - m.row, Sixel: find(m.id)}
				spots[at] = p
				order = append(order, at)
			}
			p.before, p.after = append(p.before, clean[:m.at]), append(p.after, clean[m.end:])
		}
	}
	var placed []Placed
	for _, at := range order {
		if p := spots[at]; len(p.before) == p.Sixel.Rows {
			placed = append(placed, *p)
		}
	}
	return strings.Join(lines, "\n"), placed
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
		var high, low, row int
		end := strings.IndexByte(line[at:], 'm')
		if n, _ := fmt.Sscanf(line[at+len(markStart):], "%d;%d;%dm", &high, &low, &row); n < 3 || end < 0 {
			line = line[at+len(markStart):]
			continue
		}
		line = line[at+end+1:]
		s := find(high<<8 | low)
		if s == nil {
			continue
		}
		if n, ok := cells(line, s.Cols); ok {
			from := clean.Len()
			marks = append(marks, found{s.ID, row, ansi.StringWidth(clean.String()), from, from + n})
		}
	}
}

// cells measures so many half blocks and their colours, in bytes.
func cells(line string, count int) (n int, ok bool) {
	const block = "▀"
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
// later frame, where it stands at q: a line that changed on both sides of it is
// rewritten from the one change to the other.
func (p Placed) Overwritten(q Placed) bool {
	for y := range p.before {
		if p.before[y] != q.before[y] && p.after[y] != q.after[y] {
			return true
		}
	}
	return false
}

// Scrolled reports whether lines beside the picture moved up or down between
// two frames: the renderer may have scrolled the terminal, and the picture with
// it.
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

// Draw is the sequence that draws the picture in its place and leaves the
// cursor where it was.
func (p Placed) Draw() string {
	return ansi.SaveCursor + ansi.CursorPosition(p.X+1, p.Y+1) + p.Sixel.Data + ansi.RestoreCursor
}

// sixelBytes bounds all sixel pictures that are kept.
const sixelBytes = 24 << 20

// sixelStore holds sixel pictures by their ids, the newest ones.
type sixelStore struct {
	byID  map[int]*Sixel
	order []int // oldest first
	size  int
	last  int
}

// SetCell says how large the terminal's cells are; zero is not known.
func (l *Loader) SetCell(c Cell) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cell = c
}

// cellSize is the size of the terminal's cells.
func (l *Loader) cellSize() Cell {
	l.mu.Lock()
	defer l.mu.Unlock()
	return cmp.Or(l.cell, usualCell)
}

// Sixel is the picture with an id, or nil when it is not kept any more.
func (l *Loader) Sixel(id int) *Sixel {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sixels.byID[id]
}

// keepSixel keeps a picture and gives its id.
func (l *Loader) keepSixel(cols, rows int, data string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &l.sixels
	if s.byID == nil {
		s.byID = map[int]*Sixel{}
	}
	s.last = (s.last + 1) & 0xffff
	s.byID[s.last] = &Sixel{ID: s.last, Cols: cols, Rows: rows, Data: data}
	s.order = append(s.order, s.last)
	for s.size += len(data); s.size > sixelBytes && len(s.order) > 1; s.order = s.order[1:] {
		s.size -= len(s.byID[s.order[0]].Data)
		delete(s.byID, s.order[0])
	}
	return s.last
}
