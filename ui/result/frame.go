package result

import (
	"fmt"
	"math"
	"strings"

	"charm.land/lipgloss/v2"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/theme"
)

// Ratio is width by height of what a request makes, as far as it says.
func Ratio(r api.Request) float64 {
	for _, s := range []string{r.AspectRatio, r.Size} {
		var x, y float64
		if _, err := fmt.Sscanf(strings.NewReplacer("x", ":", "×", ":").Replace(s), "%g:%g", &x, &y); err == nil && x > 0 && y > 0 {
			return min(max(x/y, 0.25), 4)
		}
	}
	if r.Kind == api.KindVideo {
		return 16.0 / 9
	}
	return 1
}

// CellRatio is a ratio for FitRatio in the terminal's cells, which may not be half as wide as high.
func CellRatio(k *env.Env, ratio float64) float64 {
	if k.Cell.Width > 0 {
		ratio *= float64(k.Cell.Height) / float64(2*k.Cell.Width)
	}
	return ratio
}

// FitRatio is the largest box of a ratio in an area of cells.
func FitRatio(ratio float64, cols, rows int) (c, r int) {
	c, r = cols, int(math.Round(float64(cols)/ratio/2))
	if r > rows {
		c, r = int(math.Round(float64(rows)*ratio*2)), rows
	}
	return max(min(c, cols), 1), max(min(r, rows), 1)
}

// Frame is a box around Cols×Rows cells with something in its middle: a plate, or lines if
// the theme has no grounds.
type Frame struct {
	Theme      *theme.Theme
	Edge       theme.Style
	Open       bool // blanks in place of the lines
	Cols, Rows int
	Body       []string // painted
	Filled     bool     // the body fills the box already
	Foot       string   // painted, as wide as the box, in its lower edge
}

// Lines draws the box.
func (f Frame) Lines() []string {
	b, plate := f.Theme.Frame, theme.Ground{}
	if f.Theme.Grounds() {
		f.Open = true
		if !f.Filled {
			plate = f.Theme.Element
		}
	}
	if f.Open {
		b = lipgloss.HiddenBorder()
	}
	out := make([]string, 0, f.Rows+4)
	out = append(out, f.Edge.Paint(b.TopLeft+strings.Repeat(b.Top, f.Cols)+b.TopRight))
	left, right := f.Edge.Paint(b.Left), f.Edge.Paint(b.Right)
	body := f.Body[:min(len(f.Body), f.Rows)]
	if !f.Filled {
		body = Centred(body, f.Cols, f.Rows)
	}
	for y := range f.Rows {
		out = append(out, left+plate.Lay(centred(body, y, f.Rows))+right)
	}
	if f.Foot != "" {
		return append(out, f.Edge.Paint(b.BottomLeft)+f.Foot+f.Edge.Paint(b.BottomRight))
	}
	return append(out, f.Edge.Paint(b.BottomLeft+strings.Repeat(b.Bottom, f.Cols)+b.BottomRight))
}

// minText is how wide a box with text is, whatever its ratio, if there is room.
const minText = 40

// Instead is what stands in cols×rows cells in place of a picture: a box in
// the ratio that it would have, and in its middle what body says in a width.
func Instead(t *theme.Theme, ratio float64, cols, rows int, body func(w int) []string) []string {
	f := Frame{Theme: t, Edge: t.Border}
	f.Cols, f.Rows = FitRatio(ratio, max(cols-2, 1), max(rows-2, 1))
	f.Cols = max(f.Cols, min(minText, cols-2))
	f.Body = body(max(min(f.Cols-4, 72), 1))
	widest := 0
	for _, l := range f.Body {
		widest = max(widest, theme.Width(l))
	}
	for i, l := range f.Body {
		f.Body[i] = theme.Fit(l, widest)
	}
	return Centred(f.Lines(), cols, rows)
}

// Centred puts painted lines into the middle of cols×rows cells, and fills these up.
func Centred(lines []string, cols, rows int) []string {
	out := make([]string, rows)
	for y := range out {
		line := centred(lines, y, rows)
		width := theme.Width(line)
		left := max(cols-width, 0) / 2
		out[y] = theme.Blank(left) + line + theme.Blank(cols-width-left)
	}
	return out
}

// centred is line y of a block that stands in the middle of so many lines.
func centred(block []string, y, lines int) string {
	if y -= max(lines-len(block), 0) / 2; y >= 0 && y < len(block) {
		return block[y]
	}
	return ""
}
