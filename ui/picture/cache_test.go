package picture

import (
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
)

func TestSmallPicturesAreKeptOnDisk(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "thumbnails")
	path := save(t, "a.png", pngOf(t, gradient(640, 360)))
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	load := func(cols, rows int) (Picture, error) {
		l := NewLoader(false) // of another window
		l.CacheIn(folder)
		return l.Load(t.Context(), path, cols, rows, Terminal{Mode: ModeKitty, Profile: colorprofile.TrueColor})
	}
	first, err := load(24, 8)
	if err != nil {
		t.Fatal(err)
	}
	// The same file, by its size and time, is not read again: its content may
	// even be gone.
	broken := make([]byte, info.Size())
	noError(t, os.WriteFile(path, broken, 0o600))
	noError(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
	again, err := load(24, 8)
	if err != nil || len(again.Lines) != len(first.Lines) || again.Width != 640 || again.Height != 360 || again.Graphic == nil {
		t.Errorf("from the cache: %+v, %v", again, err)
	}
	if _, err := load(23, 8); err == nil {
		t.Error("another box was answered by the same file")
	}
	if _, err := load(100, 40); err == nil {
		t.Error("a large box was answered from the cache")
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %v", entries, err)
	}
	kept, _ := entries[0].Info()
	if at, _ := os.Stat(folder); kept.Mode().Perm() != 0o600 || at.Mode().Perm() != 0o700 {
		t.Errorf("modes %v in %v", kept.Mode(), at.Mode())
	}
	// A damaged file is removed, and what it held is made again.
	name := filepath.Join(folder, entries[0].Name())
	noError(t, os.WriteFile(name, []byte("no picture at all"), 0o600))
	if _, err := load(24, 8); err == nil {
		t.Error("a damaged file gave a picture")
	}
	if _, err := os.Stat(name); !os.IsNotExist(err) {
		t.Error("the damaged file is still there")
	}
	later := time.Now().Add(time.Second)
	noError(t, os.Chtimes(path, later, later))
	noError(t, os.WriteFile(path, pngOf(t, gradient(64, 64)), 0o600))
	if p, err := load(24, 8); err != nil || p.Width != 64 {
		t.Errorf("a changed file: %+v, %v", p, err)
	}
}

func TestTheCacheIsBounded(t *testing.T) {
	t.Parallel()
	c := &cache{folder: t.TempDir(), limit: 100_000, size: -1}
	img := gradient(240, 160)
	q := question{cols: 24, rows: 8}
	start := time.Now().Add(-time.Hour)
	photo := filepath.Join(c.folder, "photo.jpg") // the folder is a link to another
	noError(t, errors.Join(os.WriteFile(photo, []byte("mine"), 0o600), os.Chtimes(photo, start, start.Add(-time.Hour))))
	for i := range 60 {
		q.bytes = int64(i)
		c.write(q, img)
		at := start.Add(time.Duration(i) * time.Second)
		noError(t, os.Chtimes(c.name(q), at, at))
	}
	entries := must(os.ReadDir(c.folder))(t)
	var size int64
	for _, e := range entries {
		info, _ := e.Info()
		size += info.Size()
	}
	if size > c.limit || size < c.limit/2 || len(entries) > 50 {
		t.Errorf("%d files of %d bytes are kept", len(entries), size)
	}
	if _, err := os.Stat(photo); err != nil {
		t.Error(err)
	}
	if _, ok := c.read(t.Context(), q); !ok {
		t.Error("the newest was removed")
	}
	q.bytes = 0
	if _, ok := c.read(t.Context(), q); ok {
		t.Error("the oldest is still there")
	}
}

// What stands in the cache folder is not trusted either.
func TestALargePictureInTheCacheIsNotDecoded(t *testing.T) {
	t.Parallel()
	c := &cache{folder: t.TempDir(), limit: maxCached, size: -1}
	q := question{cols: 24, rows: 8}
	large := c.write(question{cols: 30, rows: 10}, image.NewRGBA(image.Rect(0, 0, 300, 200)))
	if large.width != 300 {
		t.Fatal(large.width)
	}
	noError(t, os.Rename(c.name(question{cols: 30, rows: 10}), c.name(q)))
	if _, ok := c.read(t.Context(), q); ok {
		t.Error("a picture larger than its box was read")
	}
	f := must(os.Create(c.name(q)))(t)
	defer f.Close()
	noError(t, png.Encode(f, gradient(3, 3)))
	if _, ok := c.read(t.Context(), q); ok {
		t.Error("a file of another format was read")
	}
}
