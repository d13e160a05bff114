package picture

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"time"

	_ "golang.org/x/image/webp"
)

// Limits of decoding. A PNG of 47 bytes can ask for gigabytes, and a
// progressive JPEG of 300 KB, with a scan of all for each few bytes, for minutes.
const (
	maxFile   = 96 << 20 // bytes of a file, which is read a little at a time
	maxSide   = 16384
	maxPixels = 40_000_000       // of 4 bytes; half as many of 8
	maxTime   = 20 * time.Second // of the clock: a busy machine takes long for little work

	maxGarbage = 16 << 20 // bytes that decoding may leave to the collector
)

// open opens a file of so many bytes; opening a named pipe would wait for a writer.
func open(path string) (f *os.File, size int64, err error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, 0, errType
	}
	if err == nil {
		f, err = os.Open(path)
	}
	if err != nil {
		return nil, 0, unreadable(err)
	}
	return f, info.Size(), nil
}

func (l *Loader) read(ctx context.Context, path string, asSheet bool) (image.Image, error) {
	f, size, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	format := container(f)
	if format == "" {
		return decode(ctx, paced{f, ctx, &l.pace}, size)
	}
	var frame []byte
	if asSheet {
		frame, err = l.sheet(ctx, path, format)
	} else {
		frame, err = l.still(ctx, posterLimit, path, format, "scale=w='min(1920,iw)':h=-2", "mjpeg")
	}
	if err != nil {
		return nil, err
	}
	return decode(ctx, paced{bytes.NewReader(frame), ctx, &l.pace}, int64(len(frame)))
}

// decode decodes an image that keeps the limits, until ctx or maxTime ends.
func decode(ctx context.Context, r io.ReadSeeker, size int64) (image.Image, error) {
	if size > maxFile {
		return nil, errSize
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, errBroken
	}
	config, _, err := image.DecodeConfig(r)
	switch {
	case errors.Is(err, image.ErrFormat):
		return nil, errType
	case err != nil:
		return nil, errBroken
	}
	if err := checkCost(config); err != nil {
		return nil, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, errBroken
	}
	person := ctx
	ctx, stop := context.WithTimeout(ctx, maxTime)
	defer stop()
	img, _, err := image.Decode(untilDone{ctx, r})
	switch {
	case person.Err() != nil:
		return nil, person.Err()
	case ctx.Err() != nil:
		return nil, errSize
	case err != nil, img.Bounds().Empty():
		return nil, errBroken
	}
	return img, nil
}

func checkCost(c image.Config) error {
	pixels := c.Width * c.Height
	if c.ColorModel == color.RGBA64Model || c.ColorModel == color.NRGBA64Model {
		pixels *= 2
	}
	switch {
	case c.Width < 1 || c.Height < 1:
		return errBroken
	case c.Width > maxSide || c.Height > maxSide || pixels > maxPixels:
		return errSize
	}
	return nil
}

// untilDone ends a decoding with its context.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u untilDone) Read(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(b)
}

// giveBack returns the memory of a large picture to the system: the collector
// would keep it for minutes, and the next picture's as well.
func giveBack() {
	held := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(held)
	if held[0].Value.Uint64()+held[1].Value.Uint64() > maxGarbage {
		debug.FreeOSMemory()
	}
}

// container names the format of a video's file by its first bytes; "" is not a
// video. ffmpeg is told which, so that no other of its many readers runs.
func container(r io.Reader) string {
	var head [12]byte
	switch n, _ := io.ReadFull(r, head[:]); {
	case string(head[:4]) == "\x1a\x45\xdf\xa3":
		return "matroska"
	case n == len(head) && slices.Contains([]string{"ftyp", "moov", "wide"}, string(head[4:8])):
		return "mov"
	}
	return ""
}
