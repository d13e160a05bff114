package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"testing"

	"golang.org/x/image/draw"
)

// landscape looks like a photograph: smooth areas, edges and grain.
func landscape(w, h int) *image.RGBA {
	img, grain := image.NewRGBA(image.Rect(0, 0, w, h)), rand.New(rand.NewPCG(1, 2))
	for y := range h {
		for x := range w {
			u, v := float64(x)/float64(w), float64(y)/float64(h)
			hill := 0.55 + 0.1*math.Sin(9*u) + 0.04*math.Sin(31*u+1)
			c := [3]float64{90 + 110*v, 130 + 70*v, 220 - 60*v} // sky
			if d := math.Hypot(u-0.7, (v-0.25)*float64(h)/float64(w)); d < 0.06 {
				c = [3]float64{255, 240, 180}
			}
			if v > hill {
				n := 30 * math.Sin(80*u*v) * math.Sin(57*u-20*v)
				c = [3]float64{60 + n, 110 + n - 60*(v-hill), 50 + n/2}
			}
			g := grain.Float64()*16 - 8
			at := img.PixOffset(x, y)
			for i := range c {
				img.Pix[at+i] = uint8(min(max(c[i]+g, 0), 255))
			}
			img.Pix[at+3] = 255
		}
	}
	return img
}

// ring is a soft-edged ring on nothing.
func ring(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			d := math.Abs(math.Hypot(float64(x-w/2), float64(y-h/2)) - float64(w)/3)
			a := min(max(60-d, 0)/40, 1)
			img.SetNRGBA(x, y, color.NRGBA{uint8(255 * x / w), 200, uint8(255 * y / h), uint8(255 * a)})
		}
	}
	return img
}

// reference is the ideal: each pixel the mean of what it covers, in floating
// point, of the picture on black. It gives the luminance.
func reference(img image.Image, w, h int) []float64 {
	b := img.Bounds()
	src := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(src, src.Bounds(), image.Black, image.Point{}, draw.Src)
	draw.Draw(src, src.Bounds(), img, b.Min, draw.Over)
	// Sums over all pixels left of and above a point make every mean cheap.
	sums := make([][]float64, b.Dy()+1)
	sums[0] = make([]float64, b.Dx()+1)
	for y := range b.Dy() {
		sums[y+1] = make([]float64, b.Dx()+1)
		for x := range b.Dx() {
			p := src.Pix[src.PixOffset(x, y):]
			sums[y+1][x+1] = luminance(int(p[0]), int(p[1]), int(p[2])) + sums[y][x+1] + sums[y+1][x] - sums[y][x]
		}
	}
	at := func(x, y float64) float64 { // between the points, in both directions
		x0, y0 := min(int(x), b.Dx()-1), min(int(y), b.Dy()-1)
		fx, fy := x-float64(x0), y-float64(y0)
		return (sums[y0][x0]*(1-fx)+sums[y0][x0+1]*fx)*(1-fy) + (sums[y0+1][x0]*(1-fx)+sums[y0+1][x0+1]*fx)*fy
	}
	sx, sy := float64(b.Dx())/float64(w), float64(b.Dy())/float64(h)
	out := make([]float64, 0, w*h)
	for y := range h {
		for x := range w {
			l, r, u, d := float64(x)*sx, float64(x+1)*sx, float64(y)*sy, float64(y+1)*sy
			out = append(out, (at(r, d)-at(l, d)-at(r, u)+at(l, u))/(sx*sy))
		}
	}
	return out
}

func luminance(r, g, b int) float64 {
	return 0.299*float64(r) + 0.587*float64(g) + 0.114*float64(b)
}

// ssim is the mean structural similarity of two pictures, in windows of 8×8
// (Wang, Bovik, Sheikh and Simoncelli, 2004).
func ssim(a, b []float64, w, h int) float64 {
	const c1, c2, side = 6.5025, 58.5225, 8
	sum, n := 0.0, 0
	for y0 := 0; y0 == 0 || y0+side <= h; y0 += side / 2 {
		for x0 := 0; x0 == 0 || x0+side <= w; x0 += side / 2 {
			var ma, mb, aa, bb, ab, count float64
			for y := y0; y < min(y0+side, h); y++ {
				for x := x0; x < min(x0+side, w); x++ {
					p, q := a[y*w+x], b[y*w+x]
					ma, mb, aa, bb, ab, count = ma+p, mb+q, aa+p*p, bb+q*q, ab+p*q, count+1
				}
			}
			ma, mb = ma/count, mb/count
			va, vb, cov := aa/count-ma*ma, bb/count-mb*mb, ab/count-ma*mb
			sum += (2*ma*mb + c1) * (2*cov + c2) / ((ma*ma + mb*mb + c1) * (va + vb + c2))
			n++
		}
	}
	return sum / float64(n)
}

// blurred is what the eye sees of dithered pixels: the mean of 4×4.
func blurred(a []float64, w, h int) []float64 {
	out := make([]float64, len(a))
	for y := range h {
		for x := range w {
			sum, n := 0.0, 0.0
			for v := max(y-2, 0); v < min(y+2, h); v++ {
				for u := max(x-2, 0); u < min(x+2, w); u++ {
					sum, n = sum+a[v*w+u], n+1
				}
			}
			out[y*w+x] = sum / n
		}
	}
	return out
}

// What gets smaller is the mean of the pixels that it covers, however the image
// stores them.
func TestAPixelIsTheMeanOfWhatItCovers(t *testing.T) {
	t.Parallel()
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, landscape(1600, 900), &jpeg.Options{Quality: 90}); err != nil {
		t.Fatal(err)
	}
	decoded, err := jpeg.Decode(&photo)
	if err != nil {
		t.Fatal(err)
	}
	for name, img := range map[string]image.Image{
		"photo": decoded, "transparent": ring(600, 600), "wide": landscape(3000, 200), "tall": landscape(200, 3000),
	} {
		for _, area := range []image.Point{{80, 22}, {24, 8}} {
			c, r := fit(img.Bounds().Dx(), img.Bounds().Dy(), area.X, area.Y, DefaultCell)
			small, want := scale(img, c, 2*r, color.Black), reference(img, c, 2*r)
			for i, w := range want {
				if p := small.Pix[4*i:]; math.Abs(luminance(int(p[0]), int(p[1]), int(p[2]))-w) > 1.5 {
					t.Fatalf("%s at %d×%d: pixel %d is %v, its mean %.1f", name, c, r, i, p[:3], w)
				}
			}
		}
	}
}
