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
	line := make([]uint8, 4*b.Dx())
	sums, wide := make([]float32, 4*w), make([]float32, 4*w)
	whole := float32(w) * float32(h) / (float32(b.Dx()) * float32(b.Dy()))
	for y := range b.Dy() {
		readLine(line, img, b.Min.Y+y)
		clear(wide)
		for x, p := range columns {
			from, to := line[4*x:4*x+4], wide[4*p.at:]
			for i, v := range from {
				to[i] += float32(v) * p.first
			}
			if p.first < 1 {
				for i, v := range from {
					to[4+i] += float32(v) * (1 - p.first)
				}
			}
		}
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

// part says where a source pixel goes: so much of it to one pixel, the rest to
// the next.
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

// readLine reads a line of an image as premultiplied RGBA.
func readLine(to []uint8, img image.Image, y int) {
	b := img.Bounds()
	switch src := img.(type) {
	case *image.RGBA:
		copy(to, src.Pix[src.PixOffset(b.Min.X, y):])
	case *image.YCbCr:
		for x := b.Min.X; x < b.Max.X; x++ {
			at := src.COffset(x, y)
			i := 4 * (x - b.Min.X)
			to[i], to[i+1], to[i+2] = color.YCbCrToRGB(src.Y[src.YOffset(x, y)], src.Cb[at], src.Cr[at])
			to[i+3] = 255
		}
	case *image.NRGBA:
		at := src.PixOffset(b.Min.X, y)
		for i := 0; i < 4*b.Dx(); i += 4 {
			p := src.Pix[at+i : at+i+4]
			a := uint32(p[3])
			for c := range 3 {
				to[i+c] = uint8((uint32(p[c])*a + 127) / 255)
			}
			to[i+3] = p[3]
		}
	case *image.Gray:
		for x, v := range src.Pix[src.PixOffset(b.Min.X, y):][:b.Dx()] {
			to[4*x], to[4*x+1], to[4*x+2], to[4*x+3] = v, v, v, 255
		}
	default:
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, bl, a := img.At(x, y).RGBA()
			i := 4 * (x - b.Min.X)
			to[i], to[i+1], to[i+2], to[i+3] = uint8(r>>8), uint8(g>>8), uint8(bl>>8), uint8(a>>8)
		}
	}
}
