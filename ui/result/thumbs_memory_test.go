package result

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"darkroom/ui/picture"
)

// Not parallel: it watches the memory of the whole process.
func TestTwoHundredThumbnailsAtRest(t *testing.T) {
	dir := t.TempDir()
	loader := picture.NewLoader(false)
	loader.CacheIn(filepath.Join(dir, "cache"))
	b := newBench(t, loader)
	var all []Thumb
	img := image.NewRGBA(image.Rect(0, 0, 320, 320))
	for i := range 200 {
		for at := range img.Pix {
			img.Pix[at] = uint8(at * (i + 3) >> 7)
		}
		img.Set(0, 0, color.White)
		var file bytes.Buffer
		if err := jpeg.Encode(&file, img, nil); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, strconv.Itoa(i)+".jpg")
		if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		all = append(all, Thumb{Path: path, Cols: 24, Rows: 8})
	}
	img = nil
	debug.FreeOSMemory()
	before := heap()
	b.run(b.Want(all))
	peak := heap()
	runtime.GC()
	rest := heap()
	for _, th := range all {
		if _, state := b.Lines(th); state != ThumbReady {
			t.Fatalf("%s is not drawn", th.Path)
		}
	}
	t.Logf("before %d KiB, right after %d KiB, at rest %d KiB", before>>10, peak>>10, rest>>10)
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		for line := range strings.Lines(string(status)) {
			if strings.HasPrefix(line, "VmRSS") || strings.HasPrefix(line, "VmHWM") {
				t.Log(strings.TrimSpace(line))
			}
		}
	}
	if grown := int64(rest) - int64(before); grown > 20<<20 {
		t.Errorf("200 thumbnails take %d MiB", grown>>20)
	}
	runtime.KeepAlive(loader)
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}
