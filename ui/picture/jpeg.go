package picture

import (
	"bytes"
	"context"
	"image/color"
	"image/jpeg"
)

// JPEG is an image, or the first frame of a video, in at most side by side pixels
// and so many bytes.
func (l *Loader) JPEG(ctx context.Context, path string, side, bound int) ([]byte, error) {
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	img, err := l.read(ctx, path, false)
	if err != nil {
		return nil, err
	}
	defer giveBack()
	b := img.Bounds()
	longest := max(b.Dx(), b.Dy())
	side = min(side, longest)
	small := scale(img, max(b.Dx()*side/longest, 1), max(b.Dy()*side/longest, 1), color.White)
	for quality := 80; quality > 0; quality -= 20 {
		var out bytes.Buffer
		if err := jpeg.Encode(&out, small, &jpeg.Options{Quality: quality}); err != nil || out.Len() <= bound {
			return out.Bytes(), err
		}
	}
	return nil, errSize
}
