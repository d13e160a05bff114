package picture

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
)

// Pixels sent for one cell: enough to be sharp, few enough for a slow line.
const (
	cellWide  = 10
	cellHigh  = 20
	maxSent   = 4_000_000 // pixels
	chunkSize = 4096      // bytes of one transmission, as the protocol allows
	idsHigh   = 256       // values of an id's high byte
)

// encode makes the PNG that is handed to the terminal.
func encode(img image.Image) ([]byte, error) {
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&out, img); err != nil {
		return nil, errTerminal
	}
	return out.Bytes(), nil
}

// sized brings an image to the pixels that so many cells have, with the ratio
// of its sides: the terminal fits it into the cells, which may have another. A
// smaller image keeps its size.
func sized(img image.Image, cols, rows int) image.Image {
	size := img.Bounds().Size()
	w, h := cols*cellWide, rows*cellHigh
	for w*h > maxSent {
		w, h = w/2, h/2
	}
	if size.X <= w && size.Y <= h {
		return img
	}
	if size.X*h > w*size.Y {
		h = max((w*size.Y+size.X/2)/size.X, 1)
	} else {
		w = max((h*size.X+size.Y/2)/size.Y, 1)
	}
	return shrink(img, min(w, size.X), min(h, size.Y))
}

// as is the same image under an id: the sequence that hands it to the terminal
// and the placeholder lines that show it. The terminal is asked to answer:
// painted too early, placeholders stay empty.
func (g *Graphic) as(id, cols, rows int) *Graphic {
	text := base64.StdEncoding.EncodeToString(g.content)
	var b strings.Builder
	for at := 0; at < len(text); at += chunkSize {
		end := min(at+chunkSize, len(text))
		options := []string{"m=1"}
		if at == 0 {
			options = []string{"a=T", "U=1", "t=d", "f=100", fmt.Sprintf("i=%d", id), fmt.Sprintf("c=%d", cols), fmt.Sprintf("r=%d", rows), "m=1"}
		}
		if end == len(text) {
			options[len(options)-1] = "m=0"
		}
		s := ansi.KittyGraphics([]byte(text[at:end]), options...)
		if g.tmux {
			s = ansi.TmuxPassthrough(s)
		}
		b.WriteString(s)
	}
	return &Graphic{ID: id, Transmit: b.String(), Lines: placeholders(id, cols, rows), content: g.content, tmux: g.tmux}
}

// placeholders number every cell in full, so that any part of the area can be
// painted again alone.
func placeholders(id, cols, rows int) []string {
	lines := make([]string, rows)
	for y := range lines {
		var b strings.Builder
		fmt.Fprintf(&b, "\x1b[38;5;%dm", id&0xff)
		for x := range cols {
			b.WriteRune(kitty.Placeholder)
			b.WriteRune(kitty.Diacritic(y))
			b.WriteRune(kitty.Diacritic(x))
			b.WriteRune(kitty.Diacritic(id >> 24))
		}
		b.WriteString("\x1b[39m")
		lines[y] = b.String()
	}
	return lines
}

// Erase makes the terminal forget an image: when its preview closes, and on
// the way out.
func Erase(id int, tmux bool) string {
	s := ansi.KittyGraphics(nil, "a=d", "d=I", fmt.Sprintf("i=%d", id), "q=2")
	if tmux {
		s = ansi.TmuxPassthrough(s)
	}
	return s
}

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
