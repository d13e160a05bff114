package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
)

// What is transparent shows the terminal's background, also when it comes from
// the cache, and in pixels it stays transparent.
func TestTransparentPicturesShowTheBackground(t *testing.T) {
	t.Parallel()
	path := save(t, "a.png", pngOf(t, image.NewNRGBA(image.Rect(0, 0, 400, 400))))
	l := NewLoader(false)
	l.CacheIn(t.TempDir())
	for range 2 {
		for _, mode := range []Mode{ModeBlocks, ModeSixel, ModeKitty} {
			p, err := l.Load(t.Context(), path, 20, 10, Terminal{Mode: mode, Profile: colorprofile.TrueColor, Back: color.RGBA{250, 250, 240, 255}})
			if err != nil {
				t.Fatal(err)
			}
			if lines := strings.Join(p.Lines, ""); !strings.Contains(lines, "48;2;250;250;240m") || strings.Contains(lines, "8;2;0;0;0m") {
				t.Errorf("%s: %.60q", mode, lines)
			}
			if mode != ModeKitty {
				continue
			}
			if sent, err := png.Decode(bytes.NewReader(p.Graphic.content)); err != nil || color.AlphaModel.Convert(sent.At(5, 5)) != (color.Alpha{}) {
				t.Errorf("in pixels: %v, %v", sent.At(5, 5), err)
			}
		}
		clear(l.known)
		l.order = nil
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
		for _, size := range []image.Point{{900, 900}, {1600, 900}, {600, 800}, {3000, 200}, {200, 3000}, {40, 30}} {
			path := save(t, "a.png", pngOf(t, gradient(size.X, size.Y)))
			for range 2 { // the second one may come from the cache
				p, err := l.Load(t.Context(), path, 53, 26, Terminal{Mode: ModeKitty, Profile: colorprofile.TrueColor, Cell: Cell{8, 17}})
				if err != nil {
					t.Fatal(err)
				}
				sent, err := png.DecodeConfig(bytes.NewReader(p.Graphic.content))
				if err != nil {
					t.Fatal(err)
				}
				// What is one pixel off in the one is that of the other.
				if off := float64(sent.Width)*float64(size.Y)/float64(size.X) - float64(sent.Height); math.Abs(off) > math.Max(1, float64(size.Y)/float64(size.X)) {
					t.Errorf("%v is sent as %d×%d", size, sent.Width, sent.Height)
				}
				clear(l.known)
				l.order = nil
			}
		}
	}
}
