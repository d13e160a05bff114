//go:build linux

package blackbox

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAnEightKPictureIsDecodedWithinItsMemory looks through a gallery of 200
// with a picture of 33 megapixels among them: at rest it takes 60 MiB, while a
// picture is decoded 150 MiB more.
//
// Not parallel: a busy machine gives memory back later.
func TestAnEightKPictureIsDecodedWithinItsMemory(t *testing.T) {
	const rest, decoding = 60, 150
	h := newHome(t, "http://127.0.0.1:1")
	h.finished(200, "http://127.0.0.1:1", false)
	h.pictures(200)
	large := image.NewNRGBA(image.Rect(0, 0, 7680, 4320))
	for x := range 7680 {
		large.SetNRGBA(x, 0, color.NRGBA{uint8(x >> 5), 90, uint8(x >> 6), 255})
	}
	for y := range 4320 {
		copy(large.Pix[y*large.Stride:], large.Pix[y/16*large.Stride:][:large.Stride])
		large.Pix[y*large.Stride+1] = uint8(y >> 4)
	}
	file, err := os.Create(filepath.Join(h.dir, "pictures", "000.jpg")) // the newest
	must(t, err)
	must(t, (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(file, large))
	must(t, file.Close())

	p := h.watched(binary, "Prompt", false)
	p.write("<alt+2>")
	p.waitFor("harbour at dawn 200")
	p.quiet(time.Second) // its picture is in the side pane
	_, beside := p.memory()
	p.write("g")
	p.waitUntil("the gallery shows its pictures", func(screen string) bool { return strings.Count(screen, "▀") > 1000 })
	p.quiet(time.Second)
	p.write("<enter>")
	p.waitUntil("the picture alone", func(screen string) bool { return strings.Count(screen, "▀") > 2000 })
	p.quiet(time.Second)
	p.write("<esc>")
	p.quiet(time.Second)
	_, most := p.memory()
	now := most
	for limit := time.Now().Add(20 * time.Second); now > rest && time.Now().Before(limit); time.Sleep(100 * time.Millisecond) {
		now, _ = p.memory()
	}
	t.Logf("%.0f MiB at most with the picture beside the list, %.0f with it alone, %.0f at rest", beside, most, now)
	if now > rest || most > rest+decoding {
		t.Errorf("%.0f MiB at rest, %d allowed; %.0f while a picture was decoded, %d allowed", now, rest, most, rest+decoding)
	}
}
