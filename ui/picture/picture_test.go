package picture

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"golang.org/x/image/draw"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// The terminals of most tests: one of half blocks, one of pixels.
var (
	blocks = Terminal{Mode: ModeBlocks, Profile: colorprofile.TrueColor}
	pixels = Terminal{Mode: ModeKitty, Profile: colorprofile.TrueColor}
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
	return simtest.File(t, filepath.Join(t.TempDir(), name), content)
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

// A PNG of 8K from a camera or a model has 40 to 80 MB: what is read a little at a
// time takes no more memory than a small file of as many pixels.
func TestLoadReadsLargeFiles(t *testing.T) {
	t.Parallel()
	f := must(os.Create(filepath.Join(t.TempDir(), "large.png")))(t)
	defer f.Close()
	noError(t, (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(f, gradient(4000, 3000)))
	size := must(f.Stat())(t).Size()
	expect.Must(t, size > 32<<20, "the file has", size, "bytes")
	synctest.Test(t, func(t *testing.T) { // a busy machine takes longer than the limit of time
		p := must(NewLoader(false).Load(t.Context(), f.Name(), 80, 20, blocks))(t)
		expect.Equal(t, p.Width, 4000, "the width")
		expect.Len(t, p.Lines, 20)
	})
}

func TestLoadReadsEveryType(t *testing.T) {
	t.Parallel()
	var j, g bytes.Buffer
	noError(t, errors.Join(jpeg.Encode(&j, gradient(32, 16), nil), gif.Encode(&g, gradient(32, 16), nil)))
	webp := []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00")
	whole := pngOf(t, gradient(32, 16))
	for name, c := range map[string]struct {
		content []byte
		want    error
	}{
		"a.png": {whole, nil}, "a.jpg": {j.Bytes(), nil}, "a.gif": {g.Bytes(), nil}, "a.webp": {webp, nil},
		"x.txt": {[]byte("just words, no picture at all"), errType}, "cut.png": {whole[:60], errBroken},
	} {
		p, err := NewLoader(false).Load(t.Context(), save(t, name, c.content), 10, 5, blocks)
		expect.Is(t, err, c.want, name)
		expect.That(t, c.want != nil || len(p.Lines) > 0, name, p)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	expect.Is(t, expect.Err(NewLoader(false).Load(ctx, save(t, "a.png", whole), 10, 5, blocks)), context.Canceled, "after its context ended")
}

func TestLoadFitsTheArea(t *testing.T) {
	for cols := range 300 { // frames side by side, and the gaps between them
		each, gap := Spread(cols, 4)
		expect.That(t, 4*each+3*gap == cols && gap > 0 && gap <= 4, cols, each, gap)
	}
	t.Parallel()
	profiles := []colorprofile.Profile{colorprofile.TrueColor, colorprofile.ASCII, colorprofile.ANSI, colorprofile.ANSI256}
	if testing.Short() {
		profiles = profiles[:2] // those of few colours are as long as others
	}
	for _, size := range []image.Point{{1, 1}, {320, 180}, {90, 160}, {1, 5000}, {5000, 1}} {
		path := save(t, "a.png", pngOf(t, gradient(size.X, size.Y)))
		for _, area := range []image.Point{{1, 1}, {80, 22}, {7, 40}, {400, 3}} {
			for _, profile := range profiles {
				p := must(NewLoader(false).Load(t.Context(), path, area.X, area.Y, Terminal{Mode: ModeKitty, Profile: profile}))(t)
				expect.That(t, p.Cols <= area.X && len(p.Lines) <= area.Y, size, "in", area, "takes", p.Cols, len(p.Lines))
				expect.That(t, len(p.Graphic.Lines) == len(p.Lines), size, "in", area, "has other lines than rows")
				for _, l := range append(p.Lines, p.Graphic.Lines...) {
					expect.Equal(t, ansi.StringWidth(l), p.Cols, size, "in", area, profile, "cells of a line")
				}
			}
		}
	}
	c, r := fit(1600, 900, 80, 40, DefaultCell)
	expect.Equal(t, image.Pt(c, r), image.Pt(80, 23), "the cells of 16:9 in 80×40")
}

// Whoever erases an image takes no other away.
func TestImagesHaveIDsOfTheirOwn(t *testing.T) {
	t.Parallel()
	path := save(t, "a.png", pngOf(t, gradient(32, 16)))
	l := NewLoader(false)
	first := must(l.Load(t.Context(), path, 10, 5, pixels))(t)
	again := must(l.Load(t.Context(), path, 10, 5, pixels))(t)
	expect.That(t, again.Graphic.ID != first.Graphic.ID, "two pictures share an id")
	ids := map[int]bool{}
	for range 240 * idsHigh {
		id := l.nextID()
		low := id & 0xffffff
		expect.Must(t, low >= 16 && low <= 255 && id>>24 < idsHigh && !ids[id], "id", id)
		ids[id] = true
	}
}

func TestBlocksGolden(t *testing.T) {
	t.Parallel()
	img := gradient(24, 8)
	for i := range 2 * 2 * len(quarters) { // a cell of each division
		if n, q := i/4, i%4; quarters[n]>>q&1 == 1 {
			img.SetRGBA(2*n+q%2, q/2, color.RGBA{255, 255, 255, 255})
		}
	}
	for _, profile := range []colorprofile.Profile{colorprofile.ASCII, colorprofile.ANSI, colorprofile.ANSI256, colorprofile.TrueColor} {
		t.Run(profile.String(), func(t *testing.T) {
			t.Parallel()
			golden.RequireEqual(t, []byte(strings.Join(Blocks(img, profile), "\n")))
		})
	}
}

// The mean of points that are equally light may be lighter than each. What is nearly even is not torn apart.
func TestShadesOfEvenPictures(t *testing.T) {
	t.Parallel()
	for want, c := range map[string][2]color.RGBA{
		"▒": {{101, 100, 101, 255}, {100, 101, 101, 255}}, "░": {{1, 1, 0, 255}, {0, 1, 1, 255}}, "█": {{255, 255, 255, 255}, {253, 253, 253, 255}},
	} {
		img := image.NewRGBA(image.Rect(0, 0, 8, 4))
		for i := range 8 * 4 {
			img.SetRGBA(i%8, i/8, c[(i%8+i/8)%2])
		}
		expect.Equal(t, strings.Join(Blocks(img, colorprofile.ASCII), ""), strings.Repeat(want, 8), "even pictures")
	}
}

func TestReducedColours(t *testing.T) {
	t.Parallel()
	for c, want := range map[int][2]int{0x000000: {16, 0}, 0xffffff: {231, 15}, 0xff0000: {196, 9}, 0x808080: {244, 8}, 0x5f87af: {67, 8}, 0x080808: {232, 0}} {
		expect.Equal(t, [2]int{to256(c), to16(c)}, want, "colour", c)
	}
}

func TestDetector(t *testing.T) {
	t.Parallel()
	env := func(vars map[string]string) func(string) string {
		return func(name string) string { return vars[name] }
	}
	graphics := func(id int, payload string) (m uv.KittyGraphicsEvent) {
		m.Options.ID, m.Payload = id, []byte(payload)
		return m
	}
	version := func(name string) tea.Msg { return tea.TerminalVersionMsg{Name: name} }
	type attributes = uv.PrimaryDeviceAttributesEvent
	ok, cell := graphics(queryID, "OK"), uv.CellSizeEvent{Width: 8, Height: 17}
	plain := env(map[string]string{"TERM": "xterm-256color"})
	tmux := env(map[string]string{"TMUX": "/tmp/x", "KITTY_WINDOW_ID": "1"})
	for name, c := range map[string]struct {
		d    Detector
		want Mode
	}{
		"nothing said":         {NewDetector("auto", plain), ModeBlocks},
		"kitty":                {NewDetector("auto", plain).Heard(ok).Heard(version("kitty(0.48.2)")).Heard(attributes{62, 22}), ModeKitty},
		"old kitty says OK":    {NewDetector("auto", plain).Heard(ok).Heard(version("kitty(0.26.5)")).Heard(attributes{62, 22}), ModeBlocks},
		"ghostty":              {NewDetector("auto", plain).Heard(version("ghostty 1.2")).Heard(ok).Heard(attributes{62, 22}), ModeKitty},
		"another that says OK": {NewDetector("auto", plain).Heard(version("WezTerm 2024")).Heard(ok).Heard(attributes{62, 22}), ModeBlocks},
		"kitty says no":        {NewDetector("auto", plain).Heard(graphics(31, "ENOENT")).Heard(version("kitty(0.48.2)")).Heard(attributes{62, 22}), ModeBlocks},
		"another's answer":     {NewDetector("auto", plain).Heard(graphics(7, "OK")).Heard(version("kitty(0.48.2)")).Heard(attributes{62, 22}), ModeBlocks},
		"late":                 {NewDetector("auto", plain).Heard(version("kitty(0.48.2)")).Heard(attributes{62, 22}).Heard(ok), ModeKitty},
		"version last":         {NewDetector("auto", plain).Heard(ok).Heard(attributes{62, 22}).Heard(version("kitty(0.48.2)")), ModeKitty},
		"tmux out of order":    {NewDetector("auto", tmux).Heard(version("tmux 3.5a")).Heard(attributes{62, 22}).Heard(ok), ModeKitty},
		"tmux late":            {NewDetector("auto", tmux).Heard(attributes{62, 22}).Heard(ok), ModeKitty},
		"sixel":                {NewDetector("auto", plain).Heard(cell).Heard(attributes{64, 4, 22}), ModeSixel},
		"sixel, cell unknown":  {NewDetector("auto", plain).Heard(attributes{64, 4, 22}), ModeBlocks},
		"no sixel":             {NewDetector("auto", plain).Heard(cell).Heard(attributes{64, 22}), ModeBlocks},
		"tmux's own sixel":     {NewDetector("auto", tmux).Heard(cell).Heard(attributes{64, 4}), ModeBlocks},
		"sixel by hand":        {NewDetector("sixel", plain).Heard(cell), ModeSixel},
		"absurd cells":         {NewDetector("sixel", plain).Heard(uv.CellSizeEvent{Width: 100000, Height: 1}), ModeBlocks},
		"set by hand":          {NewDetector("kitty", plain), ModeKitty},
		"blocks by hand":       {NewDetector("blocks", plain).Heard(ok).Heard(version("kitty(0.48.2)")), ModeBlocks},
		"off":                  {NewDetector("off", plain), ModeOff},
	} {
		expect.Equal(t, c.d.Mode(), c.want, name)
	}
	// tmux drops a question while no terminal is attached: it is asked a few times
	// more, until there is an answer.
	for name, c := range map[string]struct {
		d    Detector
		want int
	}{
		"no answer":    {NewDetector("auto", tmux), maxAgain},
		"answered":     {NewDetector("auto", tmux).Heard(ok), 0},
		"set by hand":  {NewDetector("blocks", tmux), 0},
		"not in kitty": {NewDetector("auto", env(map[string]string{"TMUX": "/tmp/x"})), 0},
		"without tmux": {NewDetector("auto", env(nil)).Heard(version("kitty(0.41.1)")), 0},
	} {
		asked, query := 0, ""
		for range 10 {
			if c.d, query = c.d.Again(); strings.HasPrefix(query, "\x1bPtmux;") {
				asked++
			}
		}
		expect.Equal(t, asked, c.want, name, "how often it asked")
	}
	q := NewDetector("auto", plain).Query()
	expect.That(t, strings.HasSuffix(q, "\x1b[c") && strings.HasPrefix(q, "\x1b_G"), "asks", q)
	expect.Equal(t, NewDetector("blocks", plain).Query(), "", "the question though nothing depends on it")
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
		expect.That(t, err != nil || !img.Bounds().Empty(), "an empty picture was taken")
	})
}

func must[T any](v T, err error) func(testing.TB) T { return simtest.Must(v, err) }

var noError = simtest.NoError

func TestSmallPicturesAreKeptOnDisk(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "thumbnails")
	path := save(t, "a.png", pngOf(t, gradient(640, 360)))
	info := must(os.Stat(path))(t)
	load := func(cols, rows int) (Picture, error) {
		l := NewLoader(false) // of another window
		l.CacheIn(folder)
		return l.Load(t.Context(), path, cols, rows, pixels)
	}
	first := must(load(24, 8))(t)
	// The same file, by its size and time, is not read again: its content may
	// even be gone.
	noError(t, errors.Join(os.WriteFile(path, make([]byte, info.Size()), 0o600), os.Chtimes(path, info.ModTime(), info.ModTime())))
	again := must(load(24, 8))(t)
	expect.Equal(t, image.Pt(again.Width, again.Height), image.Pt(640, 360), "the size from the cache")
	expect.That(t, len(again.Lines) == len(first.Lines) && again.Graphic != nil, "from the cache", again)
	expect.Fails(t, expect.Err(load(23, 8)), "", "another box was answered by the same file")
	expect.Fails(t, expect.Err(load(100, 40)), "", "a large box was answered from the cache")
	entries := must(os.ReadDir(folder))(t)
	expect.Must(t, len(entries) == 1, entries)
	expect.Equal(t, must(entries[0].Info())(t).Mode().Perm(), 0o600, "the mode of a file")
	expect.Equal(t, must(os.Stat(folder))(t).Mode().Perm(), 0o700, "the mode of the folder")
	// A damaged file is removed, and what it held is made again.
	name := simtest.File(t, filepath.Join(folder, entries[0].Name()), "no picture at all")
	expect.Fails(t, expect.Err(load(24, 8)), "", "a damaged file gave a picture")
	expect.That(t, os.IsNotExist(expect.Err(os.Stat(name))), "the damaged file is still there")
	later := time.Now().Add(time.Second)
	noError(t, os.Chtimes(path, later, later))
	noError(t, os.WriteFile(path, pngOf(t, gradient(64, 64)), 0o600))
	expect.Equal(t, must(load(24, 8))(t).Width, 64, "a changed file")
}

func TestTheCacheIsBounded(t *testing.T) {
	t.Parallel()
	c := &cache{folder: t.TempDir(), limit: 100_000, size: -1}
	img := gradient(240, 161)
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
	expect.That(t, size <= c.limit && size >= c.limit/2 && len(entries) <= 50, len(entries), "files of", size, "bytes are kept")
	expect.Is(t, expect.Err(os.Stat(photo)), nil)
	_, ok := c.read(t.Context(), q)
	expect.That(t, ok, "the newest was removed")
	q.bytes = 0
	_, ok = c.read(t.Context(), q)
	expect.That(t, !ok, "the oldest is still there")
}

// In blocks, a picture from the cache is drawn as the file itself; for cells of another shape too.
// In pixels, the cache does not answer for one that is smaller than its box.
func TestBlocksComeFromTheCache(t *testing.T) {
	t.Parallel()
	small, kept := save(t, "small.png", pngOf(t, gradient(100, 90))), t.TempDir()
	for _, mode := range []Mode{ModeBlocks, ModeKitty, ModeBlocks} {
		l := NewLoader(false)
		l.CacheIn(kept)
		p := must(l.Load(t.Context(), small, 24, 8, Terminal{Mode: mode, Profile: colorprofile.TrueColor}))(t)
		names, _ := os.ReadDir(kept)
		expect.That(t, len(names) == 1 && (mode != ModeKitty || must(png.DecodeConfig(bytes.NewReader(sent(t, p.Graphic))))(t).Width == 100), mode, len(names), "files are kept")
	}
	path, folder := save(t, "a.png", pngOf(t, gradient(640, 360))), t.TempDir()
	for _, cell := range []Cell{DefaultCell, {8, 17}, {10, 10}} {
		on := Terminal{Mode: ModeBlocks, Profile: colorprofile.TrueColor, Cell: cell}
		want := must(NewLoader(false).Load(t.Context(), path, 24, 8, on))(t)
		l := NewLoader(false)
		l.CacheIn(folder)
		for range 2 {
			got := must(l.Load(t.Context(), path, 24, 8, on))(t)
			expect.Equal(t, image.Pt(got.Width, got.Height), image.Pt(640, 360), "the size, in cells of", cell)
			expect.Equal(t, image.Pt(got.Cols, len(got.Lines)), image.Pt(want.Cols, len(want.Lines)), "cells of", cell)
			off := max(absolute(got.Mean.R, want.Mean.R), absolute(got.Mean.G, want.Mean.G))
			expect.That(t, off <= 2, "cells of", cell, "the mean is off by", off)
		}
	}
}

func absolute(a, b uint8) uint8 { return max(a, b) - min(a, b) }

// What stands in the cache folder is not trusted either.
func TestALargePictureInTheCacheIsNotDecoded(t *testing.T) {
	t.Parallel()
	c := &cache{folder: t.TempDir(), limit: maxCached, size: -1}
	q := question{cols: 24, rows: 8}
	expect.Equal(t, c.write(question{cols: 30, rows: 10}, image.NewRGBA(image.Rect(0, 0, 300, 200))).width, 300, "the width")
	noError(t, os.Rename(c.name(question{cols: 30, rows: 10}), c.name(q)))
	_, ok := c.read(t.Context(), q)
	expect.That(t, !ok, "a picture larger than its box was read")
	noError(t, os.WriteFile(c.name(q), pngOf(t, gradient(3, 3)), 0o600))
	_, ok = c.read(t.Context(), q)
	expect.That(t, !ok, "a file of another format was read")
}

// sent is the PNG that the terminal is handed.
func sent(t *testing.T, g *Graphic) []byte {
	t.Helper()
	var text string
	for _, part := range strings.Split(g.Transmit, "\x1b\\") {
		_, payload, _ := strings.Cut(part, ";")
		text += payload
	}
	return must(base64.StdEncoding.DecodeString(text))(t)
}

// What is transparent shows the terminal's background, also when it comes from
// the cache, and in pixels it stays transparent.
func TestTransparentPicturesShowTheBackground(t *testing.T) {
	t.Parallel()
	path := save(t, "a.png", pngOf(t, image.NewNRGBA(image.Rect(0, 0, 400, 400))))
	l := NewLoader(false)
	l.CacheIn(t.TempDir())
	for range 2 {
		for _, mode := range []Mode{ModeBlocks, ModeSixel, ModeKitty} {
			terminal := Terminal{Mode: mode, Profile: colorprofile.TrueColor, Back: color.RGBA{250, 250, 240, 255}}
			p := must(l.Load(t.Context(), path, 20, 10, terminal))(t)
			lines := strings.Join(p.Lines, "")
			expect.That(t, strings.Contains(lines, "48;2;250;250;240m") && !strings.Contains(lines, "8;2;0;0;0m"), mode, lines)
			if mode != ModeKitty {
				continue
			}
			got := must(png.Decode(bytes.NewReader(sent(t, p.Graphic))))(t)
			expect.Equal(t, color.AlphaModel.Convert(got.At(5, 5)), color.Color(color.Alpha{}), "in pixels")
		}
	}
}

// A terminal fits an image into its cells and keeps the ratio of the pixels
// that it was sent, also where its cells are not twice as high as wide.
func TestPixelsKeepTheRatioOfThePicture(t *testing.T) {
	t.Parallel()
	for _, cached := range []bool{false, true} {
		l := NewLoader(false)
		if cached {
			l.CacheIn(t.TempDir())
		}
		for _, size := range []image.Point{{300, 300}, {320, 180}, {240, 320}, {600, 40}, {40, 600}, {40, 30}} {
			path := save(t, "a.png", pngOf(t, gradient(size.X, size.Y)))
			for range 2 { // the second one may come from the cache
				p := must(l.Load(t.Context(), path, 13, 6, Terminal{Mode: ModeKitty, Profile: colorprofile.TrueColor, Cell: Cell{8, 17}}))(t)
				got := must(png.DecodeConfig(bytes.NewReader(sent(t, p.Graphic))))(t)
				// What is one pixel off in the one is that of the other.
				off := float64(got.Width)*float64(size.Y)/float64(size.X) - float64(got.Height)
				expect.That(t, math.Abs(off) <= math.Max(1, float64(size.Y)/float64(size.X)), size, "is sent as", got.Width, "×", got.Height)
			}
		}
	}
}

// progressive is a JPEG of three components with so many scans, each of as few
// bytes as go over the whole picture.
func progressive(w, h, scans int) []byte {
	b := []byte{0xff, 0xd8}
	segment := func(marker byte, data ...byte) {
		b = append(b, 0xff, marker)
		b = binary.BigEndian.AppendUint16(b, uint16(len(data)+2))
		b = append(b, data...)
	}
	segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...)
	segment(0xc2, 8, byte(h>>8), byte(h), byte(w>>8), byte(w), 3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0)
	segment(0xc4, append([]byte{0x10, 1}, append(make([]byte, 15), 0xe0)...)...) // one code of 15 bits: 16,384 blocks without coefficients
	for range scans {
		segment(0xda, 1, 1, 0x00, 1, 63, 0)
		b = append(b, make([]byte, 3+w*h/64*15/8/16384)...)
	}
	return append(b, 0xff, 0xd9)
}

// Not parallel: it watches what the whole process allocates.
func TestDecodingIsBounded(t *testing.T) {
	expect.That(t, costly(image.Config{ColorModel: color.NRGBA64Model, Width: 6000, Height: 6000}), "288 MB of a deep PNG")
	long := save(t, "a long file.png", pngOf(t, gradient(4, 4)))
	noError(t, os.Truncate(long, maxFile+1))
	for path, want := range map[string]error{
		save(t, "bomb.png", pngBomb()): errSize,
		save(t, "a long side.png", pngOf(t, image.NewGray(image.Rect(0, 0, maxSide+1, 1)))): errSize,
		long: errSize,
		save(t, "49 megapixels.jpg", progressive(7000, 7000, 1)): errSize,
		save(t, "20 scans.jpg", progressive(640, 480, 20)):       nil,
	} {
		var err error
		grown := simtest.Allocated(func() { _, err = NewLoader(false).Load(t.Context(), path, 80, 20, blocks) })
		expect.That(t, errors.Is(err, want) && grown <= 32<<20, filepath.Base(path), err, "want", want, grown>>20, "MiB were taken")
	}
}

// endsContext ends a context when something is read behind a place, and counts the
// bytes that are read after that.
type endsContext struct {
	*bytes.Reader
	at    int
	end   context.CancelFunc
	after int
}

func (e *endsContext) Read(b []byte) (int, error) {
	n, err := e.Reader.Read(b)
	if e.at -= n; e.at <= 0 {
		e.after += n
		e.end()
	}
	return n, err
}

// What a JPEG of many scans costs is bounded by time, so its decoding ends wherever
// it is, with what one read gave: 4,096 bytes go over 40 megapixels in 0.1 s.
func TestDecodingEndsAmongTheScans(t *testing.T) {
	t.Parallel()
	file := progressive(2000, 2000, 1000)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r := &endsContext{bytes.NewReader(file), len(file) / 4, stop, 0}
	expect.Is(t, expect.Err(decode(ctx, r, int64(len(file)))), context.Canceled)
	expect.That(t, r.after <= 4096, "ended after", r.after, "more bytes of", len(file))
}

// mutated changes a few places of a file: bytes, lengths, cuts, repetitions.
func mutated(random *rand.Rand, content []byte) []byte {
	b := bytes.Clone(content)
	for range 1 + random.IntN(2) {
		if len(b) < 4 {
			break
		}
		at := random.IntN(len(b))
		if random.IntN(4) == 0 {
			at = random.IntN(min(len(b), 64)) // headers are there
		}
		switch random.IntN(6) {
		case 0:
			b[at] ^= 1 << random.IntN(8)
		case 1:
			b[at] = byte(random.Uint32())
		case 2:
			copy(b[at:], []byte{0xff, 0xff, 0xff, 0xff})
		case 3:
			b = b[:at]
		case 4:
			n := min(random.IntN(64), len(b)-at)
			b = append(b[:at:at], append(bytes.Repeat(b[at:at+n], 1+random.IntN(4)), b[at+n:]...)...)
		case 5:
			copy(b[at:], []byte{0, 0, 0, byte(random.IntN(32))})
		}
	}
	return b
}

func TestMutatedImages(t *testing.T) {
	t.Parallel()
	var j, g bytes.Buffer
	noError(t, errors.Join(jpeg.Encode(&j, landscape(160, 90), nil), gif.Encode(&g, landscape(160, 90), nil)))
	seeds := [][]byte{
		j.Bytes(), g.Bytes(), pngOf(t, landscape(160, 90)), pngOf(t, ring(64, 64)), progressive(320, 240, 10),
		[]byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"),
	}
	random := rand.New(rand.NewPCG(7, 11))
	path, shown := filepath.Join(t.TempDir(), "mutant"), 0
	all := 500
	if testing.Short() {
		all = 100
	}
	for i := range all {
		noError(t, os.WriteFile(path, mutated(random, seeds[i%len(seeds)]), 0o600))
		ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
		began := time.Now()
		p, err := NewLoader(false).Load(ctx, path, 40, 12, blocks)
		stop()
		if err == nil {
			shown++
		}
		took := time.Since(began)
		expect.That(t, took <= 15*time.Second, "mutant", i, "took", took)
		expect.That(t, err == nil || err.Error() != "" && !errors.Is(err, context.DeadlineExceeded), "mutant", i, "no reason is given", err)
		expect.That(t, err != nil || len(p.Lines) >= 1 && len(p.Lines) <= 12 && p.Cols <= 40,
			"mutant", i, len(p.Lines), "lines for", p.Cols, "cells")
	}
	t.Logf("%d of %d are shown, the others refused with a reason", shown, all)
	expect.That(t, all-shown >= all/5 && shown >= all/10, shown, "of", all, "shown: the mutations are too weak or too strong")
}

// landscape looks like a photograph: smooth areas, edges and grain.
func landscape(w, h int) *image.RGBA {
	img, grain := image.NewRGBA(image.Rect(0, 0, w, h)), rand.New(rand.NewPCG(1, 2))
	for y := range h {
		for x := range w {
			u, v := float64(x)/float64(w), float64(y)/float64(h)
			hill := 0.55 + 0.1*math.Sin(9*u) + 0.04*math.Sin(31*u+1)
			c := [3]float64{90 + 110*v, 130 + 70*v, 220 - 60*v} // sky
			if d := math.Hypot(u-0.7, (v-0.25)*float64(h)/float64(w)); d < 0.06 {
				c = [3]float64{255, 240, 180}
			}
			if v > hill {
				n := 30 * math.Sin(80*u*v) * math.Sin(57*u-20*v)
				c = [3]float64{60 + n, 110 + n - 60*(v-hill), 50 + n/2}
			}
			g := grain.Float64()*16 - 8
			at := img.PixOffset(x, y)
			for i := range c {
				img.Pix[at+i] = uint8(min(max(c[i]+g, 0), 255))
			}
			img.Pix[at+3] = 255
		}
	}
	return img
}

// ring is a soft-edged ring on nothing.
func ring(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			d := math.Abs(math.Hypot(float64(x-w/2), float64(y-h/2)) - float64(w)/3)
			a := min(max(60-d, 0)/40, 1)
			img.SetNRGBA(x, y, color.NRGBA{uint8(255 * x / w), 200, uint8(255 * y / h), uint8(255 * a)})
		}
	}
	return img
}

// reference is the ideal: each pixel the mean of what it covers, in floating
// point, of the picture on black. It gives the luminance.
func reference(img image.Image, w, h int) []float64 {
	b := img.Bounds()
	src := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(src, src.Bounds(), image.Black, image.Point{}, draw.Src)
	draw.Draw(src, src.Bounds(), img, b.Min, draw.Over)
	// Sums over all pixels left of and above a point make every mean cheap.
	sums := make([][]float64, b.Dy()+1)
	sums[0] = make([]float64, b.Dx()+1)
	for y := range b.Dy() {
		sums[y+1] = make([]float64, b.Dx()+1)
		for x := range b.Dx() {
			p := src.Pix[src.PixOffset(x, y):]
			sums[y+1][x+1] = luminance(int(p[0]), int(p[1]), int(p[2])) + sums[y][x+1] + sums[y+1][x] - sums[y][x]
		}
	}
	at := func(x, y float64) float64 { // between the points, in both directions
		x0, y0 := min(int(x), b.Dx()-1), min(int(y), b.Dy()-1)
		fx, fy := x-float64(x0), y-float64(y0)
		return (sums[y0][x0]*(1-fx)+sums[y0][x0+1]*fx)*(1-fy) + (sums[y0+1][x0]*(1-fx)+sums[y0+1][x0+1]*fx)*fy
	}
	sx, sy := float64(b.Dx())/float64(w), float64(b.Dy())/float64(h)
	out := make([]float64, 0, w*h)
	for y := range h {
		for x := range w {
			l, r, u, d := float64(x)*sx, float64(x+1)*sx, float64(y)*sy, float64(y+1)*sy
			out = append(out, (at(r, d)-at(l, d)-at(r, u)+at(l, u))/(sx*sy))
		}
	}
	return out
}

func luminance(r, g, b int) float64 {
	return 0.299*float64(r) + 0.587*float64(g) + 0.114*float64(b)
}

// What gets smaller is the mean of the pixels that it covers, however the image
// stores them.
func TestAPixelIsTheMeanOfWhatItCovers(t *testing.T) {
	t.Parallel()
	var photo bytes.Buffer
	noError(t, jpeg.Encode(&photo, landscape(1600, 900), &jpeg.Options{Quality: 90}))
	decoded := must(jpeg.Decode(&photo))(t)
	for name, img := range map[string]image.Image{
		"photo": decoded, "transparent": ring(600, 600), "wide": landscape(3000, 200), "tall": landscape(200, 3000),
	} {
		for _, area := range []image.Point{{80, 22}, {24, 8}} {
			c, r := fit(img.Bounds().Dx(), img.Bounds().Dy(), area.X, area.Y, DefaultCell)
			small, want := scale(img, c, 2*r, color.Black), reference(img, c, 2*r)
			for i, w := range want {
				p := small.Pix[4*i:]
				expect.Must(t, math.Abs(luminance(int(p[0]), int(p[1]), int(p[2]))-w) <= 1.5, name, "at", c, "×", r, i, "is", p[:3], "its mean", w)
			}
		}
	}
}

// A picture comes after the frame of a key, and one that is to be decoded after
// the last of several keys, but not later than patience.
func TestPicturesComeAfterKeys(t *testing.T) {
	path, cached := save(t, "a.png", pngOf(t, gradient(640, 360))), t.TempDir()
	for _, c := range []struct {
		name   string
		folder string
		keys   int           // before the picture is asked for
		every  time.Duration // and then one so often
		want   time.Duration
	}{
		{"a key, decoded", cached, 1, 0, frameTime},
		{"keys, cached", cached, 2, 0, frameTime},
		{"keys, decoded", t.TempDir(), 2, 0, heldTime},
		{"keys without an end, decoded", t.TempDir(), 2, 30 * time.Millisecond, patience},
		{"keys without an end, cached", cached, 2, frameTime / 2, patience},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := NewLoader(false)
			l.CacheIn(c.folder)
			for range c.keys {
				time.Sleep(30 * time.Millisecond)
				l.Pressed()
			}
			ctx, stop := context.WithCancel(t.Context())
			var held sync.WaitGroup
			defer held.Wait()
			defer stop()
			held.Go(func() {
				for c.every > 0 && ctx.Err() == nil {
					time.Sleep(c.every)
					l.Pressed()
				}
			})
			began := time.Now()
			must(l.Load(ctx, path, 24, 8, blocks))(t)
			expect.Equal(t, time.Since(began), c.want, c.name, "after")
		})
	}
}

// clip is one of the simulator's short clips.
func clip(t testing.TB) string {
	t.Helper()
	all := must(filepath.Glob("../../api/sim/paint/*/*-5-*.mp4"))(t)
	expect.Must(t, len(all) > 0, "the simulator has no clips")
	slices.Sort(all)
	return all[0]
}

// withFFmpeg skips a test loudly where ffmpeg is not installed.
func withFFmpeg(t testing.TB) string {
	t.Helper()
	program, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Skip("ffmpeg is not installed: what is drawn of videos is NOT tested")
	}
	return program
}

func TestWithoutFFmpegItIsSaid(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	expect.Is(t, expect.Err(NewLoader(false).Load(t.Context(), clip(t), 40, 12, blocks)), ErrNoPoster)
	expect.Is(t, expect.Err(NewLoader(false).Play(t.Context(), clip(t), 40, 12, Cell{}, 0)), ErrNoPoster, "it plays without ffmpeg")
	_, _, err := NewLoader(false).Frame(t.Context(), clip(t), 0)
	expect.Is(t, err, ErrNoProgram, "it has frames without ffmpeg")
}

// fakeFFmpeg puts a program in the place of ffmpeg, and one that knows every video
// in that of ffprobe.
func fakeFFmpeg(t *testing.T, script string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a shell script stands for ffmpeg")
	}
	dir := t.TempDir()
	probe := `echo '{"streams": [{"width": 360, "height": 640}], "format": {"duration": "10.0"}}'`
	for name, script := range map[string]string{"ffmpeg": script, "ffprobe": probe} {
		noError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o700))
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func TestFFmpegIsHeldInBounds(t *testing.T) {
	said := filepath.Join(t.TempDir(), "said")
	t.Setenv("DARKROOM_API_KEY", "ak_secret")
	picture := save(t, "a.png", pngOf(t, gradient(64, 36)))
	fakeFFmpeg(t, `{ printf '%s\n' "$@"; env; ulimit -v; } > '`+said+`'; cat '`+picture+`'`)
	l := NewLoader(false, "PATH="+os.Getenv("PATH"), "HOME=/handed/over")
	expect.Equal(t, must(l.Load(t.Context(), clip(t), 40, 12, blocks))(t).Width, 64, "the width")
	text := string(must(os.ReadFile(said))(t))
	for _, want := range []string{"-nostdin\n", "-protocol_whitelist\nfile\n", "-f\nmov\n-enable_drefs\n0\n-i\nfile:" + clip(t) + "\n", "-max_alloc\n",
		"-max_pixels\n40000000\n", "HOME=/handed/over\n"} {
		expect.Contains(t, text, want)
	}
	expect.Lacks(t, text, "ak_secret", "its environment")
	expect.Lacks(t, text, "DARKROOM_", "its environment")
	expect.That(t, runtime.GOOS != "linux" || strings.Contains(text, "\n2097152\n"), "its memory is not bounded", text)
}

// A program that says that all went well, and wrote nothing or one of two clips, has joined nothing.
func TestAFileThatIsNotWholeIsNoJoin(t *testing.T) {
	fakeFFmpeg(t, "exit 0")
	l := NewLoader(false, "PATH="+os.Getenv("PATH"))
	for _, to := range []string{save(t, "to.mp4", nil), filepath.Join(t.TempDir(), "none.mp4"), save(t, "one.mp4", must(os.ReadFile(clip(t)))(t))} {
		expect.Fails(t, expect.Err(l.Join(t.Context(), []string{clip(t), clip(t)}, to, func() {})), "could not join", to)
	}
}

// A program that hangs, floods or fails is ended, with a reason. A buffer that doubles takes
// up to four times what it may hold, and under the race detector each of its steps twice.
func TestFFmpegThatMisbehaves(t *testing.T) {
	for script, c := range map[string]struct {
		limit time.Duration
		want  error
	}{
		"exec sleep 600": {300 * time.Millisecond, context.DeadlineExceeded}, "exec yes": {time.Hour, ErrVideo}, "exit 1": {time.Hour, ErrVideo},
	} {
		fakeFFmpeg(t, script)
		ctx, stop := context.WithTimeout(t.Context(), c.limit)
		began := time.Now()
		var err error
		grown := simtest.Allocated(func() { _, err = NewLoader(false).Load(ctx, clip(t), 40, 12, blocks) })
		stop()
		expect.Is(t, err, c.want, script)
		expect.That(t, time.Since(began) <= c.limit+time.Minute, script, "took", time.Since(began))
		expect.That(t, grown <= 8*maxOutput, script, "took", grown>>20, "MiB")
	}
}

func TestPlayingStopsWithItsContext(t *testing.T) {
	fakeFFmpeg(t, `exec yes`)
	ctx, stop := context.WithCancel(t.Context())
	f := must(NewLoader(false).Play(ctx, clip(t), 40, 12, Cell{}, 0))(t)
	for range 5 {
		img := must(f.Next())(t)
		expect.Must(t, img.Rect.Dx() <= 40 && img.Rect.Dy() <= 24, img.Rect)
	}
	stop()
	for f.cmd.Process.Signal(syscall.Signal(0)) == nil { // until it was reaped
		time.Sleep(time.Millisecond)
	}
	expect.Is(t, expect.Err(f.Next()), io.EOF, "after its end")
}

func TestFramesOfAVideo(t *testing.T) {
	withFFmpeg(t)
	l := NewLoader(false)
	poster := must(l.Load(t.Context(), clip(t), 40, 12, blocks))(t)
	contact := must(l.Load(t.Context(), clip(t), 40, 12, Terminal{Mode: ModeBlocks, Profile: colorprofile.TrueColor, Stills: image.Pt(3, 3)}))(t)
	video := must(l.probe(t.Context(), clip(t), "mov"))(t)
	expect.That(t, video.seconds >= 1 && video.seconds <= 10 && video.width >= 100 && video.height >= 100, video)
	expect.Is(t, expect.Err(l.probe(t.Context(), save(t, "a.txt", []byte("not a video at all")), "mov")), ErrVideo, "of a text")
	expect.Equal(t, image.Pt(poster.Width, poster.Height), image.Pt(video.width, video.height), "the size of the poster")
	expect.Equal(t, contact.Width, 3*min(video.width, 640)+32, "the width of the contact sheet")
	expect.That(t, !slices.Equal(contact.Lines, poster.Lines), "the contact sheet is the poster")
	strip := must(l.Load(t.Context(), clip(t), 54, 12, Terminal{Mode: ModeBlocks, Profile: colorprofile.TrueColor, Stills: image.Pt(4, 1)}))(t)
	expect.Equal(t, strip.Width, 4*640+3*(640*2/12), "the width of four frames of 12 cells, 2 between them")
	f := must(l.Play(t.Context(), clip(t), 40, 12, Cell{}, 0))(t)
	n, last := 0, []byte(nil)
	changes := 0
	for {
		img, err := f.Next()
		if err != nil {
			break
		}
		if !bytes.Equal(img.Pix, last) {
			changes++
		}
		n, last = n+1, img.Pix
	}
	want := int(video.seconds * playRate)
	expect.That(t, n >= want-2 && n <= want+2 && changes >= n/2, n, "frames", changes, "of them new, of a video of", video.seconds, "s")
	end := must(l.Play(t.Context(), clip(t), 40, 12, Cell{}, -1))(t)
	at, each := end.Start()
	expect.That(t, at >= n && each <= FrameTime, "the last frame is number", at, "each takes", each)
	expect.That(t, bytes.Equal(must(end.Next())(t).Pix, last), "the last frame is another")
	expect.Fails(t, expect.Err(end.Next()), "", "another one follows the last frame")
}

func TestSixelsShowThePicture(t *testing.T) {
	t.Parallel()
	for _, size := range []image.Point{{1, 1}, {5, 6}, {40, 17}, {160, 91}} {
		img := scale(landscape(320, 180), size.X, size.Y, color.Black)
		data := newSixel(img, color.RGBA{}, 1, 1).Data()
		body, ok := strings.CutPrefix(data, "\x1bP0;1q")
		expect.Must(t, ok && strings.HasSuffix(body, "\x1b\\"), "not a sixel sequence", data)
		w, h := size.X, size.Y
		shown := sixelPixels(t, strings.TrimSuffix(body, "\x1b\\"), w, h)
		want := reference(img, w, h)
		for y := 0; y+8 <= h; y += 4 { // dithered pixels have the mean of the picture's
			for x := 0; x+8 <= w; x += 4 {
				off := 0.0
				for i := range 64 {
					at := (y+i/8)*w + x + i%8
					off += shown[at] - want[at]
				}
				expect.That(t, math.Abs(off/64) <= 12, size, "at", x, y, "it is", off/64, "off")
			}
		}
	}
}

// sixelPixels draws a sequence as a terminal does and gives the luminance of
// its pixels, each of which must be drawn once.
func sixelPixels(t *testing.T, body string, w, h int) []float64 {
	t.Helper()
	out := make([]float64, w*h)
	for i := range out {
		out[i] = -1
	}
	body, ok := strings.CutPrefix(body, fmt.Sprintf("\"1;1;%d;%d", w, h))
	expect.Must(t, ok, "no raster of", w, "×", h, body)
	colours := map[int]float64{}
	x, y, colour, repeat := 0, 0, 0.0, 1
	number := func() (n int) {
		for body != "" && body[0] >= '0' && body[0] <= '9' {
			n, body = 10*n+int(body[0]-'0'), body[1:]
		}
		return n
	}
	for body != "" {
		c := body[0]
		body = body[1:]
		switch {
		case c == '#':
			n := number()
			if strings.HasPrefix(body, ";2;") {
				var rgb [3]int
				body = body[2:]
				for i := range rgb {
					body = body[1:]
					rgb[i] = number() * 255 / 100
				}
				colours[n] = luminance(rgb[0], rgb[1], rgb[2])
			}
			colour = colours[n]
		case c == '!':
			repeat = number()
		case c == '$':
			x = 0
		case c == '-':
			x, y = 0, y+6
		default:
			for ; repeat > 0; repeat-- {
				for bit := range 6 {
					if (c-'?')>>bit&1 == 0 {
						continue
					}
					expect.Must(t, x < w && y+bit < h && out[(y+bit)*w+x] < 0, "a pixel at", x, y+bit, "of", w, h)
					out[(y+bit)*w+x] = colour
				}
				x++
			}
			repeat = 1
		}
	}
	expect.Must(t, !slices.Contains(out, -1), "nothing is drawn at pixel", slices.Index(out, -1))
	return out
}

// sixelFrame loads a picture in sixel mode and puts it into a frame.
func sixelFrame(t *testing.T, left, right string) (*Loader, Picture, string) {
	t.Helper()
	l := NewLoader(false)
	p, err := l.Load(t.Context(), save(t, "a.png", pngOf(t, landscape(64, 34))), 8, 4, Terminal{Mode: ModeSixel, Profile: colorprofile.TrueColor, Cell: Cell{8, 17}})
	expect.Must(t, err == nil && len(p.Lines) == 2 && p.Cols == 8, p, err)
	lines := []string{"title"}
	for _, line := range p.Lines {
		lines = append(lines, left+line+right)
	}
	return l, p, strings.Join(append(lines, "footer"), "\n")
}

// place takes the marks out of a frame and says where pictures stand in it.
func place(frame string, find func(id int) *Sixel) (string, []Placed) {
	var lines []Line
	var clean []string
	for _, l := range strings.Split(frame, "\n") {
		line := ReadLine(l, find)
		lines, clean = append(lines, line), append(clean, line.Text)
	}
	return strings.Join(clean, "\n"), Place(lines)
}

func TestPicturesAreFoundInAFrame(t *testing.T) {
	t.Parallel()
	l, _, frame := sixelFrame(t, "\x1b[1mab\x1b[m│ ", " │ c")
	clean, placed := place(frame, l.Sixel)
	expect.That(t, !strings.Contains(clean, markStart) && ansi.Strip(clean) == ansi.Strip(frame), "the frame became", clean)
	expect.Must(t, len(placed) == 1 && placed[0].X == 4 && placed[0].Y == 1 && placed[0].Sixel.Cols == 8, placed)
	draw := placed[0].Draw()
	expect.That(t, strings.HasPrefix(draw, "\x1b7\x1b[2;5H\x1bP") && strings.HasSuffix(draw, "\x1b\\\x1b8"), "drawn by", draw)
	// The same picture twice in the same lines.
	l, _, frame = sixelFrame(t, "", "")
	lines := strings.Split(frame, "\n")
	lines[1], lines[2] = lines[1]+"  "+lines[1], lines[2]+"  "+lines[2]
	_, placed = place(strings.Join(lines, "\n"), l.Sixel)
	expect.That(t, len(placed) == 2 && placed[1].X == 10, "beside each other", placed)
}

// A part of a picture is drawn in pixels as well, the same ones as in the whole.
func TestAPartOfAPictureIsFoundInAFrame(t *testing.T) {
	t.Parallel()
	l := NewLoader(false)
	p, err := l.Load(t.Context(), save(t, "a.png", pngOf(t, landscape(640, 340))), 80, 20, Terminal{Mode: ModeSixel, Profile: colorprofile.TrueColor, Cell: Cell{8, 17}})
	expect.Must(t, err == nil && len(p.Lines) == 20 && p.Cols == 80, p.Cols, "×", len(p.Lines), err)
	for _, c := range []struct{ x, y, cols, rows int }{{8, 3, 40, 10}, {0, 0, 80, 5}, {60, 0, 20, 30}, {0, 0, 80, 20}} {
		clean, placed := place("title\n"+strings.Join(Window(p.Lines, c.x, c.y, c.cols, c.rows), "\n"), l.Sixel)
		expect.Must(t, len(placed) == 1 && placed[0].Y == 1 && !strings.Contains(clean, markStart), c, len(placed), "pictures in", clean)
		part, whole, high := placed[0].Sixel, l.Sixel(placed[0].Sixel.ID), min(c.rows, 20-c.y)
		expect.Must(t, part.Cols == c.cols && part.Rows == high && part.wide == 8*c.cols && len(part.pixels) == 8*c.cols*17*high,
			c, part.Cols, "×", part.Rows, "cells", len(part.pixels), "pixels in lines of", part.wide)
		for i, n := range part.pixels {
			x, y := 8*c.x+i%part.wide, 17*c.y+i/part.wide
			expect.Must(t, n == whole.pixels[y*whole.wide+x], c, "pixel", i)
		}
		_, again := place("title\n"+strings.Join(Window(p.Lines, c.x, c.y, c.cols, c.rows), "\n"), l.Sixel)
		expect.That(t, again[0].Same(placed[0]), c, "the same part is another picture")
	}
	_, placed := place(strings.Join(Window(p.Lines, 50, 0, 40, 5), "\n"), l.Sixel)
	expect.That(t, len(placed) == 1 && placed[0].Sixel.Cols == 30, "past the right edge", placed)
	boxed := []string{strings.Repeat(" ", 90)} // in the middle of a larger box
	for _, line := range p.Lines {
		boxed = append(boxed, "   "+line+"       ")
	}
	boxed = append(boxed, boxed[0])
	for _, c := range []struct{ x, from, cols, rows, atX, atY, width, height int }{
		{0, 0, 50, 22, 3, 1, 47, 20}, {10, 5, 50, 10, 0, 0, 50, 10}, {50, 0, 40, 22, 0, 1, 33, 20},
	} {
		_, placed := place(strings.Join(Window(boxed, c.x, c.from, c.cols, c.rows), "\n"), l.Sixel)
		expect.That(t, len(placed) == 1 && placed[0].X == c.atX && placed[0].Y == c.atY &&
			placed[0].Sixel.Cols == c.width && placed[0].Sixel.Rows == c.height, c, "in a box", placed)
	}
	expect.That(t, l.Sixel(1).Part(image.Rect(50, 0, 90, 5)) == nil, "there is a part outside of the picture")
}

func TestPicturesThatCannotBeDrawnOverStayHalfBlocks(t *testing.T) {
	t.Parallel()
	l, p, frame := sixelFrame(t, "", "")
	lines := strings.Split(frame, "\n")
	for name, f := range map[string]string{
		"wide character beside it": strings.Join([]string{lines[0], lines[1], lines[2] + " 海", lines[3]}, "\n"),
		"emoji cluster beside it":  strings.Join([]string{lines[0], "👩‍🚀" + lines[1], "👩‍🚀" + lines[2], lines[3]}, "\n"),
		"a line is missing":        strings.Join([]string{lines[0], lines[1], lines[3]}, "\n"),
		"shifted line":             strings.Join([]string{lines[0], lines[1], " " + lines[2]}, "\n"),
		"cut":                      strings.Join([]string{lines[0], ansi.Truncate(lines[1], 5, "…"), lines[2]}, "\n"),
		"covered":                  strings.Join([]string{lines[0], mark(1, 0) + "▀▀box▀▀▀", lines[2]}, "\n"),
		"forged":                   "\x1b[58;2;9;9;9m▀▀\n\x1b[58;2;m\n" + markStart,
	} {
		clean, placed := place(f, l.Sixel)
		expect.That(t, len(placed) == 0 && !strings.Contains(clean, markStart+"0"), name, placed, "in", clean)
	}
	wide := strings.Join([]string{lines[0] + " 海", lines[1], lines[2], lines[3] + "海"}, "\n")
	_, placed := place(wide, l.Sixel)
	expect.Len(t, placed, 1, "a wide character above and below")
	_, placed = place(frame, func(int) *Sixel { return nil })
	expect.Len(t, placed, 0, "a picture that is not kept was placed")
	expect.That(t, ansi.StringWidth(p.Lines[0]) == 8 && ansi.StringWidth(ansi.Truncate(p.Lines[0], 5, "")) == 5, "a mark takes room")
}

// What is transparent shows the background without specks of other colours: in few
// colours one of them, in sixels none where a whole cell shows it.
func TestTheBackgroundStaysPlain(t *testing.T) {
	t.Parallel()
	img := image.NewNRGBA(image.Rect(0, 0, 400, 400))
	for i := range 100 * 100 {
		img.SetNRGBA(150+i%100, 150+i/100, color.NRGBA{200, 90, uint8(i), 255})
	}
	path, l := save(t, "clear.png", pngOf(t, img)), NewLoader(false)
	on := Terminal{Mode: ModeBlocks, Profile: colorprofile.ANSI256, Cell: Cell{8, 16}, Back: color.RGBA{0xfb, 0xfb, 0xf8, 255}}
	p := must(l.Load(t.Context(), path, 40, 20, on))(t)
	expect.Len(t, p.Lines, 20)
	for y, line := range p.Lines {
		n := strings.Count(line, "\x1b[")
		expect.That(t, y >= 5 && y < 15 || n == 2, "line", y, "has", n, "sequences for one colour", line)
	}
	on.Mode, on.Profile = ModeSixel, colorprofile.TrueColor
	must(l.Load(t.Context(), path, 40, 20, on))(t)
	s, drawn := l.Sixel(1), 0
	for i, n := range s.pixels {
		x, y := i%s.wide/8, i/s.wide/16
		inside, near := x > 15 && x < 24 && y > 7 && y < 12, x >= 14 && x <= 25 && y >= 6 && y <= 13
		expect.Must(t, inside == (n != noColour) || near && !inside, "pixel", i, "in cell", x, y, "has colour", n)
		if n != noColour {
			drawn++
		}
	}
	part := len(s.pixels) / drawn
	expect.That(t, part >= 8, "one of", part, "pixels is drawn, want one of 16 and those around")
}

func TestDamageIsFound(t *testing.T) {
	t.Parallel()
	at := func(left, right [2]string) Placed {
		t.Helper()
		s := &Sixel{ID: 1, Cols: 2, Rows: 2}
		frame := left[0] + mark(1, 0) + "▀▀" + right[0] + "\n" + left[1] + mark(1, 1) + "▀▀" + right[1]
		_, placed := place(frame, func(int) *Sixel { return s })
		expect.Must(t, len(placed) == 1, frame)
		placed[0].Sixel = nil
		return placed[0]
	}
	was := at([2]string{"a", "b"}, [2]string{"c", "d"})
	for name, c := range map[string]struct {
		now                   Placed
		overwritten, scrolled bool
	}{
		"nothing":    {at([2]string{"a", "b"}, [2]string{"c", "d"}), false, false},
		"left":       {at([2]string{"x", "y"}, [2]string{"c", "d"}), false, false},
		"two lines":  {at([2]string{"x", "b"}, [2]string{"c", "y"}), false, false},
		"both sides": {at([2]string{"x", "b"}, [2]string{"y", "d"}), true, false},
	} {
		expect.Equal(t, was.Overwritten(c.now), c.overwritten, name, "overwritten")
		expect.Equal(t, was.Scrolled(c.now), c.scrolled, name, "scrolled")
	}
	up := Placed{before: []string{"1", "2", "3", "4"}, after: []string{"", "", "", ""}}
	down := Placed{before: []string{"2", "3", "4", "5"}, after: []string{"", "", "", ""}}
	expect.That(t, up.Scrolled(down), "scrolled lines were not noticed")
}

func TestSixelsAreKeptWithinBounds(t *testing.T) {
	t.Parallel()
	l := NewLoader(false)
	for range 100 {
		l.keepSixel(&Sixel{Cols: wholeCells + 1, Rows: 1, pixels: make([]uint8, 1<<20), wide: 1 << 10})
	}
	n := len(l.sixels)
	expect.That(t, n == sixelBytes>>20 && l.Sixel(100) != nil && l.Sixel(1) == nil, n, "are kept")
}

// However large a terminal says that its cells are, a picture has no more pixels than one that is read, and its ratio.
func TestSixelsOfHugeCells(t *testing.T) {
	t.Parallel()
	cell := Cell{50, 100}
	from := cached{scale(landscape(320, 180), 16, 8, color.Black), 16, 8}
	p := NewLoader(false).draw(from, question{cols: 200, rows: 100, on: Terminal{Mode: ModeSixel, Cell: cell}}) // without colours it is quick
	w, h := p.Cols*cell.Width, len(p.Lines)*cell.Height
	expect.That(t, w*h <= maxPixels && w*h > maxPixels*9/10 && math.Abs(float64(w)/float64(h)-2) < 0.05, p.Cols, "×", len(p.Lines), "cells")
}

// A rough picture has one colour a block, a share of itself over the ground, and a right
// end that fades; a small one is made larger.
func TestRough(t *testing.T) {
	t.Parallel()
	half := image.NewRGBA(image.Rect(0, 0, 16, 8))
	for x := range 16 {
		for y := range 8 {
			half.SetRGBA(x, y, color.RGBA{uint8(x / 8 * 200), 100, 0, 255})
		}
	}
	p := Picture{small: half, Cols: 16, Lines: make([]string, 4), profile: colorprofile.TrueColor}
	for want, r := range map[string]Rough{
		"\x1b[48;2;0;100;0m        \x1b[48;2;200;100;0m        \x1b[m":          {Side: 8, Share: 1},
		"\x1b[48;2;0;50;50m        \x1b[48;2;100;50;50m        \x1b[m":          {Side: 4, Share: 0.5, Ground: color.RGBA{B: 100, A: 255}},
		"\x1b[38;2;0;100;0;48;2;0;100;0m▀▀\x1b[38;2;0;50;0;48;2;0;50;0m▀\x1b[m": {Side: 1, Share: 1, Seen: 3, Fade: 1},
	} {
		got := p.Rough(r)
		expect.That(t, len(got) == 4 && got[3] == want, r, got)
	}
	got := Gradient(7, colorprofile.TrueColor).Rough(Rough{Cols: 20, Rows: 3, Side: 4, Share: 1})
	expect.That(t, len(got) == 3 && ansi.StringWidth(got[0]) == 20 && strings.Count(got[0], "48;2") >= 3, got)
	p.Mean = mean(half)
	expect.Equal(t, p.Mean, color.RGBA{100, 100, 0, 255}, "the mean")
}

// TestFramesAreTakenOut: each is a PNG of the clip's own size, and its time is that of the frame.
func TestFramesAreTakenOut(t *testing.T) {
	withFFmpeg(t)
	l, path := NewLoader(false), clip(t)
	video := must(l.probe(t.Context(), path, "mov"))(t)
	seen := map[string]time.Duration{}
	for _, at := range []time.Duration{0, 3 * video.each, video.each*3 + time.Millisecond, time.Hour, math.MaxInt64} {
		data, exact, err := l.Frame(t.Context(), path, at)
		config, format, derr := image.DecodeConfig(bytes.NewReader(data))
		expect.Must(t, err == nil && derr == nil && format == "png" && config.Width == video.width && config.Height == video.height,
			"at", at, err, derr, format, "of", config.Width, "×", config.Height)
		was, same := seen[string(data)]
		expect.That(t, !same || was == exact, "the frames at", was, "and", exact, "are the same")
		seen[string(data)] = exact
	}
	times := slices.Sorted(maps.Values(seen))
	expect.Must(t, len(times) == 3, times)
	expect.Equal(t, times[2], time.Duration(video.frames-1)*video.each, "the last frame")
}

// TestClipsAreJoined: as they are when they agree, else encoded anew; what comes has the sum of
// their lengths and one sound.
func TestClipsAreJoined(t *testing.T) {
	withFFmpeg(t)
	l, dir := NewLoader(false), t.TempDir()
	paint := func(name string, options ...string) string {
		path := filepath.Join(dir, name)
		options = append([]string{"-loglevel", "error", "-f", "lavfi", "-i"}, append(options, "-pix_fmt", "yuv420p", path)...)
		said, err := exec.Command("ffmpeg", options...).CombinedOutput()
		expect.Must(t, err == nil, err, string(said))
		return path
	}
	plain := paint("it's one.mp4", "testsrc=s=98x60:r=10:d=0.5")
	other := paint("b.mp4", "testsrc=s=64x64:r=15:d=0.6", "-f", "lavfi", "-i", "sine=d=0.6")
	cut := paint("cut.mp4", "testsrc=s=98x60:r=10:d=2", "-movflags", "+faststart")
	noError(t, os.Truncate(cut, must(os.Stat(cut))(t).Size()/2))
	expect.Fails(t, expect.Err(l.Join(t.Context(), []string{plain, cut}, save(t, "to.mp4", nil), func() {})), "could not join")
	for _, paths := range [][]string{{plain, plain, plain}, {other, plain}} {
		to, anew := save(t, "to.mp4", nil), false
		seconds := must(l.Join(t.Context(), paths, to, func() { anew = true }))(t)
		made, first := must(l.probe(t.Context(), to, "mov"))(t), must(l.probe(t.Context(), paths[0], "mov"))(t)
		expect.That(t, math.Abs(made.seconds-seconds) <= 0.1 && made.width == first.width && made.height == first.height &&
			anew == (paths[0] != paths[1]), paths, made, "of", seconds, "s, encoded anew", anew)
	}
}
