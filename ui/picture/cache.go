package picture

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	maxCached    = 64 << 20 // bytes of all cached thumbnails
	maxThumbFile = 2 << 20  // bytes of one
	// worthKeeping are the pixels of a cell: with fewer a picture is read again as fast, and whole
	worthKeeping = cellWide * cellHigh
)

// cache keeps scaled pictures in a folder, named by their sources.
// It is safe for several goroutines and several processes: files appear whole
// or not at all, and whoever finds one missing or damaged makes it again.
type cache struct {
	folder string
	limit  int64

	mu   sync.Mutex
	size int64 // of all files as last counted, plus what was added since; -1 before
}

// cached is a scaled picture and the size of its source.
type cached struct {
	img           image.Image
	width, height int
}

// CacheIn makes the loader keep scaled pictures of small boxes in a folder, 64
// MiB at most. It is called before the first Load.
func (l *Loader) CacheIn(folder string) { l.cache = &cache{folder: folder, limit: maxCached, size: -1} }

// How the names of files in the cache end, and begin until they are whole.
const (
	thumbEnd   = ".thumb"
	thumbBegun = "new-"
)

func (c *cache) name(q question) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "3\x00%s\x00%d\x00%d\x00%d×%d\x00%v %v", // the format 3, which reads no older files
		q.path, q.bytes, q.changed.UnixNano(), q.cols, q.rows, q.on.Stills, q.on.parted()))
	return filepath.Join(c.folder, hex.EncodeToString(sum[:16])+thumbEnd)
}

// holds reports whether pictures of such a box are kept: a larger one is not.
func (c *cache) holds(q question) bool { return c != nil && q.cols*q.rows <= 1500 }

// worth reports whether such a picture is kept. In blocks, small ones are too: to decode one
// takes much longer than to draw it.
func (q question) worth(width, height int) bool {
	pixels := worthKeeping
	if q.on.Mode == ModeBlocks {
		pixels = 16
	}
	return width*height > pixels*q.cols*q.rows
}

// read finds a picture. Damaged files are removed.
func (c *cache) read(ctx context.Context, q question) (cached, bool) {
	if !c.holds(q) {
		return cached{}, false
	}
	name := c.name(q)
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxThumbFile {
		return cached{}, false
	}
	b, _ := os.ReadFile(name) // one that cannot be read is damaged
	got, ok := parseThumb(ctx, b, q)
	if !ok {
		_ = os.Remove(name)
		return cached{}, false
	}
	if time.Since(info.ModTime()) > time.Hour { // the oldest go first
		_ = os.Chtimes(name, time.Now(), time.Now())
	}
	return got, got.img != nil
}

// parseThumb reads a cached file: the source's width and height, then an image of at
// most the pixels that the box has, and perhaps its pixels in blocks.
func parseThumb(ctx context.Context, b []byte, q question) (cached, bool) {
	if len(b) < 8 {
		return cached{}, false
	}
	w, h := int(binary.BigEndian.Uint32(b)), int(binary.BigEndian.Uint32(b[4:]))
	if min(w, h) < 1 || max(w, h) > maxSide {
		return cached{}, false
	}
	if !q.worth(w, h) {
		return cached{}, true // it is kept in blocks alone
	}
	if q.on.Mode == ModeBlocks {
		c, r := fit(w, h, q.cols, q.rows, q.on.Cell)
		if whole, ok := bytes.CutSuffix(b, inBlocks(c, r)); ok && len(whole) > 16*c*r {
			return cached{&image.RGBA{Pix: whole[len(whole)-16*c*r:], Stride: 8 * c, Rect: image.Rect(0, 0, 2*c, 2*r)}, w, h}, true
		}
	}
	img, err := decode(ctx, bytes.NewReader(b[8:]), int64(len(b)-8))
	if err != nil {
		return cached{}, false
	}
	size := img.Bounds().Size()
	return cached{img, w, h}, size.X <= q.cols*cellWide && size.Y <= q.rows*cellHigh
}

// inBlocks follows the pixels that so many cells show in blocks, which need no decoding.
func inBlocks(cols, rows int) []byte { return fmt.Appendf(nil, " %d×%d", cols, rows) }

// write keeps a picture scaled for a box and returns what it kept. What cannot
// be kept is not an error: it is made again.
func (c *cache) write(q question, img image.Image) cached {
	size := img.Bounds().Size()
	cols, rows := fit(size.X, size.Y, q.cols, q.rows, DefaultCell)
	small := cached{sized(img, cols, rows), size.X, size.Y}
	var b bytes.Buffer
	b.Write(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(size.X)), uint32(size.Y)))
	if size.X*size.Y > worthKeeping*q.cols*q.rows && encodeThumb(&b, small.img) != nil {
		return small
	}
	cols, rows = fit(size.X, size.Y, q.cols, q.rows, cmp.Or(q.on.Cell, DefaultCell))
	if has := small.img.Bounds().Size(); has.X >= 2*cols && has.Y >= 2*rows {
		b.Write(append(shrink(small.img, 2*cols, 2*rows).Pix, inBlocks(cols, rows)...))
	}
	if b.Len() == 8 || b.Len() > maxThumbFile || os.MkdirAll(c.folder, 0o700) != nil {
		return small
	}
	f, err := os.CreateTemp(c.folder, thumbBegun+"*") // 0600
	if err != nil {
		return small
	}
	_, err = f.Write(b.Bytes())
	if cerr := f.Close(); err != nil || cerr != nil || os.Rename(f.Name(), c.name(q)) != nil {
		_ = os.Remove(f.Name())
		return small
	}
	c.added(int64(b.Len()))
	return small
}

// encodeThumb writes a JPEG, or a PNG if the image has transparency.
func encodeThumb(w io.Writer, img image.Image) error {
	if whole, ok := img.(interface{ Opaque() bool }); ok && !whole.Opaque() {
		return png.Encode(w, img)
	}
	return jpeg.Encode(w, img, &jpeg.Options{Quality: 90})
}

// added counts written bytes, and makes room if there are too many.
func (c *cache) added(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size += n; c.size >= n && c.size <= c.limit {
		return
	}
	// The files used longest ago go until a tenth of the limit is free.
	entries, err := os.ReadDir(c.folder)
	if err != nil {
		return
	}
	var files []fs.FileInfo
	c.size = 0
	for _, e := range entries {
		ours := strings.HasSuffix(e.Name(), thumbEnd) || strings.HasPrefix(e.Name(), thumbBegun) // the folder may be a link to another
		if info, err := e.Info(); ours && err == nil && info.Mode().IsRegular() {
			files = append(files, info)
			c.size += info.Size()
		}
	}
	if c.size <= c.limit {
		return
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range files {
		if c.size <= c.limit-c.limit/10 {
			return
		}
		if os.Remove(filepath.Join(c.folder, info.Name())) == nil {
			c.size -= info.Size()
		}
	}
}
