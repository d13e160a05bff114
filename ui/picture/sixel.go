package picture

import (
	"fmt"
	"image"
	"strconv"
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

// sixelBytes bounds all sixel pictures that are kept.
const sixelBytes = 24 << 20

// sixelStore holds sixel pictures by their ids, the newest ones.
type sixelStore struct {
	byID  map[int]*Sixel
	order []int // oldest first
	size  int
	last  int
}

// Sixel is the picture with an id, or nil when it is not kept any more.
func (l *Loader) Sixel(id int) *Sixel {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sixels.byID[id]
}

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
