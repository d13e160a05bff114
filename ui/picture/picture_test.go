package picture

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
)

// gradient is a picture whose every pixel is different.
func gradient(w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			copy(img.Pix[y*img.Stride+4*x:], []uint8{uint8(255 * x / w), uint8(255 * y / h), 128, 255})
		}
	}
	return img
}

func save(t testing.TB, name string, content []byte) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), name)
	noError(t, os.WriteFile(p, content, 0o600))
	return p
}

func pngOf(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	noError(t, png.Encode(&b, img))
	return b.Bytes()
}

// pngBomb is 47 bytes that ask for 60,000 × 60,000 pixels.
func pngBomb() []byte {
	b := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(name string, data []byte) {
		b = binary.BigEndian.AppendUint32(b, uint32(len(data)))
		at := len(b)
		b = append(append(b, name...), data...)
		b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[at:]))
	}
	ihdr := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 60000), 60000)
	chunk("IHDR", append(ihdr, 16, 6, 0, 0, 0))
	chunk("IDAT", []byte{0x78, 0x9c})
	return b
}

// Not parallel: it watches what the whole process allocates.
func TestLoadRefusesWhatIsTooLarge(t *testing.T) {
	if n := len(pngBomb()); n != 47 {
		t.Fatalf("the bomb has %d bytes", n)
	}
	path := save(t, "bomb.png", pngBomb())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := NewLoader(false).Load(t.Context(), path, 80, 20, Terminal{Mode: ModeBlocks, Profile: colorprofile.TrueColor})
	runtime.ReadMemStats(&after)
	if !errors.Is(err, errSize) {
		t.Errorf("the bomb gave %v", err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 256<<20 {
		t.Errorf("%d MiB were taken", grown>>20)
	}
	big := save(t, "big.png", pngOf(t, image.NewGray(image.Rect(0, 0, maxSide+1, 1))))
	if _, err := NewLoader(false).Load(t.Context(), big, 80, 20, Terminal{Mode: ModeBlocks, Profile: colorprofile.TrueColor}); !errors.Is(err, errSize) {
		t.Errorf("a side too long gave %v", err)
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "long.png"))
	if err != nil {
		t.Fatal(err)
	}
	f.Write(pngOf(t, gradient(4, 4)))
	f.Truncate(maxFile + 1)
	f.Close()
	if _, err := NewLoader(false).Load(t.Context(), f.Name(), 80, 20, Terminal{Mode: ModeBlocks, Profile: colorprofile.TrueColor}); !errors.Is(err, errSize) {
		t.Errorf("a file too long gave %v", err)
	}
}

// A PNG of 8K from a camera or a model has 40 to 80 MB: what is read a little at a
// time takes no more memory than a small file of as many pixels.
func TestLoadReadsLargeFiles(t *testing.T) {
	t.Parallel()
	f := must(os.Create(filepath.Join(t.TempDir(), "large.png")))(t)
	defer f.Close()
	noError(t, (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(f, gradient(4000, 3000)))
	if info, err := f.Stat(); err != nil || info.Size() <= 32<<20 {
		t.Fatalf("the file has %d bytes: %v", info.Size(), err)
	}
	synctest.Test(t, func(t *testing.T) { // a busy machine takes longer than the limit of time
		p, err := NewLoader(false).Load(t.Context(), f.Name(), 80, 20, Terminal{Mode: ModeBlocks, Profile: colorprofile.TrueColor})
		if err != nil || p.Width != 4000 || len(p.Lines) != 20 {
			t.Errorf("drawn as %d lines of a picture %d pixels wide: %v", len(p.Lines), p.Width, err)
		}
	})
}

func TestLoadReadsEveryType(t *testing.T) {
	t.Parallel()
	var j, g bytes.Buffer
	noError(t, errors.Join(jpeg.Encode(&j, gradient(32, 16), nil), gif.Encode(&g, gradient(32, 16), nil)))
	webp := []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00")
	for name, content := range map[string][]byte{"a.png": pngOf(t, gradient(32, 16)), "a.jpg": j.Bytes(), "a.gif": g.Bytes(), "a.webp": webp} {
		p, err := NewLoader(false).Load(t.Context(), save(t, name, content), 10, 5, Terminal{Mode: ModeBlocks, Profile: colorprofile.TrueColor})
		if err != nil || len(p.Lines) == 0 || len(p.Lines) != p.Rows {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	for name, want := range map[string]error{"x.txt": errType, "cut.png": errBroken} {
		content := []byte("just words, no picture at all")
		if name == "cut.png" {
			content = pngOf(t, gradient(32, 16))[:60]
		}
		if _, err := NewLoader(false).Load(t.Context(), save(t, name, content), 10, 5, Terminal{Mode: ModeBlocks, Profile: colorprofile.TrueColor}); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}

func TestLoadFitsTheArea(t *testing.T) {
	t.Parallel()
	profiles := []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ASCII, colorprofile.ANSI, colorprofile.ANSI256}
	if testing.Short() {
		profiles = profiles[:2] // dithered lines are as long as others
	}
	for _, size := range []image.Point{{1, 1}, {320, 180}, {90, 160}, {1, 5000}, {5000, 1}} {
		path := save(t, "a.png", pngOf(t, gradient(size.X, size.Y)))
		for _, area := range []image.Point{{1, 1}, {80, 22}, {7, 40}, {400, 3}} {
			for _, profile := range profiles {
				p := must(NewLoader(false).Load(t.Context(), path, area.X, area.Y, Terminal{Mode: ModeKitty, Profile: profile}))(t)
				if p.Cols > area.X || p.Rows > area.Y || len(p.Lines) != p.Rows || len(p.Graphic.Lines) != p.Rows {
					t.Errorf("%v in %v: %d×%d, %d and %d lines", size, area, p.Cols, p.Rows, len(p.Lines), len(p.Graphic.Lines))
				}
				for _, l := range append(p.Lines, p.Graphic.Lines...) {
					if w := ansi.StringWidth(l); w != p.Cols {
						t.Errorf("%v in %v, %v: a line of %d cells, want %d", size, area, profile, w, p.Cols)
					}
				}
			}
		}
	}
	if c, r := fit(1600, 900, 80, 40, DefaultCell); c != 80 || r != 23 {
		t.Errorf("16:9 takes %d×%d of 80×40", c, r)
	}
}

// Whoever erases an image takes no other away.
func TestImagesHaveIDsOfTheirOwn(t *testing.T) {
	t.Parallel()
	path := save(t, "a.png", pngOf(t, gradient(32, 16)))
	l := NewLoader(false)
	first := must(l.Load(t.Context(), path, 10, 5, Terminal{Mode: ModeKitty, Profile: colorprofile.TrueColor}))(t)
	if again, _ := l.Load(t.Context(), path, 10, 5, Terminal{Mode: ModeKitty, Profile: colorprofile.TrueColor}); again.Graphic.ID == first.Graphic.ID {
		t.Error("two pictures share an id")
	}
	ids := map[int]bool{}
	for range 240 * idsHigh {
		id := l.nextID()
		if low := id & 0xffffff; low < 16 || low > 255 || id>>24 >= idsHigh || ids[id] {
			t.Fatalf("id %#x", id)
		}
		ids[id] = true
	}
}

func TestLoadEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path := save(t, "a.png", pngOf(t, gradient(32, 16)))
	if _, err := NewLoader(false).Load(ctx, path, 10, 5, Terminal{Mode: ModeBlocks, Profile: colorprofile.TrueColor}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestBlocksGolden(t *testing.T) {
	t.Parallel()
	for _, profile := range []colorprofile.Profile{colorprofile.ASCII, colorprofile.ANSI, colorprofile.ANSI256, colorprofile.TrueColor} {
		t.Run(profile.String(), func(t *testing.T) {
			t.Parallel()
			golden.RequireEqual(t, []byte(strings.Join(Blocks(gradient(12, 7), profile, color.RGBA{}), "\n")))
		})
	}
}

func TestReducedColours(t *testing.T) {
	t.Parallel()
	for c, want := range map[int][2]int{0x000000: {16, 0}, 0xffffff: {231, 15}, 0xff0000: {196, 9}, 0x808080: {244, 8}, 0x5f87af: {67, 8}, 0x080808: {232, 0}} {
		if a, b := to256(c), to16(c); a != want[0] || b != want[1] {
			t.Errorf("%06x gives %d and %d, want %v", c, a, b, want)
		}
	}
}

// tmux drops a question while no terminal is attached: it is asked a few times more,
// until there is an answer.
func TestTmuxIsAskedAgain(t *testing.T) {
	t.Parallel()
	inTmux := func(name string) string { return map[string]string{"TMUX": "/tmp/x", "KITTY_WINDOW_ID": "1"}[name] }
	asked := func(d Detector) (n int) {
		for range 10 {
			next, query := d.Again()
			if d = next; strings.HasPrefix(query, "\x1bPtmux;") {
				n++
			}
		}
		return n
	}
	for name, c := range map[string]struct {
		d    Detector
		want int
	}{
		"no answer":    {NewDetector("auto", inTmux), maxAgain},
		"answered":     {NewDetector("auto", inTmux).Graphics(queryID, "OK"), 0},
		"set by hand":  {NewDetector("blocks", inTmux), 0},
		"not in kitty": {NewDetector("auto", func(name string) string { return map[string]string{"TMUX": "/tmp/x"}[name] }), 0},
		"without tmux": {NewDetector("auto", func(string) string { return "" }).Version("kitty(0.41.1)"), 0},
	} {
		if got := asked(c.d); got != c.want {
			t.Errorf("%s: asked %d times, want %d", name, got, c.want)
		}
	}
}

func TestDetector(t *testing.T) {
	t.Parallel()
	env := func(vars ...string) func(string) string {
		return func(name string) string {
			for i := 0; i+1 < len(vars); i += 2 {
				if vars[i] == name {
					return vars[i+1]
				}
			}
			return ""
		}
	}
	plain, tmux := env("TERM", "xterm-256color"), env("TMUX", "/tmp/x", "KITTY_WINDOW_ID", "1")
	for name, c := range map[string]struct {
		d    Detector
		want Mode
	}{
		"nothing said":         {NewDetector("auto", plain), ModeBlocks},
		"kitty":                {NewDetector("auto", plain).Graphics(31, "OK").Version("kitty(0.48.2)").Attributes([]int{62, 22}), ModeKitty},
		"old kitty says OK":    {NewDetector("auto", plain).Graphics(31, "OK").Version("kitty(0.26.5)").Attributes([]int{62, 22}), ModeBlocks},
		"ghostty":              {NewDetector("auto", plain).Version("ghostty 1.2").Graphics(31, "OK").Attributes([]int{62, 22}), ModeKitty},
		"another that says OK": {NewDetector("auto", plain).Version("WezTerm 2024").Graphics(31, "OK").Attributes([]int{62, 22}), ModeBlocks},
		"kitty says no":        {NewDetector("auto", plain).Graphics(31, "ENOENT").Version("kitty(0.48.2)").Attributes([]int{62, 22}), ModeBlocks},
		"another's answer":     {NewDetector("auto", plain).Graphics(7, "OK").Version("kitty(0.48.2)").Attributes([]int{62, 22}), ModeBlocks},
		"late":                 {NewDetector("auto", plain).Version("kitty(0.48.2)").Attributes([]int{62, 22}).Graphics(31, "OK"), ModeKitty},
		"version last":         {NewDetector("auto", plain).Graphics(31, "OK").Attributes([]int{62, 22}).Version("kitty(0.48.2)"), ModeKitty},
		"tmux out of order":    {NewDetector("auto", tmux).Version("tmux 3.5a").Attributes([]int{62, 22}).Graphics(31, "OK"), ModeKitty},
		"tmux late":            {NewDetector("auto", tmux).Attributes([]int{62, 22}).Graphics(31, "OK"), ModeKitty},
		"sixel":                {NewDetector("auto", plain).CellSize(8, 17).Attributes([]int{64, 4, 22}), ModeSixel},
		"sixel, cell unknown":  {NewDetector("auto", plain).Attributes([]int{64, 4, 22}), ModeBlocks},
		"no sixel":             {NewDetector("auto", plain).CellSize(8, 17).Attributes([]int{64, 22}), ModeBlocks},
		"tmux's own sixel":     {NewDetector("auto", tmux).CellSize(8, 17).Attributes([]int{64, 4}), ModeBlocks},
		"sixel by hand":        {NewDetector("sixel", plain).CellSize(8, 17), ModeSixel},
		"absurd cells":         {NewDetector("sixel", plain).CellSize(100000, 1), ModeBlocks},
		"set by hand":          {NewDetector("kitty", plain), ModeKitty},
		"blocks by hand":       {NewDetector("blocks", plain).Graphics(31, "OK").Version("kitty(0.48.2)"), ModeBlocks},
		"off":                  {NewDetector("off", plain), ModeOff},
	} {
		if got := c.d.Mode(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	if q := NewDetector("auto", plain).Query(); !strings.HasSuffix(q, "\x1b[c") || !strings.HasPrefix(q, "\x1b_G") {
		t.Errorf("asks %q", q)
	}
	if q := NewDetector("blocks", plain).Query(); q != "" {
		t.Errorf("asks %q though nothing depends on it", q)
	}
}

func BenchmarkLoad(b *testing.B) {
	path := save(b, "a.png", pngOf(b, gradient(2048, 1152)))
	for _, mode := range []Mode{ModeBlocks, ModeKitty} {
		b.Run(string(mode), func(b *testing.B) {
			for b.Loop() {
				must(NewLoader(false).Load(b.Context(), path, 80, 22, Terminal{Mode: mode, Profile: colorprofile.TrueColor}))(b)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(pngBomb())
	f.Add(pngOf(f, gradient(3, 3)))
	f.Add([]byte("GIF89a\xff\xff\xff\xff\x00\x00\x00"))
	f.Add([]byte("RIFF\x00\x00\x00\x00WEBPVP8 "))
	f.Fuzz(func(t *testing.T, content []byte) {
		img, err := decode(t.Context(), bytes.NewReader(content), int64(len(content)))
		if err == nil && img.Bounds().Empty() {
			t.Error("an empty picture was taken")
		}
	})
}

// must is a value, or the end of the test.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// noError ends the test when a step of its set-up failed.
func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
