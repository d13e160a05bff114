package picture

import (
	"bytes"
	"context"
	"errors"
	"image"
	_ "image/gif"  // decoders are found by their magic bytes
	_ "image/jpeg" //
	_ "image/png"  //
	"io"
	"os"

	_ "golang.org/x/image/webp"
)

// read decodes an image, or the first frame of a video, or with asSheet nine of
// its frames.
func (l *Loader) read(ctx context.Context, path string, asSheet bool) (image.Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadable(err)
	}
	defer f.Close()
	head := make([]byte, 12)
	n, _ := io.ReadFull(f, head) // a short file is no picture, said below
	if format := container(head[:n]); format != "" {
		draw := l.poster
		if asSheet {
			draw = l.sheet
		}
		frame, err := draw(ctx, path, format)
		if errors.Is(err, ErrNoPoster) {
			facts, _ := readFacts(path)
			return nil, &NoPoster{facts}
		}
		if err != nil {
			return nil, err
		}
		return decode(ctx, bytes.NewReader(frame), int64(len(frame)))
	}
	info, err := f.Stat()
	if err != nil {
		return nil, unreadable(err)
	}
	return decode(ctx, f, info.Size())
}

// decode judges the cost by the header before it decodes.
func decode(ctx context.Context, r io.ReadSeeker, size int64) (image.Image, error) {
	if size > maxBytes {
		return nil, errSize
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, errBroken
	}
	cfg, format, err := image.DecodeConfig(io.LimitReader(r, maxBytes))
	switch {
	case errors.Is(err, image.ErrFormat):
		return nil, errType
	case err != nil:
		return nil, errBroken
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, errBroken
	}
	if err := checkCost(io.LimitReader(r, maxBytes), cfg, format); err != nil {
		return nil, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, errBroken
	}
	person := ctx
	ctx, stop := context.WithTimeout(ctx, maxTime)
	defer stop()
	img, _, err := image.Decode(untilDone{ctx, io.LimitReader(r, maxBytes)})
	if err != nil && ctx.Err() == nil {
		if _, serr := r.Seek(0, io.SeekStart); serr == nil {
			if whole := mended(untilDone{ctx, r}); whole != nil {
				img, _, err = image.Decode(untilDone{ctx, whole})
			}
		}
	}
	switch {
	case person.Err() != nil:
		return nil, person.Err()
	case ctx.Err() != nil:
		return nil, errSize
	case err != nil:
		return nil, errBroken
	}
	if b := img.Bounds(); b.Empty() || b.Dx() > maxSide || b.Dy() > maxSide {
		return nil, errBroken
	}
	return img, nil
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

// capped refuses to hold more than a picture may have. It hides the buffer's
// ReadFrom, by which a copy would go past Write.
type capped struct{ held bytes.Buffer }

func (c *capped) Write(b []byte) (int, error) {
	if c.held.Len()+len(b) > maxBytes {
		return 0, errSize
	}
	return c.held.Write(b)
}
