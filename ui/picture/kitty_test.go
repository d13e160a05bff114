package picture

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"testing"

	"github.com/charmbracelet/colorprofile"
)

// A terminal fits an image into its cells and keeps the ratio of the pixels
// that it was sent, also where its cells are not twice as high as wide.
func TestPixelsKeepTheRatioOfThePicture(t *testing.T) {
	t.Parallel()
	for _, cached := range []bool{false, true} {
		l := NewLoader(false)
		l.SetCell(Cell{8, 17})
		if cached {
			l.CacheIn(t.TempDir())
		}
		for _, size := range []image.Point{{900, 900}, {1600, 900}, {600, 800}, {3000, 200}, {200, 3000}, {40, 30}} {
			path := save(t, "a.png", pngOf(t, gradient(size.X, size.Y)))
			for range 2 { // the second one may come from the cache
				p, err := l.Load(t.Context(), path, 53, 26, ModeKitty, colorprofile.TrueColor)
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
