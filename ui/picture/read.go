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
	"os/exec"
	"strings"
	"time"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp"
)

// posterLimit bounds the run of ffmpeg.
const posterLimit = 10 * time.Second

// read decodes an image, or the first frame of a video.
func read(ctx context.Context, path string) (image.Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadable(err)
	}
	defer f.Close()
	head := make([]byte, 12)
	n, _ := io.ReadFull(f, head) // a short file is no picture, said below
	if video(head[:n]) {
		frame, err := poster(ctx, path)
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

// video reports whether a file begins as MP4, MOV or WebM.
func video(head []byte) bool {
	if bytes.HasPrefix(head, []byte("\x1a\x45\xdf\xa3")) {
		return true
	}
	if len(head) < 12 {
		return false
	}
	switch string(head[4:8]) {
	case "ftyp", "moov", "wide":
		return true
	}
	return false
}

// poster asks the system's ffmpeg for a video's first frame as JPEG. It may
// read this file alone, through the one protocol it is left.
func poster(ctx context.Context, path string) ([]byte, error) {
	program, err := exec.LookPath("ffmpeg")
	if err != nil {
		return nil, ErrNoPoster
	}
	ctx, cancel := context.WithTimeout(ctx, posterLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "-nostdin", "-hide_banner", "-loglevel", "quiet",
		"-protocol_whitelist", "file", "-threads", "1", "-i", "file:"+path,
		"-frames:v", "1", "-vf", "scale=w='min(1920,iw)':h=-2", "-q:v", "4", "-f", "image2pipe", "-c:v", "mjpeg", "pipe:1")
	for _, v := range os.Environ() {
		if !strings.HasPrefix(strings.ToUpper(v), "DARKROOM_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.WaitDelay = time.Second
	out := &capped{}
	cmd.Stdout = out
	if err := cmd.Run(); err != nil || out.Len() == 0 {
		if ctx.Err() == context.Canceled {
			return nil, ctx.Err()
		}
		return nil, errVideo
	}
	return out.Bytes(), nil
}

// capped refuses to hold more than a picture may have.
type capped struct{ bytes.Buffer }

func (c *capped) Write(b []byte) (int, error) {
	if c.Len()+len(b) > maxBytes {
		return 0, errSize
	}
	return c.Buffer.Write(b)
}

// scale brings an image to w times h pixels on black: coarsely to four times
// that, because the fine step reads every pixel with floating point, then
// finely.
func scale(img image.Image, w, h int) *image.RGBA {
	if b := img.Bounds(); b.Dx() > 4*w || b.Dy() > 4*h {
		mid := image.NewRGBA(image.Rect(0, 0, min(b.Dx(), 4*w), min(b.Dy(), 4*h)))
		draw.ApproxBiLinear.Scale(mid, mid.Bounds(), img, b, draw.Src, nil)
		img = mid
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(out, out.Bounds(), image.Black, image.Point{}, draw.Src)
	draw.CatmullRom.Scale(out, out.Bounds(), img, img.Bounds(), draw.Over, nil)
	return out
}
