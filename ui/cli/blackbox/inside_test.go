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
	"testing"

	"darkroom/api/sim/simtest"
)

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
