package picture

import (
	"image"
	"strconv"

	"github.com/charmbracelet/colorprofile"
)

// Blocks draws an image as upper half blocks, one cell for two pixels, in the
// colours that the terminal has. Without colours the brightness is drawn by
// characters. Every line ends with its colours reset.
func Blocks(img *image.RGBA, profile colorprofile.Profile) []string {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	lines := make([]string, 0, (h+1)/2)
	buf := make([]byte, 0, w*24)
	if profile <= colorprofile.ASCII {
		for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y += 2 {
			lines = append(lines, string(greyLine(buf[:0], img, y)))
		}
		return lines
	}
	pixels := make([]int, 0, w*h)
	for y := range h {
		for x := range w {
			pixels = append(pixels, nearestTo(pixel(img, x, y), profile))
		}
	}
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

// nearestTo is the number of a colour of the profile, or the colour itself. Of 16, colours
// are taken before greys. None is dithered: of pixels as large as half cells, that is noise.
func nearestTo(c int, profile colorprofile.Profile) int {
	switch profile {
	case colorprofile.ANSI256:
		return to256(c)
	case colorprofile.ANSI:
		grey := light(c)
		vivid := func(c int) int { return min(max(grey+(c&255-grey)*5/3, 0), 255) }
		return to16(vivid(c>>16)<<16 | vivid(c>>8)<<8 | vivid(c))
	}
	return c
}

// level are the steps of the colour cube.
var level = [...]int{0, 95, 135, 175, 215, 255}
