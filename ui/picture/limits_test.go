package picture

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"runtime"
	"testing"

	"github.com/charmbracelet/colorprofile"
)

// progressive is a JPEG of three components with so many scans, each of as few
// bytes as go over the whole picture.
func progressive(w, h, scans int, sampling byte) []byte {
	b := []byte{0xff, 0xd8}
	segment := func(marker byte, data ...byte) {
		b = append(b, 0xff, marker)
		b = binary.BigEndian.AppendUint16(b, uint16(len(data)+2))
		b = append(b, data...)
	}
	segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...)
	segment(0xc2, 8, byte(h>>8), byte(h), byte(w>>8), byte(w), 3, 1, sampling, 0, 2, 0x11, 0, 3, 0x11, 0)
	segment(0xc4, append([]byte{0x10, 1}, append(make([]byte, 15), 0xe0)...)...) // one code of 15 bits: 16,384 blocks without coefficients
	for range scans {
		segment(0xda, 1, 1, 0x00, 1, 63, 0)
		b = append(b, make([]byte, 3+w*h/64*15/8/16384)...)
	}
	return append(b, 0xff, 0xd9)
}

// Not parallel: it watches what the whole process allocates.
func TestDecodingIsBounded(t *testing.T) {
	deep := image.Config{ColorModel: color.NRGBA64Model, Width: 6000, Height: 6000}
	if err := checkCost(deep); !errors.Is(err, errSize) {
		t.Errorf("288 MB of a deep PNG: %v", err)
	}
	for name, c := range map[string]struct {
		file []byte
		want error
	}{
		"49 megapixels": {progressive(7000, 7000, 1, 0x22), errSize},
		"20 scans":      {progressive(640, 480, 20, 0x22), nil},
	} {
		path := save(t, "scans.jpg", c.file)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := NewLoader(false).Load(t.Context(), path, 80, 20, Terminal{Mode: ModeBlocks, Profile: colorprofile.TrueColor})
		runtime.ReadMemStats(&after)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 32<<20 {
			t.Errorf("%s: %d MiB were taken", name, grown>>20)
		}
	}
}

// endsContext ends a context when something is read behind a place, and counts the
// bytes that are read after that.
type endsContext struct {
	*bytes.Reader
	at    int
	end   context.CancelFunc
	after int
}

func (e *endsContext) Read(b []byte) (int, error) {
	n, err := e.Reader.Read(b)
	if e.at -= n; e.at <= 0 {
		e.after += n
		e.end()
	}
	return n, err
}

// What a JPEG of many scans costs is bounded by time, so its decoding ends wherever
// it is, with what one read gave: 4,096 bytes go over 40 megapixels in 0.1 s.
func TestDecodingEndsAmongTheScans(t *testing.T) {
	t.Parallel()
	file := progressive(2000, 2000, 1000, 0x22)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r := &endsContext{bytes.NewReader(file), len(file) / 4, stop, 0}
	if _, err := decode(ctx, r, int64(len(file))); !errors.Is(err, context.Canceled) || r.after > 4096 {
		t.Errorf("%v, after %d more bytes of %d", err, r.after, len(file))
	}
}
