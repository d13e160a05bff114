package picture

import (
	"cmp"
	"image"
	"image/color"
	"slices"
	"strconv"

	"github.com/charmbracelet/colorprofile"
	"golang.org/x/image/draw"
)

// Elements are the characters of pictures, each of which gives its first colour to some
// quarters of a cell: those in quarters, as bits, 1 and 2 for the upper ones.
const Elements = "▀▌▚▘▝▖▗"

var quarters = [len(Elements) / 3]int{3, 5, 9, 1, 2, 4, 8}

// Blocks draws an image as block elements, one cell for two by two pixels, in the
// colours that the terminal has. Without colours shades show the brightness, from a little
// below the darkest point to the brightest; an even picture keeps its own. Every line ends with its colours reset.
func Blocks(img *image.RGBA, profile colorprofile.Profile) []string {
	w, lines := img.Rect.Dx()/2, make([]string, img.Rect.Dy()/2)
	fore, back, signs := make([]int, w), make([]int, w), make([]string, w)
	buf := make([]byte, 0, w*24)
	dark, bright := 255, 0
	for i := 0; i < 4*w*len(lines) && profile <= colorprofile.ASCII; i++ {
		tone := light(pixel(img, i%(2*w), i/(2*w)))
		dark, bright = min(dark, tone*7/8), max(bright, tone)
	}
	for y := range lines {
		buf = buf[:0]
		for x := range w {
			cell := [4]int{pixel(img, 2*x, 2*y), pixel(img, 2*x+1, 2*y), pixel(img, 2*x, 2*y+1), pixel(img, 2*x+1, 2*y+1)}
			switch {
			case profile <= colorprofile.ASCII:
				tone := min((light(means(cell, 15)[0])-dark)*4/max(bright-dark+1, 32), 3) // a mean may be lighter by one
				buf = append(buf, [...]string{"░", "▒", "▓", "█"}[tone]...)               // none is blank, so that dark pictures have edges
			case profile == colorprofile.ANSI:
				m := means(cell, 3)
				fore[x], back[x], signs[x] = mixed(vivid(m[0]), vivid(m[1]))
			default:
				fore[x], back[x], signs[x] = divided(cell)
				fore[x], back[x] = nearestTo(fore[x], profile), nearestTo(back[x], profile)
			}
		}
		if profile > colorprofile.ASCII {
			buf = colourLine(buf, fore, back, signs, profile)
		}
		lines[y] = string(buf)
	}
	return lines
}

// means are the mean colours of the quarters of a cell that are in a part of it, and of the others.
func means(cell [4]int, part int) (mean [2]int) {
	var sums [2][4]int
	for i, c := range cell {
		sum := &sums[1-part>>i&1]
		sum[0], sum[1], sum[2], sum[3] = sum[0]+c>>16, sum[1]+c>>8&255, sum[2]+c&255, sum[3]+1
	}
	for i := range sums {
		n := max(sums[i][3], 1)
		mean[i] = (sums[i][0]+n/2)/n<<16 | (sums[i][1]+n/2)/n<<8 | (sums[i][2]+n/2)/n
	}
	return mean
}

// divided are the two colours that come nearest to a cell, and how they share it: in
// halves, unless another division is clearly nearer.
func divided(cell [4]int) (fore, back int, sign string) {
	const even = 1000 // nobody sees less than that
	least := 0
	for i, part := range quarters {
		m, d := means(cell, part), 0
		for q, c := range cell {
			d += far(c, m[1-part>>q&1])
		}
		if i > 0 {
			d = d*5/3 + even
		}
		if i == 0 || d < least {
			fore, back, sign, least = m[0], m[1], Elements[3*i:3*i+3], d
		}
		if least <= even {
			break
		}
	}
	return fore, back, sign
}

// mixed are the two of the 16 colours that come nearest to a cell of two pixels, and what
// shares it: halves, or a shade of one on the other, of which one is grey: two hues would flicker.
func mixed(top, low int) (fore, back int, sign string) {
	fore, back, sign = to16(top), to16(low), Elements[:3]
	least := apart(top, basic[fore], 3) + apart(low, basic[back], 3)
	for b, under := range basic {
		for f, over := range basic {
			if b%8%7 > 0 && f%8%7 > 0 {
				continue
			}
			noise := apart(over, under, 0) / 32
			for share := 1; share < 4 && noise < least; share++ {
				mix := ((over&0xff00ff)*share+(under&0xff00ff)*(4-share))>>2&0xff00ff | ((over&0xff00)*share+(under&0xff00)*(4-share))>>2&0xff00
				if d := apart(top, mix, 3) + apart(low, mix, 3) + noise; d < least {
					fore, back, sign, least = f, b, "░▒▓"[3*share-3:3*share], d
				}
			}
		}
	}
	return fore, back, sign
}

// apart weighs how light two colours are, by which pictures are recognised, and their hues.
func apart(c, d, weight int) int {
	tone := light(c) - light(d)
	r, b := c>>16&255-d>>16&255-tone, c&255-d&255-tone
	return weight*tone*tone + 2*(r*r+b*b)
}

// colourLine writes a colour only when it changes from cell to cell, and both in
// one sequence, which is read as fast as a character.
func colourLine(buf []byte, top, low []int, signs []string, profile colorprofile.Profile) []byte {
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
		buf = append(buf, signs[x]...)
	}
	return append(buf, "\x1b[m"...)
}

func pixel(img *image.RGBA, x, y int) int {
	i := img.PixOffset(x, y)
	return int(img.Pix[i])<<16 | int(img.Pix[i+1])<<8 | int(img.Pix[i+2])
}

func paint(buf []byte, c int, profile colorprofile.Profile, layer byte) []byte {
	switch {
	case profile == colorprofile.ANSI:
		code := 10*int64(layer-'0') + int64(c)
		if c >= 8 { // from 90 or 100 on
			code += 52
		}
		buf = strconv.AppendInt(buf, code, 10)
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
	step := func(v int) int { return max((v-35)/40, min(v/48, 1)) } // the first one is wider
	cr, cg, cb := step(r), step(g), step(b)
	grey := min(max(((r+g+b)/3-3)/10, 0), 23)
	v := 8 + 10*grey
	if far(c, v<<16|v<<8|v) < far(c, level[cr]<<16|level[cg]<<8|level[cb]) {
		return 232 + grey
	}
	return 16 + 36*cr + 6*cg + cb
}

// basic are the 16 colours, as xterm has them.
var basic = [...]int{0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
	0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff}

func to16(c int) int {
	return slices.Index(basic[:], slices.MinFunc(basic[:], func(a, b int) int { return far(c, a) - far(c, b) }))
}

// far weighs the difference of two colours roughly as the eye does.
func far(c, d int) int {
	r, g, b := c>>16&255-d>>16&255, c>>8&255-d>>8&255, c&255-d&255
	return 3*r*r + 6*g*g + b*b
}

func light(c int) int { return (299*(c>>16&255) + 587*(c>>8&255) + 114*(c&255)) / 1000 }

// nearestTo is the number of a colour of the profile, or the colour itself. Colours are
// taken before greys.
func nearestTo(c int, profile colorprofile.Profile) int {
	switch profile {
	case colorprofile.ANSI256:
		return to256(vivid(c))
	case colorprofile.ANSI:
		return to16(vivid(c))
	}
	return c
}

func vivid(c int) int {
	grey := light(c)
	part := func(c int) int { return min(max(grey+(c&255-grey)*7/5, 0), 255) }
	return part(c>>16)<<16 | part(c>>8)<<8 | part(c)
}

// level are the steps of the colour cube.
var level = [...]int{0, 95, 135, 175, 215, 255}

// Rough is a picture drawn otherwise than it is: in blocks, faint, or with an end at
// the right that fades.
type Rough struct {
	Cols, Rows int         // cells of the whole picture; 0: its own
	Side       int         // columns of a block; 1: every pixel
	Share      float64     // of the picture, from 0 to 1; the rest is the ground
	Seen, Fade int         // columns from the left that are in view, 0: all; of which the last ones fade
	Ground     color.Color // nil: black
}

// Rough draws the picture otherwise; nil if it has no pixels.
func (p Picture) Rough(r Rough) []string {
	if p.small == nil {
		return nil
	}
	if r.Cols == 0 {
		r.Cols, r.Rows = p.Cols, len(p.Lines)
	}
	r.Seen = cmp.Or(r.Seen, r.Cols)
	ground := color.RGBAModel.Convert(cmp.Or(r.Ground, color.Color(color.Black))).(color.RGBA)
	wide := 2 * r.Side // quarters of cells
	if r.Side == 1 {
		wide = 1
	}
	blocks := scale(p.small, (2*r.Cols+wide-1)/wide, (2*r.Rows+r.Side-1)/r.Side, ground)
	out := image.NewRGBA(image.Rect(0, 0, 2*r.Seen, 2*r.Rows))
	for y := range 2 * r.Rows {
		for x := range 2 * r.Seen {
			share := r.Share
			if left := r.Seen - x/2; left <= r.Fade {
				share *= float64(left) / float64(r.Fade+1)
			}
			c := blocks.RGBAAt(x/wide, y/r.Side)
			out.SetRGBA(x, y, color.RGBA{blend(ground.R, c.R, share), blend(ground.G, c.G, share), blend(ground.B, c.B, share), 255})
		}
	}
	if r.Side == 1 || p.profile <= colorprofile.ASCII {
		return Blocks(out, p.profile)
	}
	// A cell has one colour: no block element is written.
	lines, back := make([]string, r.Rows), make([]int, r.Seen)
	none, blank := slices.Repeat([]int{-1}, r.Seen), slices.Repeat([]string{" "}, r.Seen)
	for y := range lines {
		for x := range back {
			back[x] = nearestTo(pixel(out, 2*x, 2*y), p.profile)
		}
		lines[y] = string(colourLine(nil, none, back, blank, p.profile))
	}
	return lines
}

func blend(from, to uint8, share float64) uint8 {
	return uint8(float64(from)*(1-share) + float64(to)*share + 0.5)
}

// Gradient stands for a picture of which nothing is known but a hash: always the same
// two colours, one above the other, with a light in them.
func Gradient(hash uint64, profile colorprofile.Profile) Picture {
	const side = 8
	img := image.NewRGBA(image.Rect(0, 0, side, side))
	tone := func(bit int) color.RGBA {
		r, g, b := hash>>bit&127, hash>>(bit+7)&127, hash>>(bit+14)&127
		low, high := min(r, g, b), max(r, g, b)
		clear := func(part uint64) uint8 { return uint8(64 + (part-low)*128/max(high-low, 1)) } // not grey
		return color.RGBA{clear(r), clear(g), clear(b), 255}
	}
	a, b := tone(0), tone(21)
	for y := range side {
		for x := range side {
			across, up := float64(x)-float64(1+hash>>42%6), float64(y)-float64(1+hash>>48%4)
			shade := 0.6 + 0.1*float64(hash>>(uint(x*5+y*7)%56)&7)/7 + 0.8/(1+across*across+up*up)
			down := float64(2*y+x) / (3 * (side - 1))
			part := func(a, b uint8) uint8 { return uint8(min(float64(blend(a, b, down))*shade, 255)) }
			img.SetRGBA(x, y, color.RGBA{part(a.R, b.R), part(a.G, b.G), part(a.B, b.B), 255})
		}
	}
	return Picture{small: img, profile: profile, Mean: mean(img)}
}

// mean is the mean colour of an image.
func mean(img *image.RGBA) color.RGBA { return shrink(img, 1, 1).RGBAAt(0, 0) }

// scale brings an image to w times h pixels on a background. What gets smaller
// is the mean of the pixels that it covers: nothing fine is dropped, and no
// pattern appears that was not there.
func scale(img image.Image, w, h int, back color.Color) *image.RGBA {
	b := img.Bounds()
	if b.Dx() > w || b.Dy() > h {
		img = shrink(img, min(w, b.Dx()), min(h, b.Dy()))
	}
	if small, ok := img.(*image.RGBA); ok && small.Bounds() == image.Rect(0, 0, w, h) && small.Opaque() {
		return small
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(out, out.Bounds(), image.NewUniform(back), image.Point{}, draw.Src)
	if img.Bounds().Size() == out.Bounds().Size() {
		draw.Draw(out, out.Bounds(), img, img.Bounds().Min, draw.Over)
	} else {
		draw.CatmullRom.Scale(out, out.Bounds(), img, img.Bounds(), draw.Over, nil)
	}
	return out
}

// shrink makes each pixel the mean of the source's pixels below it, those at
// its edges by their parts. Neither side gets larger.
func shrink(img image.Image, w, h int) *image.RGBA {
	b := img.Bounds()
	columns, rows := parts(b.Dx(), w), parts(b.Dy(), h)
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	line := image.NewRGBA(image.Rect(0, 0, b.Dx(), 1))
	sums, wide := make([]float32, 4*w), make([]float32, 4*w)
	whole := float32(w) * float32(h) / (float32(b.Dx()) * float32(b.Dy()))
	for y := range b.Dy() {
		draw.Draw(line, line.Rect, img, b.Min.Add(image.Pt(0, y)), draw.Src)
		narrow(wide, line.Pix, columns)
		p := rows[y]
		for i, v := range wide {
			sums[i] += v * p.first
		}
		if last := y == b.Dy()-1; p.ends || last {
			row := out.Pix[out.PixOffset(0, p.at):][:4*w]
			for i, v := range sums {
				row[i] = uint8(min(v*whole+0.5, 255))
				sums[i] = wide[i] * (1 - p.first)
			}
		}
	}
	return out
}

func narrow(to []float32, line []uint8, columns []part) {
	clear(to)
	var a, b, c, d uint32 // of pixels that go to one alone
	for x := range columns {
		p, from := &columns[x], line[4*x:4*x+4:4*x+4]
		if p.first == 1 {
			a, b, c, d = a+uint32(from[0]), b+uint32(from[1]), c+uint32(from[2]), d+uint32(from[3])
			if !p.ends {
				continue
			}
		}
		at := to[4*p.at:]
		at[0], at[1], at[2], at[3] = at[0]+float32(a), at[1]+float32(b), at[2]+float32(c), at[3]+float32(d)
		a, b, c, d = 0, 0, 0, 0
		if p.first < 1 {
			for i, v := range from {
				at[i] += float32(v) * p.first
				at[4+i] += float32(v) * (1 - p.first)
			}
		}
	}
}

// part splits a source pixel between one pixel and the next.
type part struct {
	at    int
	first float32 // 0 to 1
	ends  bool    // it is the last of its pixel
}

// parts divides n pixels among fewer.
func parts(n, into int) []part {
	all := make([]part, n)
	for i := range all {
		at := i * into / n
		border := (at + 1) * n // in n-ths of a pixel of the result
		p := part{at: at, first: 1, ends: (i+1)*into >= border}
		if (i+1)*into > border {
			p.first = float32(border-i*into) / float32(into)
		}
		all[i] = p
	}
	return all
}

// sized brings an image to the pixels that so many cells have, with the ratio
// of its sides: the terminal fits it into them. A smaller image keeps its size.
func sized(img image.Image, cols, rows int) image.Image {
	size := img.Bounds().Size()
	w, h := cols*cellWide, rows*cellHigh
	for w*h > 4_000_000 {
		w, h = w/2, h/2
	}
	if size.X <= w && size.Y <= h {
		return img
	}
	w, h = fit(size.X, size.Y, w, h, Cell{1, 1})
	return shrink(img, min(w, size.X), min(h, size.Y))
}

// fit gives the cells that an image takes inside an area, its ratio kept.
func fit(width, height, cols, rows int, cell Cell) (c, r int) {
	w, h := width*cell.Height, height*cell.Width // of the image, in cells of one size
	c, r = cols, (cols*h+w/2)/w
	if r > rows {
		c, r = (rows*w+h/2)/h, rows
	}
	return max(1, min(c, cols)), max(1, min(r, rows))
}
