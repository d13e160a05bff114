package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
)

// Sixel is a picture in pixels for terminals that draw sixels. It is written
// over the blocks of the same picture, after the frame that shows them.
type Sixel struct {
	ID         int
	Cols, Rows int

	pixels []uint8 // their colours, line by line
	wide   int     // pixels of a line
	held   int     // bytes that it takes in the store
	// Data is the sequence that draws the picture. It is made when it is first asked
	// for, which takes long for a large one.
	Data func() string

	part *Sixel // the last one asked for
	at   image.Rectangle
}

// Colours of a sixel picture: steps of red, green and blue. They are the same
// for all pictures, since terminals may share their registers among them.
const (
	redSteps, greenSteps, blueSteps = 6, 7, 6
	sixelColours                    = redSteps * greenSteps * blueSteps
	bandRows                        = 6
)

// noColour is the number of pixels that are not drawn.
const noColour = 255

// newSixel is an image for so many cells in the colours of sixel pictures. Cells that
// show the background alone are not drawn: the blocks below have the very colour.
func newSixel(img *image.RGBA, back color.RGBA, cols, rows int) *Sixel {
	s := &Sixel{Cols: cols, Rows: rows, pixels: dither(img), wide: img.Rect.Dx()}
	s.Data = sync.OnceValue(s.encode)
	w, h := img.Rect.Dx()/cols, img.Rect.Dy()/rows
	for y := range rows {
		for x := range cols {
			s.leaveOut(img, image.Rect(x*w, y*h, (x+1)*w, (y+1)*h), back)
		}
	}
	return s
}

// dither reduces an image to the colours of sixel pictures. Four fifths of the error
// of each pixel go to its neighbours (Floyd and Steinberg), in lines that run
// there and back, so that areas nearly keep their mean colour and no streaks
// appear; all of it would bring specks into plain areas.
func dither(img *image.RGBA) []uint8 {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	numbers := make([]uint8, w*h)
	// Errors in twentieths, with a column more at each side.
	now, next := make([][3]int, w+2), make([][3]int, w+2)
	for y := range h {
		step, x := 1, 0
		if y%2 == 1 {
			step, x = -1, w-1
		}
		for ; x >= 0 && x < w; x += step {
			at, number := img.Pix[y*img.Stride+4*x:], 0
			for c, steps := range [3]int{redSteps - 1, greenSteps - 1, blueSteps - 1} {
				want := min(max(int(at[c])+now[x+1][c]/20, 0), 255)
				got := (want*steps + 127) / 255
				number = number*(steps+1) + got
				e := want - got*255/steps
				now[x+1+step][c] += 7 * e
				next[x+1-step][c] += 3 * e
				next[x+1][c] += 5 * e
				next[x+1+step][c] += e
			}
			numbers[y*w+x] = uint8(number)
		}
		now, next = next, now
		clear(next)
	}
	return numbers
}

// leaveOut draws no pixel of a cell all of which have the colour of the background.
func (s *Sixel) leaveOut(img *image.RGBA, cell image.Rectangle, back color.RGBA) {
	blank, none := bytes.Repeat([]byte{back.R, back.G, back.B, back.A}, cell.Dx()), bytes.Repeat([]byte{noColour}, cell.Dx())
	for y := cell.Min.Y; y < cell.Max.Y; y++ {
		if !bytes.Equal(img.Pix[img.PixOffset(cell.Min.X, y):][:len(blank)], blank) {
			return
		}
	}
	for y := cell.Min.Y; y < cell.Max.Y; y++ {
		copy(s.pixels[y*s.wide+cell.Min.X:], none)
	}
}

// Part returns the part of the picture in some cells, or nil. It remembers one.
func (s *Sixel) Part(cells image.Rectangle) *Sixel {
	if cells.Empty() || !cells.In(image.Rect(0, 0, s.Cols, s.Rows)) || len(s.pixels) == 0 {
		return nil
	}
	if s.part != nil && s.at == cells {
		return s.part
	}
	w, h := s.wide/s.Cols, len(s.pixels)/s.wide/s.Rows // pixels of a cell
	p := &Sixel{ID: s.ID, Cols: cells.Dx(), Rows: cells.Dy(), wide: w * cells.Dx()}
	for y := h * cells.Min.Y; y < h*cells.Max.Y; y++ {
		p.pixels = append(p.pixels, s.pixels[y*s.wide+w*cells.Min.X:][:p.wide]...)
	}
	p.Data = sync.OnceValue(p.encode)
	s.part, s.at = p, cells
	return p
}

func (s *Sixel) encode() string {
	w := s.wide
	out := fmt.Appendf(nil, "\x1bP0;1q\"1;1;%d;%d", w, len(s.pixels)/w)
	for n := range sixelColours {
		r, g, b := n/blueSteps/greenSteps, n/blueSteps%greenSteps, n%blueSteps
		out = fmt.Appendf(out, "#%d;2;%d;%d;%d", n, r*100/(redSteps-1), g*100/(greenSteps-1), b*100/(blueSteps-1))
	}
	var rows [sixelColours][]byte // of each colour, the pixels of each column as bits
	var used [sixelColours]bool
	for band := range slices.Chunk(s.pixels, bandRows*w) {
		clear(used[:])
		for i, n := range band {
			if n == noColour {
				continue
			}
			if !used[n] {
				used[n], rows[n] = true, append(rows[n][:0], make([]byte, w)...)
			}
			rows[n][i%w] |= 1 << (i / w)
		}
		for n, is := range used {
			if is {
				out = strconv.AppendInt(append(out, '#'), int64(n), 10)
				out = append(sixelRow(out, rows[n]), '$')
			}
		}
		out = append(out, '-')
	}
	return string(append(out, "\x1b\\"...))
}

// sixelRow writes where a band has a colour, repetitions shortened.
func sixelRow(out, row []byte) []byte {
	for x := 0; x < len(row); {
		from := x
		for x < len(row) && row[x] == row[from] {
			x++
		}
		count, c := x-from, '?'+row[from]
		switch {
		case c == '?' && x == len(row): // blank to the end
		case count > 3:
			out = append(strconv.AppendInt(append(out, '!'), int64(count), 10), c)
		default:
			out = append(out, bytes.Repeat([]byte{c}, count)...)
		}
	}
	return out
}

const (
	// sixelBytes bounds all sixel pictures that are kept.
	sixelBytes = 24 << 20
	// wholeCells are the cells of a large screen; no more of a picture are in view.
	wholeCells = 200 * 60
)

// Sixel is the picture with an id, or nil when it is not kept any more.
func (l *Loader) Sixel(id int) *Sixel {
	l.mu.Lock()
	defer l.mu.Unlock()
	one, _ := api.Find(l.sixels, func(one *Sixel) bool { return one.ID == id })
	return one
}

func (l *Loader) keepSixel(one *Sixel) {
	one.held = len(one.pixels)
	if one.Cols*one.Rows <= wholeCells {
		one.held += len(one.Data())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	one.ID = int(l.ids.Add(1)) & 0xffff // as a mark has room for
	l.sixels = append(l.sixels, one)
	for l.held += one.held; l.held > sixelBytes && len(l.sixels) > 1; l.sixels = slices.Delete(l.sixels, 0, 1) {
		l.held -= l.sixels[0].held
	}
}

// A mark stands before each line of a picture's blocks, so that whoever
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
		if shown := min(cols-lead, ansi.StringWidth(strings.TrimSpace(ansi.Strip(rest)))-left); marked && shown > 0 {
			l = fmt.Sprintf("%s%s%d;%d;%d;%d;%d;%d;%dm%s", l[:lead], markStart, high, low, row, left, top, shown, count, l[lead:])
			row++
		}
		all[i] = l
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
	at, end int // of the blocks, in bytes of the line without marks
}

// Line is a line of a frame without marks, and the pictures that they named.
type Line struct {
	Text  string
	marks []found
}

// ReadLine takes the marks out of a line, and says which were followed by the whole of their
// picture's cells. Pictures stay blocks in a line with a wide character: a renderer rewrites such
// lines at each change, and with them what was drawn over the cells.
func ReadLine(line string, find func(id int) *Sixel) (out Line) {
	for {
		before, rest, marked := strings.Cut(line, markStart)
		out.Text += before
		if !marked {
			break
		}
		var high, low, row, x, y, cols, rows int
		n, _ := fmt.Sscanf(rest, "%d;%d;%d;%d;%d;%d;%dm", &high, &low, &row, &x, &y, &cols, &rows)
		_, behind, ended := strings.Cut(rest, "m")
		if line = rest; n < 3 || !ended {
			continue
		}
		line = behind
		s := find(high<<8 | low)
		if s != nil && n == 7 {
			s = s.Part(image.Rect(x, y, x+cols, y+rows))
		}
		if s == nil {
			continue
		}
		if n, ok := cells(line, s.Cols); ok {
			out.marks = append(out.marks, found{s, row, ansi.StringWidth(out.Text), len(out.Text), len(out.Text) + n})
		}
	}
	if len(out.marks) > 0 && ansi.StringWidth(out.Text) != utf8.RuneCountInString(ansi.Strip(out.Text)) {
		out.marks = nil
	}
	return out
}

// Place returns the places of the pictures in a frame that nothing covers.
func Place(lines []Line) (placed []Placed) {
	for y, line := range lines {
		for _, m := range line.marks {
			at := slices.IndexFunc(placed, func(p Placed) bool { return p.Sixel.ID == m.sixel.ID && p.X == m.x && p.Y == y-m.row })
			if at < 0 {
				at, placed = len(placed), append(placed, Placed{X: m.x, Y: y - m.row, Sixel: m.sixel})
			}
			p := &placed[at]
			p.before, p.after = append(p.before, line.Text[:m.at]), append(p.after, line.Text[m.end:])
		}
	}
	return slices.DeleteFunc(placed, func(p Placed) bool { return len(p.before) != p.Sixel.Rows })
}

// cells measures so many block elements and their colours, in bytes.
func cells(line string, count int) (n int, ok bool) {
	for count > 0 {
		switch {
		case n+3 <= len(line) && strings.Contains(Elements, line[n:n+3]):
			n, count = n+3, count-1
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
	text := func(p Placed, y int) string { return ansi.Strip(p.before[y]) + "\x00" + ansi.Strip(p.after[y]) }
	rows, moved := map[string]int{}, 0
	for y := range p.before {
		rows[text(p, y)] = y
	}
	for y := range q.before {
		if at, ok := rows[text(q, y)]; ok && at != y && text(q, y) != text(p, y) {
			moved++
		}
	}
	return moved > 1
}

// Draw draws the picture in its place and leaves the cursor where it was.
func (p Placed) Draw() string {
	return ansi.SaveCursor + ansi.CursorPosition(p.X+1, p.Y+1) + p.Sixel.Data() + ansi.RestoreCursor
}
