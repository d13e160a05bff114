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
	b := img.Bounds()
	lines := make([]string, 0, (b.Dy()+1)/2)
	buf := make([]byte, 0, b.Dx()*24)
	for y := b.Min.Y; y < b.Max.Y; y += 2 {
		buf = buf[:0]
		if profile > colorprofile.ASCII {
			buf = colourLine(buf, img, y, profile)
		} else {
			buf = greyLine(buf, img, y)
		}
		lines = append(lines, string(buf))
	}
	return lines
}

// colourLine writes a colour only when it changes from cell to cell.
func colourLine(buf []byte, img *image.RGBA, y int, profile colorprofile.Profile) []byte {
	fore, back := -1, -1
	for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
		top := pixel(img, x, y)
		low := top
		if y+1 < img.Rect.Max.Y {
			low = pixel(img, x, y+1)
		}
		top, low = reduce(top, profile), reduce(low, profile)
		if top != fore {
			buf, fore = paint(buf, top, profile, '3'), top
		}
		if low != back {
			buf, back = paint(buf, low, profile, '4'), low
		}
		buf = append(buf, "▀"...)
	}
	return append(buf, "\x1b[m"...)
}

func pixel(img *image.RGBA, x, y int) int {
	i := img.PixOffset(x, y)
	return int(img.Pix[i])<<16 | int(img.Pix[i+1])<<8 | int(img.Pix[i+2])
}

// reduce turns a 24-bit colour into the number that the profile has for it.
func reduce(c int, profile colorprofile.Profile) int {
	switch profile {
	case colorprofile.ANSI256:
		return to256(c)
	case colorprofile.ANSI:
		return to16(c)
	}
	return c
}

// paint writes the sequence of a reduced colour; layer is '3' or '4'.
func paint(buf []byte, c int, profile colorprofile.Profile, layer byte) []byte {
	buf = append(buf, "\x1b["...)
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
	return append(buf, 'm')
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
	level := [...]int{0, 95, 135, 175, 215, 255}
	cr, cg, cb := step(r), step(g), step(b)
	grey := min(max(((r+g+b)/3-3)/10, 0), 23)
	v := 8 + 10*grey
	if far(r, g, b, v, v, v) < far(r, g, b, level[cr], level[cg], level[cb]) {
		return 232 + grey
	}
	return 16 + 36*cr + 6*cg + cb
}

// to16 finds the nearest of the 16 colours, as xterm has them.
func to16(c int) int {
	basic := [...]int{0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
		0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff}
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
