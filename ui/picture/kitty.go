package picture

import (
	"fmt"
	"image"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
	"golang.org/x/image/draw"
)

// Pixels sent for one cell: enough to be sharp, few enough for a slow line.
const (
	cellWide = 10
	cellHigh = 20
	maxSent  = 4_000_000 // pixels
)

// transmit makes the sequence that hands an image to the terminal, and the
// placeholder lines that show it. The terminal is asked to answer: painted too
// early, placeholders stay empty.
func transmit(img image.Image, id, cols, rows int, tmux bool) (*Graphic, error) {
	w, h := cols*cellWide, rows*cellHigh
	for w*h > maxSent {
		w, h = w/2, h/2
	}
	if b := img.Bounds(); b.Dx() < w || b.Dy() < h {
		w, h = b.Dx(), b.Dy() // the terminal enlarges as well as we do
	}
	small := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.ApproxBiLinear.Scale(small, small.Bounds(), img, img.Bounds(), draw.Src, nil)
	var b strings.Builder
	o := &kitty.Options{
		Action: kitty.TransmitAndPut, ID: id, Format: kitty.PNG, Transmission: kitty.Direct,
		VirtualPlacement: true, Columns: cols, Rows: rows, Chunk: true,
	}
	if tmux {
		o.ChunkFormatter = ansi.TmuxPassthrough
	}
	if err := kitty.EncodeGraphics(&b, small, o); err != nil {
		return nil, errTerminal
	}
	return &Graphic{ID: id, Transmit: b.String(), Lines: placeholders(id, cols, rows)}, nil
}

// placeholders number every cell in full, so that any part of the area can be
// painted again alone.
func placeholders(id, cols, rows int) []string {
	lines := make([]string, rows)
	for y := range lines {
		var b strings.Builder
		fmt.Fprintf(&b, "\x1b[38;5;%dm", id)
		for x := range cols {
			b.WriteRune(kitty.Placeholder)
			b.WriteRune(kitty.Diacritic(y))
			b.WriteRune(kitty.Diacritic(x))
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
