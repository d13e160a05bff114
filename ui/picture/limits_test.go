package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"runtime"
	"testing"

	"github.com/charmbracelet/colorprofile"
)

// progressive is a JPEG of three components with so many scans, each of a
// single byte: a decoder goes over the whole picture for each.
func progressive(w, h, scans int, sampling byte) []byte {
	b := []byte{0xff, markerSOI}
	segment := func(marker byte, data ...byte) {
		b = append(b, 0xff, marker)
		b = binary.BigEndian.AppendUint16(b, uint16(len(data)+2))
		b = append(b, data...)
	}
	segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...)
	segment(markerSOF2, 8, byte(h>>8), byte(h), byte(w>>8), byte(w), 3, 1, sampling, 0, 2, 0x11, 0, 3, 0x11, 0)
	segment(0xc4, append([]byte{0x10, 1}, append(make([]byte, 15), 0xe0)...)...) // one code: a run of blocks without coefficients
	for range scans {
		segment(markerSOS, 1, 1, 0x00, 1, 63, 0)
		b = append(b, 0x00)
	}
	return append(b, 0xff, markerEOI)
}

// Not parallel: it watches what the whole process allocates.
func TestDecodingIsBounded(t *testing.T) {
	deep := image.Config{ColorModel: color.NRGBA64Model, Width: 6000, Height: 6000}
	if err := checkCost(bytes.NewReader(nil), deep, "png"); !errors.Is(err, errSize) {
		t.Errorf("288 MB of a deep PNG: %v", err)
	}
	for name, c := range map[string]struct {
		file []byte
		want error
	}{
		"21 scans":             {progressive(640, 480, maxScans+1, 0x22), errSize},
		"5,000 scans":          {progressive(4000, 3000, 5000, 0x22), errSize},
		"375 MB of a frame":    {progressive(5000, 5000, 1, 0x11), errSize},
		"20 scans, not of use": {progressive(640, 480, maxScans, 0x22), nil},
	} {
		path := save(t, "scans.jpg", c.file)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := NewLoader(false).Load(t.Context(), path, 80, 20, Terminal{Mode: ModeBlocks, Profile: colorprofile.TrueColor})
		runtime.ReadMemStats(&after)
		if c.want != nil && !errors.Is(err, c.want) || c.want == nil && errors.Is(err, errSize) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 32<<20 {
			t.Errorf("%s: %d MiB were taken", name, grown>>20)
		}
	}
}

func TestMarkersOfARealJPEG(t *testing.T) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, gradient(640, 480), nil); err != nil {
		t.Fatal(err)
	}
	m, err := readMarkers(&b)
	if err != nil || m.scans != 1 || m.memory != 640*480*6/4 {
		t.Errorf("%+v, %v", m, err)
	}
}

func FuzzMarkers(f *testing.F) {
	f.Add(progressive(640, 480, 3, 0x22))
	f.Add([]byte{0xff, markerSOI, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := readMarkers(bytes.NewReader(b))
		if err != nil || m.scans > maxScans+1 || m.memory < 0 {
			t.Errorf("%+v, %v", m, err)
		}
	})
}
