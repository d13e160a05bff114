package picture

import (
	"image"

	"github.com/charmbracelet/colorprofile"
)

// nearest finds the colour of a palette that is closest, and its number.
type nearest func(r, g, b int) (number, pr, pg, pb int)

// dither reduces an image to the colours of a palette. Four fifths of the error
// of each pixel go to its neighbours (Floyd and Steinberg), in lines that run
// there and back, so that areas nearly keep their mean colour and no streaks
// appear. All of it would bring specks of far colours into plain areas, and the
// pixels are as large as half a cell.
func dither(img *image.RGBA, find nearest) []int {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	numbers := make([]int, w*h)
	// Errors in twentieths, with a column more at each side.
	now, next := make([][3]int, w+2), make([][3]int, w+2)
	for y := range h {
		step, x := 1, 0
		if y%2 == 1 {
			step, x = -1, w-1
		}
		for ; x >= 0 && x < w; x += step {
			at := img.Pix[y*img.Stride+4*x:]
			var want [3]int
			for c := range want {
				want[c] = min(max(int(at[c])+now[x+1][c]/20, 0), 255)
			}
			n, r, g, b := find(want[0], want[1], want[2])
			numbers[y*w+x] = n
			for c, got := range [3]int{r, g, b} {
				e := want[c] - got
				now[x+1+step][c] += 7 * e
				next[x+1-step][c] += 3 * e
				next[x+1][c] += 5 * e
				next[x+1+step][c] += e
			}
		}
		now, next = next, now
		clear(next)
	}
	return numbers
}

// indexed gives the pixels of an image as numbers of the profile's colours, 0
// to 255, or as 24-bit colours.
func indexed(img *image.RGBA, profile colorprofile.Profile) []int {
	switch profile {
	case colorprofile.ANSI256:
		return dither(img, func(r, g, b int) (int, int, int, int) {
			n := to256(r<<16 | g<<8 | b)
			pr, pg, pb := colour256(n)
			return n, pr, pg, pb
		})
	case colorprofile.ANSI:
		return dither(img, func(r, g, b int) (int, int, int, int) {
			n := to16(r<<16 | g<<8 | b)
			return n, basic[n] >> 16, basic[n] >> 8 & 255, basic[n] & 255
		})
	}
	w, h := img.Rect.Dx(), img.Rect.Dy()
	all := make([]int, 0, w*h)
	for y := range h {
		for x := range w {
			all = append(all, pixel(img, x, y))
		}
	}
	return all
}

// level are the steps of the colour cube.
var level = [...]int{0, 95, 135, 175, 215, 255}

// colour256 is one of the colours 16 to 255.
func colour256(n int) (r, g, b int) {
	if n >= 232 {
		v := 8 + 10*(n-232)
		return v, v, v
	}
	n -= 16
	return level[n/36], level[n/6%6], level[n%6]
}
