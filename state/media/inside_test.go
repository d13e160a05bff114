package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/state/store"
)

// bodies are small whole files of the formats that have a place for a recipe.
func bodies(t testing.TB) map[string][]byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 9, 7))
	for i := range img.Pix {
		img.Pix[i] = uint8(i*7) | 3
	}
	img.SetRGBA(4, 4, color.RGBA{200, 0, 0, 255})
	var p, j bytes.Buffer
	if err := errors.Join(png.Encode(&p, img), jpeg.Encode(&j, img, nil)); err != nil {
		t.Fatal(err)
	}
	box := func(name, body string) string {
		return string(binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))) + name + body
	}
	mp4 := box("ftyp", "isom\x00\x00\x02\x00isommp41") + box("moov", strings.Repeat("m", 40)) + box("mdat", strings.Repeat("d", 90))
	return map[string][]byte{".png": p.Bytes(), ".jpg": j.Bytes(), ".mp4": []byte(mp4)}
}

func withPrompt() *store.Job {
	return &store.Job{
		ID: job, RemoteID: "remote", Kind: api.KindImage, Model: "lumen/still-1", Title: "Harbour at dawn",
		Request: api.Request{Kind: api.KindImage, Model: "lumen/still-1", Prompt: "harbour at dawn, 清晨的港口",
			ImageURL: "https://user:pass@cdn.example.com/a.png?X-Signature=secret"},
		CreatedAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.Local),
	}
}

func TestARecipeWithinAFile(t *testing.T) {
	t.Parallel()
	for ext, body := range bodies(t) {
		t.Run(ext[1:], func(t *testing.T) {
			t.Parallel()
			var gets atomic.Int32
			f, address := serve(t, func(w http.ResponseWriter, _ *http.Request) { gets.Add(1); _, _ = w.Write(body) })
			f.recipes, f.inside = false, true
			j := withPrompt()
			w := WantOf(j, 1, api.Result{URL: address + "/a"})
			file, err := f.Fetch(t.Context(), w)
			if err != nil {
				t.Fatal(err)
			}
			saved, err := os.ReadFile(file.Path)
			if err != nil || int64(len(saved)) != file.Bytes || bytes.Equal(saved, body) || len(folder(t, f)) != 1 {
				t.Fatalf("%d bytes are saved, %d are known, %v", len(saved), file.Bytes, err)
			}
			for _, secret := range []string{"secret", "Signature", "pass@", "remote"} {
				if bytes.Contains(saved, []byte(secret)) {
					t.Errorf("the file holds %q", secret)
				}
			}
			if !Intact(t.Context(), file) {
				t.Error("the file counts as changed")
			}
			r, ok, err := SavedRequest(file.Path)
			if err != nil || !ok || r.Prompt != j.Request.Prompt || r.Model != j.Model || r.Kind != j.Kind {
				t.Errorf("the file says %+v, %v, %v", r, ok, err)
			}
			samePixels(t, body, saved)
			w.Known = file
			if again, err := f.Fetch(t.Context(), w); err != nil || again.SHA256 != file.SHA256 || gets.Load() != 1 {
				t.Errorf("fetched again: %+v, %v after %d downloads", again, err, gets.Load())
			}
			other := WantOf(j, 2, w.Result)
			other.Others = []string{file.SHA256}
			var known *SavedError
			if _, err := f.Fetch(t.Context(), other); !errors.As(err, &known) {
				t.Errorf("the same content under another address: %v", err)
			}
		})
	}
}

// samePixels compares what two images show; no other file is one.
func samePixels(t *testing.T, a, b []byte) {
	t.Helper()
	was, _, err := image.Decode(bytes.NewReader(a))
	if errors.Is(err, image.ErrFormat) {
		return
	}
	is, _, again := image.Decode(bytes.NewReader(b))
	if err = errors.Join(err, again); err != nil {
		t.Fatal(err)
	}
	for y := range was.Bounds().Dy() {
		for x := range was.Bounds().Dx() {
			if was.At(x, y) != is.At(x, y) {
				t.Fatalf("the pixel at %d, %d is another", x, y)
			}
		}
	}
}

func TestNoRecipeWithinAFileUnlessAskedFor(t *testing.T) {
	t.Parallel()
	whole := bodies(t)
	for name, c := range map[string]struct {
		body   []byte
		inside bool
	}{
		"off":               {whole[".png"], false},
		"another format":    {[]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"), true},
		"bytes behind":      {append(bytes.Clone(whole[".mp4"]), "tail"...), true},
		"a box to the end":  {append(bytes.Clone(whole[".mp4"]), "\x00\x00\x00\x00free"...), true},
		"no segment at all": {[]byte("\xff\xd8\xff\xe0\x00\x04ab\x00\x00\x00\xff\xd9"), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, address := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(c.body) })
			f.inside = c.inside
			file, err := f.Fetch(t.Context(), WantOf(withPrompt(), 1, api.Result{URL: address}))
			if err != nil {
				t.Fatal(err)
			}
			if saved, err := os.ReadFile(file.Path); err != nil || !bytes.Equal(saved, c.body) {
				t.Errorf("the file is not what was sent: %v", err)
			}
		})
	}
}

// FuzzInside: no file breaks the reader of recipes, and what is written into one
// is read again.
func FuzzInside(f *testing.F) {
	text := insideOf(withPrompt())
	for ext, body := range bodies(f) {
		f.Add(body)
		at, _ := inside(bytes.NewReader(body), int64(len(body)), ext)
		f.Add(with(body, at, pieceOf(ext, text)))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for ext := range marks {
			at, recipe := inside(bytes.NewReader(body), int64(len(body)), ext)
			if at > int64(len(body)) || len(recipe) > maxRecipe {
				t.Fatalf("%s: %d of %d, %d bytes", ext, at, len(body), len(recipe))
			}
			if at < 0 {
				continue
			}
			body := with(body, at, pieceOf(ext, text))
			if again, got := inside(bytes.NewReader(body), int64(len(body)), ext); again < at || !bytes.Equal(got, text) {
				t.Errorf("%s: written at %d, then %d and %q", ext, at, again, got)
			}
		}
	})
}

func with(body []byte, at int64, piece []byte) []byte {
	return append(append(bytes.Clone(body[:at]), piece...), body[at:]...)
}
