package picture

import (
	"fmt"
	"image"
	"image/color"
	"slices"
	"strconv"
	"sync"
)

// Sixel is a picture in pixels for terminals that draw sixels. It is written
// over the half blocks of the same picture, after the frame that shows them.
type Sixel struct {
	ID         int
	Cols, Rows int

	pixels []uint8 // their colours, line by line
	wide   int     // pixels of a line
	held   int     // bytes that it takes in the store
	once   sync.Once
	data   string

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
// show the background alone are not drawn: the half blocks below have the very colour.
func newSixel(img *image.RGBA, back color.RGBA, cols, rows int) *Sixel {
	s := &Sixel{Cols: cols, Rows: rows, pixels: dither(img), wide: img.Rect.Dx()}
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
	for y := cell.Min.Y; y < cell.Max.Y; y++ {
		for x := cell.Min.X; x < cell.Max.X; x++ {
			if img.RGBAAt(x, y) != back {
				return
			}
		}
	}
	for y := cell.Min.Y; y < cell.Max.Y; y++ {
		for x := cell.Min.X; x < cell.Max.X; x++ {
			s.pixels[y*s.wide+x] = noColour
		}
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
	s.part, s.at = p, cells
	return p
}

// Data is the sequence that draws the picture. It is made when it is first asked
// for, which takes long for a large one.
func (s *Sixel) Data() string {
	s.once.Do(func() { s.data = s.encode() })
	return s.data
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
			for range count {
				out = append(out, c)
			}
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

// sixelStore holds the newest sixel pictures.
type sixelStore struct {
	all  []*Sixel // oldest first
	size int      // in bytes
	last int      // id
}

// Sixel is the picture with an id, or nil when it is not kept any more.
func (l *Loader) Sixel(id int) *Sixel {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, one := range l.sixels.all {
		if one.ID == id {
			return one
		}
	}
	return nil
}

func (l *Loader) keepSixel(one *Sixel) int {
	one.held = len(one.pixels)
	if one.Cols*one.Rows <= wholeCells {
		one.held += len(one.Data())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &l.sixels
	s.last = (s.last + 1) & 0xffff
	one.ID = s.last
	s.all = append(s.all, one)
	for s.size += one.held; s.size > sixelBytes && len(s.all) > 1; s.all = slices.Delete(s.all, 0, 1) {
		s.size -= s.all[0].held
	}
	return s.last
}
