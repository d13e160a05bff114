package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"
)

// TestWrongChecksumsAreShown: a picture that other viewers show is shown, and a
// file that is cut short is not.
func TestWrongChecksumsAreShown(t *testing.T) {
	t.Parallel()
	src := image.NewNRGBA(image.Rect(0, 0, 9, 7))
	src.Set(4, 3, color.NRGBA{200, 10, 30, 255})
	var b bytes.Buffer
	if err := png.Encode(&b, src); err != nil {
		t.Fatal(err)
	}
	whole := b.Bytes()
	wrong := bytes.Clone(whole)
	at := bytes.Index(wrong, []byte("IEND"))
	wrong[at-5] ^= 0xff // the last byte of the data's checksum
	if _, err := png.Decode(bytes.NewReader(wrong)); err == nil {
		t.Fatal("the test's file is in order")
	}
	img, err := decode(t.Context(), bytes.NewReader(wrong), int64(len(wrong)))
	if err != nil {
		t.Fatal(err)
	}
	if img.At(4, 3) != src.At(4, 3) {
		t.Errorf("%v", img.At(4, 3))
	}
	cut := whole[:len(whole)-20]
	if _, err := decode(t.Context(), bytes.NewReader(cut), int64(len(cut))); err == nil {
		t.Error("a file cut short is shown as a picture")
	}
}
