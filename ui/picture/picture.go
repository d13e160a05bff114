// Package picture draws an image file as terminal cells: block elements
// everywhere, and real pixels by kitty's Unicode placeholders if the
// terminal is proven to have them. It has no Bubble Tea model; a screen calls
// Loader.Load in a command and shows the lines.
package picture

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"image"
	"image/color"
	_ "image/gif"
	"image/jpeg"
	_ "image/png"
	"io"
	"io/fs"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/colorprofile"
	_ "golang.org/x/image/webp"

	"darkroom/api"
)

// Mode is how pictures are drawn.
type Mode string

// Modes. ModeOff draws none.
const (
	ModeOff    Mode = "off"
	ModeBlocks Mode = "blocks"
	ModeKitty  Mode = "kitty"
	ModeSixel  Mode = "sixel"
)

// Terminal holds everything that a drawing depends on besides the file and the area.
type Terminal struct {
	Mode    Mode
	Profile colorprofile.Profile
	Cell    Cell        // in pixels; zero: not known
	Back    color.RGBA  // the background behind transparent pixels; zero: black
	Stills  image.Point // of a video: so many frames across and down, evenly spaced, not only the first
}

// parted reports whether whole cells are between frames that stand side by side, for others to fill.
func (t Terminal) parted() bool { return t.Stills.Y == 1 && t.Mode == ModeBlocks }

// Picture is an image for an area of cells.
type Picture struct {
	Lines   []string // block elements, for each row of cells taken; none is wider than Cols
	Cols    int      // taken; like the rows at most the requested ones, by the image's ratio
	Width   int      // of the source, in pixels
	Height  int
	Graphic *Graphic // the same in pixels, in ModeKitty alone
	Mean    color.RGBA

	small   *image.RGBA // as it is in blocks, and the colours of its terminal
	profile colorprofile.Profile
}

// Loader reads and scales pictures. It is safe for use by several goroutines and
// decodes one at a time, which may take hundreds of MiB.
type Loader struct {
	tmux    bool
	turn    chan struct{}
	pace    pace
	cache   *cache   // nil: none
	environ []string // of programs that are run

	mu     sync.Mutex
	sixels []*Sixel     // the newest ones, oldest first
	held   int          // bytes of these
	ids    atomic.Int64 // that were given to images
}

// question is everything an answer depends on.
type question struct {
	path       string
	changed    time.Time
	bytes      int64
	cols, rows int
	on         Terminal
}

// MaxCells is the highest number of rows and columns of a picture: that of kitty's placeholders.
const MaxCells = 297

// NewLoader makes a Loader. Inside tmux, pixels go through its passthrough. The programs
// that read videos have the environment environ, which may be none.
func NewLoader(tmux bool, environ ...string) *Loader {
	return &Loader{tmux: tmux, turn: make(chan struct{}, 1), environ: append([]string{}, environ...)}
}

// Errors of Load, in words for the person.
var (
	ErrOff       = api.Sentence("pictures are switched off").Fault(nil)
	ErrNoPoster  = api.Sentence("there is no preview of this video: open it in your player").Fault(nil)
	ErrNoProgram = api.Sentence("this needs ffmpeg: install it and try again").Fault(nil)
	ErrVideo     = api.Sentence("this video cannot be shown here: open it in your player").Fault(nil)
	errType      = api.Sentence("this picture cannot be shown here").Fault(nil)
	errSize      = api.Sentence("the picture is too large to be shown here: open it in another program").Fault(nil)
	errBroken    = api.Sentence("the picture is damaged").Fault(nil)
)

// Load draws the file at path, an image or a video's first frame, for cols
// times rows cells. What is larger than the limits is not decoded.
func (l *Loader) Load(ctx context.Context, path string, cols, rows int, on Terminal) (Picture, error) {
	q := question{path: path, cols: min(cols, MaxCells), rows: min(rows, MaxCells), on: on}
	q.on.Cell, q.on.Back.A = cmp.Or(q.on.Cell, DefaultCell), 255
	info, err := os.Stat(q.path)
	if err != nil {
		return Picture{}, unreadable(err)
	}
	q.changed, q.bytes = info.ModTime(), info.Size()
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return Picture{}, ctx.Err()
	}
	l.pace.limit = time.Now().Add(patience)
	l.pace.wait(ctx, true)
	source, ok := l.cache.read(ctx, q)
	if !ok {
		l.pace.wait(ctx, false)
		defer giveBack()
		img, err := l.read(ctx, q.path, q.on, q.cols)
		if err != nil {
			return Picture{}, err
		}
		size := img.Bounds().Size()
		if source = (cached{img, size.X, size.Y}); l.cache.holds(q) && q.worth(size.X, size.Y) {
			source = l.cache.write(q, img)
		}
		l.pace.wait(ctx, false)
	}
	return l.draw(source, q), ctx.Err()
}

func (l *Loader) draw(from cached, q question) Picture {
	c, r := fit(from.width, from.height, q.cols, q.rows, q.on.Cell)
	share := math.Sqrt(maxPixels / float64(c*q.on.Cell.Width*r*q.on.Cell.Height))
	if q.on.Mode == ModeSixel && share < 1 { // terminals may claim cells of any size
		c, r = fit(from.width, from.height, int(share*float64(c)), int(share*float64(r)), q.on.Cell)
	}
	p := Picture{Cols: c, Width: from.width, Height: from.height}
	var sixel *Sixel
	switch { // once: to go over a large picture takes long
	case q.on.Mode == ModeSixel && q.on.Profile > colorprofile.ASCII:
		pixels := scale(from.img, c*q.on.Cell.Width, r*q.on.Cell.Height, q.on.Back)
		from.img, sixel = pixels, newSixel(pixels, q.on.Back, c, r)
		l.keepSixel(sixel)
	case q.on.Mode == ModeKitty:
		from.img = sized(from.img, c, r)
		p.Graphic = newGraphic(encode(from.img), l.nextID(), c, r, l.tmux)
	}
	p.small, p.profile = scale(from.img, 2*c, 2*r, q.on.Back), q.on.Profile
	p.Lines, p.Mean = Blocks(p.small, q.on.Profile), mean(p.small)
	for y := 0; sixel != nil && y < r; y++ {
		p.Lines[y] = mark(sixel.ID, y) + p.Lines[y]
	}
	return p
}

// unreadable is an error of the file system without the path.
func unreadable(err error) error {
	return api.Sentence("the file cannot be read: %v").Fault(err, api.WithoutPath(err))
}

// JPEG is an image, or the first frame of a video, in at most side by side pixels
// and so many bytes.
func (l *Loader) JPEG(ctx context.Context, path string, side, bound int) ([]byte, error) {
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	img, err := l.read(ctx, path, Terminal{}, 0)
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

const (
	frameTime = 15 * time.Millisecond // from a key until its frame is written
	// heldTime is how long after the last of several keys nothing is decoded:
	// another one may follow. Several are keys that are less than rhythm apart.
	heldTime = 60 * time.Millisecond
	rhythm   = 100 * time.Millisecond
	patience = 5 * time.Second // that keys hold back one picture at most
)

// pace holds pictures back while the person presses keys.
type pace struct {
	mu      sync.Mutex
	pressed time.Time // the last key
	held    time.Time // until when a picture that is decoded waits; a cached one waits for the key's frame
	limit   time.Time // until when the load whose turn it is waits at most; only that one uses it
}

// Pressed says that the person pressed a key or turned the wheel.
func (l *Loader) Pressed() {
	p, now := &l.pace, time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = now.Add(frameTime)
	if now.Sub(p.pressed) < rhythm {
		p.held = now.Add(heldTime)
	}
	p.pressed = now
}

func (p *pace) wait(ctx context.Context, cached bool) {
	for ctx.Err() == nil {
		p.mu.Lock()
		until := p.held
		if cached {
			until = p.pressed.Add(frameTime)
		}
		rest := min(time.Until(until), time.Until(p.limit))
		p.mu.Unlock()
		if rest <= 0 {
			return
		}
		select {
		case <-time.After(rest):
		case <-ctx.Done():
		}
	}
}

// paced is a file that is read between the keys, a few KiB at a time.
type paced struct {
	io.ReadSeeker
	ctx  context.Context
	pace *pace
}

func (p paced) Read(b []byte) (int, error) {
	p.pace.wait(p.ctx, false)
	return p.ReadSeeker.Read(b)
}

// Limits of decoding. A PNG of 47 bytes can ask for gigabytes, and a
// progressive JPEG of 300 KB, with a scan of all for each few bytes, for minutes.
const (
	maxFile   = 96 << 20 // bytes of a file, which is read a little at a time
	maxSide   = 16384
	maxPixels = 40_000_000       // of 4 bytes; half as many of 8
	maxTime   = 20 * time.Second // of the clock: a busy machine takes long for little work
)

// open opens a file of so many bytes.
func open(path string) (*os.File, int64, error) {
	f, info, err := api.OpenRegular(path)
	switch {
	case errors.Is(err, fs.ErrInvalid):
		return nil, 0, errType
	case err != nil:
		return nil, 0, unreadable(err)
	}
	return f, info.Size(), nil
}

func (l *Loader) read(ctx context.Context, path string, on Terminal, cols int) (image.Image, error) {
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
	if on.Stills != (image.Point{}) {
		frame, err = l.sheet(ctx, path, format, on, cols)
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
	_, _ = r.Seek(0, io.SeekStart)
	config, _, err := image.DecodeConfig(r)
	switch {
	case errors.Is(err, image.ErrFormat):
		return nil, errType
	case err != nil:
		return nil, errBroken
	case costly(config):
		return nil, errSize
	}
	_, _ = r.Seek(0, io.SeekStart)
	person := ctx
	ctx, stop := context.WithTimeout(ctx, maxTime)
	defer stop()
	img, _, err := image.Decode(api.ContextReader{Ctx: ctx, Reader: r})
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

// costly reports whether an image is beyond the limits in pixels, of which deep ones count twice.
func costly(c image.Config) bool {
	pixels := c.Width * c.Height
	if c.ColorModel == color.RGBA64Model || c.ColorModel == color.NRGBA64Model {
		pixels *= 2
	}
	return c.Width > maxSide || c.Height > maxSide || pixels > maxPixels
}

// giveBack returns the memory of a large picture to the system: the collector
// would keep it for minutes, and the next picture's as well.
func giveBack() {
	held := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(held)
	if held[0].Value.Uint64()+held[1].Value.Uint64() > 16<<20 { // bytes
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
