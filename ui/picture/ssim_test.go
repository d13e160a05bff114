package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

// samples are pictures of six kinds, as files; with -short a quarter as large,
// since they take most of the time of -race.
func samples(t testing.TB) map[string][]byte {
	t.Helper()
	part := 1
	if testing.Short() {
		part = 4
	}
	var photo bytes.Buffer
	noError(t, jpeg.Encode(&photo, landscape(1600/part, 900/part), &jpeg.Options{Quality: 90}))
	return map[string][]byte{
		"photo.jpg":       photo.Bytes(),
		"text.png":        pngOf(t, page(800, 600)),
		"transparent.png": pngOf(t, ring(600/part, 600/part)),
		"wide.png":        pngOf(t, landscape(3000/part, 200/part)),
		"tall.png":        pngOf(t, landscape(200/part, 3000/part)),
		"large.png":       pngOf(t, enlarged(landscape(1024/part, 576/part), 4)),
	}
}

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

// enlarged repeats every pixel.
func enlarged(img *image.RGBA, by int) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, by*img.Rect.Dx(), by*img.Rect.Dy()))
	draw.NearestNeighbor.Scale(out, out.Rect, img, img.Rect, draw.Src, nil)
	return out
}

// page is black text on white.
func page(w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	for y := 20; y < h; y += 16 {
		d := font.Drawer{Dst: img, Src: image.Black, Face: basicfont.Face7x13, Dot: fixed.P(12, y)}
		d.DrawString(strings.Repeat("A paper boat drifts down a rain gutter. ", w/280+1)[:w/8])
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

// shown reads half blocks as a terminal does, and gives the luminance of the
// pixels.
func shown(t testing.TB, lines []string, w int) []float64 {
	t.Helper()
	out := make([]float64, 2*len(lines)*w)
	for y, line := range lines {
		var fore, back float64
		x := 0
		for line != "" {
			if rest, ok := strings.CutPrefix(line, "▀"); ok {
				out[2*y*w+x], out[(2*y+1)*w+x] = fore, back
				line, x = rest, x+1
				continue
			}
			sgr, rest, ok := strings.Cut(strings.TrimPrefix(line, "\x1b["), "m")
			if !ok {
				t.Fatalf("neither a half block nor a colour: %q", line)
			}
			line = rest
			for n := numbers(t, sgr); len(n) > 0; {
				value, isBack, size := colourOf(n)
				if isBack {
					back = value
				} else {
					fore = value
				}
				n = n[size:]
			}
		}
		if x != w {
			t.Fatalf("%d cells of %d", x, w)
		}
	}
	return out
}

// numbers are the parameters of a sequence.
func numbers(t testing.TB, sgr string) (n []int) {
	t.Helper()
	if sgr == "" {
		return nil
	}
	for _, s := range strings.Split(sgr, ";") {
		v := must(strconv.Atoi(s))(t)
		n = append(n, v)
	}
	return n
}

// colourOf is the luminance of the first colour of some parameters, and how many
// of them it takes.
func colourOf(n []int) (value float64, back bool, size int) {
	of := func(c int) float64 { return luminance(c>>16, c>>8&255, c&255) }
	switch {
	case n[0] == 38 || n[0] == 48:
		if n[1] == 2 {
			return luminance(n[2], n[3], n[4]), n[0] == 48, 5
		}
		r, g, b := colour256(n[2])
		return luminance(r, g, b), n[0] == 48, 3
	case n[0] >= 90:
		return of(basic[8+n[0]%10]), n[0] >= 100, 1
	}
	return of(basic[n[0]%10]), n[0] >= 40, 1
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

func TestHalfBlocksAreCloseToTheIdeal(t *testing.T) {
	t.Parallel()
	sum, n := 0.0, 0.0
	profiles := []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ANSI256, colorprofile.ANSI}
	if testing.Short() {
		profiles = profiles[:1] // the others are for the log
	}
	for name, content := range samples(t) {
		img := must(decode(t.Context(), bytes.NewReader(content), int64(len(content))))(t)
		for _, area := range []image.Point{{80, 22}, {24, 8}} {
			c, r := fit(img.Bounds().Dx(), img.Bounds().Dy(), area.X, area.Y, UsualCell)
			want := reference(img, c, 2*r)
			for _, profile := range profiles {
				got := shown(t, Blocks(scale(img, c, 2*r, color.Black), profile, color.RGBA{A: 255}), c)
				exact, seen := ssim(got, want, c, 2*r), ssim(blurred(got, c, 2*r), blurred(want, c, 2*r), c, 2*r)
				t.Logf("%-16s %3d×%-3d %-9s %.4f, from afar %.4f", name, c, r, profile, exact, seen)
				if profile == colorprofile.TrueColor {
					sum, n = sum+exact, n+1
				}
			}
		}
	}
	if mean := sum / n; mean < 0.95 {
		t.Errorf("the mean similarity is %.4f", mean)
	} else {
		t.Logf("mean %.4f", mean)
	}
}

// Few colours, dithered, keep what is seen from afar; the nearest colours alone
// lose it.
func TestFewColoursAreDithered(t *testing.T) {
	t.Parallel()
	img := scale(landscape(640, 360), 80, 44, color.Black)
	want := blurred(reference(img, 80, 44), 80, 44)
	plain := func(find func(int) int, of func(int) int) []float64 {
		var out []float64
		for _, c := range indexed(img, colorprofile.TrueColor, color.RGBA{}) {
			p := of(find(c))
			out = append(out, luminance(p>>16, p>>8&255, p&255))
		}
		return out
	}
	for profile, near := range map[colorprofile.Profile][]float64{
		colorprofile.ANSI256: plain(to256, func(n int) int { r, g, b := colour256(n); return r<<16 | g<<8 | b }),
		colorprofile.ANSI:    plain(to16, func(n int) int { return basic[n] }),
	} {
		dithered := ssim(blurred(shown(t, Blocks(img, profile, color.RGBA{A: 255}), 80), 80, 44), want, 80, 44)
		nearest := ssim(blurred(near, 80, 44), want, 80, 44)
		t.Logf("%s: dithered %.4f, nearest %.4f", profile, dithered, nearest)
		least := map[colorprofile.Profile]float64{colorprofile.ANSI256: 0.97, colorprofile.ANSI: 0.8}[profile]
		if dithered < least || dithered < nearest {
			t.Errorf("%s: dithered %.4f, the nearest colours %.4f", profile, dithered, nearest)
		}
	}
}
