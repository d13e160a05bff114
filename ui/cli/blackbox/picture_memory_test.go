//go:build linux

package blackbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
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

	p := h.watched(binary, "/ 5,000", false)
	p.write("<alt+2>")
	p.waitFor("harbour at dawn 200")
	p.quiet(time.Second) // its picture is in the side pane
	beside := p.status("VmHWM:")
	p.write("g")
	p.waitUntil("the gallery shows its pictures", func(screen string) bool { return strings.Count(screen, "▀") > 1000 })
	p.quiet(time.Second)
	p.write("<enter>")
	p.waitUntil("the picture alone", func(screen string) bool { return strings.Count(screen, "▀") > 2000 })
	p.quiet(time.Second)
	p.write("<esc>")
	p.quiet(time.Second)
	most := p.status("VmHWM:")
	now := most
	for limit := time.Now().Add(20 * time.Second); now > rest && time.Now().Before(limit); time.Sleep(100 * time.Millisecond) {
		now = p.status("VmRSS:")
	}
	t.Logf("%.0f MiB at most with the picture beside the list, %.0f with it alone, %.0f at rest", beside, most, now)
	if now > rest || most > rest+decoding {
		t.Errorf("%.0f MiB at rest, %d allowed; %.0f while a picture was decoded, %d allowed", now, rest, most, rest+decoding)
	}
}

// noise is a PNG that cannot be packed: about 3 bytes a pixel.
func noise(t *testing.T, side int) []byte {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(side)))
	picture := image.NewRGBA(image.Rect(0, 0, side, side))
	for y := range side {
		for x := range side {
			v := rng.Uint32()
			picture.SetRGBA(x, y, color.RGBA{uint8(v), uint8(v >> 8), uint8(v >> 16), 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Media that come inside of answers, far above what an answer may hold
// otherwise, are saved like others.
func TestMediaInsideOfAnswers(t *testing.T) {
	t.Parallel()
	one, two := noise(t, 800), noise(t, 900)
	encoded := base64.StdEncoding.EncodeToString
	both := `{"created":1,"data":[{"b64_json":"` + encoded(one) + `"},{"b64_json":"` + encoded(two) + `"}]}`
	for name, c := range map[string]struct {
		endpoint, body, media string
		want                  [][]byte
	}{
		"create, two in base64": {"create", both, "application/json", [][]byte{one, two}},
		"job, two in base64":    {"job", `{"job":{"status":"COMPLETED","result":` + both + `,"error":null}}`, "application/json", [][]byte{one, two}},
		"job, the file itself":  {"job", string(one), "image/png", [][]byte{one}},
	} {
		t.Run(name, func(t *testing.T) {
			service := startService(t, simtest.Options{LongSide: 64, Faults: []simtest.Fault{
				{Endpoint: c.endpoint, Do: "body", Body: c.body, Header: http.Header{"Content-Type": {c.media}}},
			}})
			h := newHome(t, service.URL())
			j := document[job](t, h.run("image", "a pier", "--yes", "--wait", "--json").wantCode(t, 0))
			if len(j.Files) != len(c.want) || creates(service) != 1 {
				t.Fatalf("%d files after %d creates: %+v", len(j.Files), creates(service), j)
			}
			for i, want := range c.want {
				sum := sha256.Sum256(want)
				if got := sumOf(t, j.Files[i].Path); got != hex.EncodeToString(sum[:]) || j.Files[i].Bytes != int64(len(want)) {
					t.Errorf("file %d: %d bytes of %d", i+1, j.Files[i].Bytes, len(want))
				}
			}
			left, err := os.ReadDir(filepath.Join(h.env["XDG_DATA_HOME"], "darkroom", "inbox"))
			if err != nil && !os.IsNotExist(err) || len(left) > 0 {
				t.Errorf("the inbox still has %v, %v", left, err)
			}
		})
	}
	t.Logf("answers of %d and %d KiB read whole", len(both)>>10, len(one)>>10)
}
