package media

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

// withRecipe is a PNG into which darkroom wrote a recipe before its end.
func withRecipe(t testing.TB, recipe string) []byte {
	t.Helper()
	picture := encoded(t, png.Encode)
	body := []byte("iTXtdarkroom\x00\x00\x00\x00\x00" + recipe)
	chunk := append(binary.BigEndian.AppendUint32(nil, uint32(len(body)-4)), body...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(body))
	end := len(picture) - 12
	return append(append(bytes.Clone(picture[:end]), chunk...), picture[end:]...)
}

func TestARecipeWithinAPictureIsRead(t *testing.T) {
	t.Parallel()
	content := withRecipe(t, `{"job":"k3v9","kind":"image","model":"a/b","request":{"kind":"image","model":"a/b","prompt":"清晨的港口"}}`)
	path := filepath.Join(t.TempDir(), "a.png")
	noError(t, os.WriteFile(path, content, 0o600))
	if r, ok, err := SavedRequest(path); err != nil || !ok || r.Prompt != "清晨的港口" || r.Model != "a/b" {
		t.Errorf("the file says %+v, %v, %v", r, ok, err)
	}
	if _, err := png.Decode(bytes.NewReader(content)); err != nil || cutShort(bytes.NewReader(content), int64(len(content)), ".png") {
		t.Errorf("the test's file is not a whole picture: %v", err)
	}
}

func FuzzWithin(f *testing.F) {
	f.Add(withRecipe(f, "{}"))
	f.Fuzz(func(t *testing.T, body []byte) {
		if recipe := within(bytes.NewReader(body)); len(recipe) > len(body) {
			t.Errorf("%d bytes of %d", len(recipe), len(body))
		}
	})
}
