package picture

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
)

// sent is the PNG that the terminal is handed.
func sent(t *testing.T, g *Graphic) []byte {
	t.Helper()
	var text string
	for _, part := range strings.Split(g.Transmit, "\x1b\\") {
		_, payload, _ := strings.Cut(part, ";")
		text += payload
	}
	content := must(base64.StdEncoding.DecodeString(text))(t)
	return content
}

// What is transparent shows the terminal's background, also when it comes from
// the cache, and in pixels it stays transparent.
func TestTransparentPicturesShowTheBackground(t *testing.T) {
	t.Parallel()
	path := save(t, "a.png", pngOf(t, image.NewNRGBA(image.Rect(0, 0, 400, 400))))
	l := NewLoader(false)
	l.CacheIn(t.TempDir())
	for range 2 {
		for _, mode := range []Mode{ModeBlocks, ModeSixel, ModeKitty} {
			terminal := Terminal{Mode: mode, Profile: colorprofile.TrueColor, Back: color.RGBA{250, 250, 240, 255}}
			p := must(l.Load(t.Context(), path, 20, 10, terminal))(t)
			if lines := strings.Join(p.Lines, ""); !strings.Contains(lines, "48;2;250;250;240m") || strings.Contains(lines, "8;2;0;0;0m") {
				t.Errorf("%s: %.60q", mode, lines)
			}
			if mode != ModeKitty {
				continue
			}
			if got, err := png.Decode(bytes.NewReader(sent(t, p.Graphic))); err != nil || color.AlphaModel.Convert(got.At(5, 5)) != (color.Alpha{}) {
				t.Errorf("in pixels: %v, %v", got.At(5, 5), err)
			}
		}
	}
}

// A terminal fits an image into its cells and keeps the ratio of the pixels
// that it was sent, also where its cells are not twice as high as wide.
func TestPixelsKeepTheRatioOfThePicture(t *testing.T) {
	t.Parallel()
	for _, cached := range []bool{false, true} {
		l := NewLoader(false)
		if cached {
			l.CacheIn(t.TempDir())
		}
		for _, size := range []image.Point{{300, 300}, {320, 180}, {240, 320}, {600, 40}, {40, 600}, {40, 30}} {
			path := save(t, "a.png", pngOf(t, gradient(size.X, size.Y)))
			for range 2 { // the second one may come from the cache
				p := must(l.Load(t.Context(), path, 13, 6, Terminal{Mode: ModeKitty, Profile: colorprofile.TrueColor, Cell: Cell{8, 17}}))(t)
				got := must(png.DecodeConfig(bytes.NewReader(sent(t, p.Graphic))))(t)
				// What is one pixel off in the one is that of the other.
				if off := float64(got.Width)*float64(size.Y)/float64(size.X) - float64(got.Height); math.Abs(off) > math.Max(1, float64(size.Y)/float64(size.X)) {
					t.Errorf("%v is sent as %d×%d", size, got.Width, got.Height)
				}
			}
		}
	}
}
