package picture

import (
	"image"
	"image/color"
	"strconv"

	"github.com/charmbracelet/colorprofile"
)

// Blocks draws an image as upper half blocks, one cell for two pixels, in the
// colours that the terminal has, dithered if these are few. Without colours
// the brightness is drawn by characters. Every line ends with its colours
// reset. back is the background, on which nothing is dithered.
func Blocks(img *image.RGBA, profile colorprofile.Profile, back color.RGBA) []string {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	lines := make([]string, 0, (h+1)/2)
	buf := make([]byte, 0, w*24)
	if profile <= colorprofile.ASCII {
		for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y += 2 {
			lines = append(lines, string(greyLine(buf[:0], img, y)))
		}
		return lines
	}
	pixels := indexed(img, profile, back)
	for y := 0; y < h; y += 2 {
		top := pixels[y*w : (y+1)*w]
		low := top
		if y+1 < h {
			low = pixels[(y+1)*w : (y+2)*w]
		}
		lines = append(lines, string(colourLine(buf[:0], top, low, profile)))
	}
	return lines
}

// colourLine writes a colour only when it changes from cell to cell, and both in
// one sequence, which is read as fast as a character.
func colourLine(buf []byte, top, low []int, profile colorprofile.Profile) []byte {
	fore, back := -1, -1
	for x := range top {
		if top[x] != fore || low[x] != back {
			buf = append(buf, "\x1b["...)
			if top[x] != fore {
				buf = append(paint(buf, top[x], profile, '3'), ';')
			}
			if low[x] != back {
				buf = append(paint(buf, low[x], profile, '4'), ';')
			}
			fore, back = top[x], low[x]
			buf[len(buf)-1] = 'm'
		}
		buf = append(buf, block...)
	}
	return append(buf, "\x1b[m"...)
}

func pixel(img *image.RGBA, x, y int) int {
	i := img.PixOffset(x, y)
	return int(img.Pix[i])<<16 | int(img.Pix[i+1])<<8 | int(img.Pix[i+2])
}

func paint(buf []byte, c int, profile colorprofile.Profile, layer byte) []byte {
	switch {
	case profile == colorprofile.ANSI && c < 8:
		buf = append(buf, layer, byte('0'+c))
	case profile == colorprofile.ANSI:
		if layer == '3' {
			buf = append(buf, '9', byte('0'+c-8))
		} else {
			buf = append(buf, '1', '0', byte('0'+c-8))
		}
	case profile == colorprofile.ANSI256:
		buf = append(buf, layer, '8', ';', '5', ';')
		buf = strconv.AppendInt(buf, int64(c), 10)
	default:
		buf = append(buf, layer, '8', ';', '2')
		for shift := 16; shift >= 0; shift -= 8 {
			buf = append(buf, ';')
			buf = strconv.AppendInt(buf, int64(c>>shift&255), 10)
		}
	}
	return buf
}

// to256 finds the nearest of the colour cube and the grey ramp. It is our own
// because colorprofile remembers every colour it was ever asked for.
func to256(c int) int {
	r, g, b := c>>16&255, c>>8&255, c&255
	step := func(v int) int {
		if v < 48 {
			return 0
		}
		if v < 115 {
			return 1
		}
		return (v - 35) / 40
	}
	cr, cg, cb := step(r), step(g), step(b)
	grey := min(max(((r+g+b)/3-3)/10, 0), 23)
	v := 8 + 10*grey
	if far(r, g, b, v, v, v) < far(r, g, b, level[cr], level[cg], level[cb]) {
		return 232 + grey
	}
	return 16 + 36*cr + 6*cg + cb
}

// basic are the 16 colours, as xterm has them.
var basic = [...]int{0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
	0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff}

func to16(c int) int {
	best, least := 0, 1<<30
	for i, p := range basic {
		if d := far(c>>16&255, c>>8&255, c&255, p>>16&255, p>>8&255, p&255); d < least {
			best, least = i, d
		}
	}
	return best
}

// far weighs the difference of two colours roughly as the eye does.
func far(r1, g1, b1, r2, g2, b2 int) int {
	r, g, b := r1-r2, g1-g2, b1-b2
	return 3*r*r + 6*g*g + b*b
}

// greyLine draws brightness by how much of a cell a character fills.
func greyLine(buf []byte, img *image.RGBA, y int) []byte {
	const ramp = " .:-=+*#%@"
	for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
		c := light(pixel(img, x, y))
		if y+1 < img.Rect.Max.Y {
			c = (c + light(pixel(img, x, y+1))) / 2
		}
		buf = append(buf, ramp[c*len(ramp)/256])
	}
	return buf
}

func light(c int) int { return (299*(c>>16&255) + 587*(c>>8&255) + 114*(c&255)) / 1000 }

type nearest func(r, g, b int) (number, pr, pg, pb int)

// dither reduces an image to the colours of a palette. Four fifths of the error
// of each pixel go to its neighbours (Floyd and Steinberg), in lines that run
// there and back, so that areas nearly keep their mean colour and no streaks
// appear; all of it would bring specks into plain areas. Pixels of a known
// background stay plain.
func dither(img *image.RGBA, back color.RGBA, find nearest) []int {
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
			if back.A > 0 && at[0] == back.R && at[1] == back.G && at[2] == back.B {
				numbers[y*w+x], _, _, _ = find(int(at[0]), int(at[1]), int(at[2]))
				continue
			}
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

// indexed gives the pixels as numbers of the profile's colours, or 24-bit colours.
func indexed(img *image.RGBA, profile colorprofile.Profile, back color.RGBA) []int {
	switch profile {
	case colorprofile.ANSI256:
		return dither(img, back, func(r, g, b int) (int, int, int, int) {
			n := to256(r<<16 | g<<8 | b)
			pr, pg, pb := colour256(n)
			return n, pr, pg, pb
		})
	case colorprofile.ANSI:
		return dither(img, back, func(r, g, b int) (int, int, int, int) {
			// Plain areas, and colours before greys: with so few colours, dots are noise.
			grey := light(r<<16 | g<<8 | b)
			vivid := func(c int) int { return min(max(grey+(c-grey)*5/3, 0), 255) }
			return to16(vivid(r)<<16 | vivid(g)<<8 | vivid(b)), r, g, b
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
