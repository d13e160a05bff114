package picture

import (
	"image"
	"image/color"

	"golang.org/x/image/draw"
)

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

// fit gives the cells that an image takes inside an area, its ratio kept.
func fit(width, height, cols, rows int, cell Cell) (c, r int) {
	w, h := width*cell.Height, height*cell.Width // of the image, in cells of one size
	c, r = cols, (cols*h+w/2)/w
	if r > rows {
		c, r = (rows*w+h/2)/h, rows
	}
	return max(1, min(c, cols)), max(1, min(r, rows))
}
