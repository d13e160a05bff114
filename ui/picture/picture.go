// Package picture draws an image file as terminal cells: half blocks
// everywhere, and real pixels by kitty's Unicode placeholders where the
// terminal is proven to have them. It has no Bubble Tea model; a screen calls
// Loader.Load in a command and shows the lines.
package picture

import (
	"context"
	"darkroom/api"
	"errors"
	"image"
	"os"
	"sync"
	"time"

	"github.com/charmbracelet/colorprofile"
)

// Mode is how pictures are drawn.
type Mode string

// Modes. ModeOff draws none.
const (
	ModeOff    Mode = "off"
	ModeBlocks Mode = "blocks"
	ModeKitty  Mode = "kitty"
)

// Picture is an image for an area of cells.
type Picture struct {
	Lines   []string // half blocks; none is wider than Cols
	Cols    int      // cells taken; at most those asked for, by the image's ratio
	Rows    int
	Width   int // of the source, in pixels
	Height  int
	Graphic *Graphic // the same in pixels, in ModeKitty alone
}

// Graphic is an image that the terminal itself draws. Transmit is written
// first; only when the terminal answered OK for ID may Lines take the place of
// the half blocks, or rows stay blank.
type Graphic struct {
	ID       int
	Transmit string
	Lines    []string
}

// Loader reads, scales and remembers pictures. It is safe for use by several
// goroutines and decodes one picture at a time, because a large one takes
// hundreds of MiB.
type Loader struct {
	tmux bool
	turn chan struct{}

	mu     sync.Mutex
	known  map[question]Picture
	order  []question // oldest first
	lastID int
}

// question is everything an answer depends on.
type question struct {
	path       string
	changed    time.Time
	bytes      int64
	cols, rows int
	mode       Mode
	profile    colorprofile.Profile
}

const (
	maxKnown = 32
	maxCells = 297 // rows and columns that kitty's placeholders can number
)

// NewLoader makes a Loader. Inside tmux, pixels go through its passthrough.
func NewLoader(tmux bool) *Loader {
	return &Loader{tmux: tmux, turn: make(chan struct{}, 1), known: map[question]Picture{}}
}

// Errors of Load, in words for the person.
var (
	ErrOff      = api.Declare("picture_off", "pictures are switched off").Fault(nil)
	ErrNoPoster = api.Declare("picture_no_ffmpeg", "a preview of a video needs ffmpeg: install it, or press o to play the video").Fault(nil)
	errType     = api.Declare("picture_type", "this file is no picture that can be shown here").Fault(nil)
	errSize     = api.Declare("picture_size", "the picture is too large to be shown here: press o to open it").Fault(nil)
	errBroken   = api.Declare("picture_damaged", "the picture is damaged").Fault(nil)
	errVideo    = api.Declare("picture_ffmpeg", "ffmpeg cannot show this video: press o to play it").Fault(nil)
	errTerminal = api.Declare("picture_terminal", "the picture cannot be prepared for this terminal").Fault(nil)
	errArea     = api.Declare("picture_no_room", "there is no room for the picture").Fault(nil)
)

// Load draws the file at path, an image or a video's first frame, for cols
// times rows cells. It reads at most 32 MiB, 16,384 pixels a side and 40
// megapixels, and checks these before anything is decoded.
func (l *Loader) Load(ctx context.Context, path string, cols, rows int, mode Mode, profile colorprofile.Profile) (Picture, error) {
	if mode == ModeOff {
		return Picture{}, ErrOff
	}
	cols, rows = min(cols, maxCells), min(rows, maxCells)
	if cols < 1 || rows < 1 {
		return Picture{}, errArea
	}
	info, err := os.Stat(path)
	if err != nil {
		return Picture{}, unreadable(err)
	}
	q := question{path, info.ModTime(), info.Size(), cols, rows, mode, profile}
	if p, ok := l.recall(q); ok {
		return p, nil
	}
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return Picture{}, ctx.Err()
	}
	if p, ok := l.recall(q); ok { // another asked the same while we waited
		return p, nil
	}
	img, err := read(ctx, path)
	if err != nil {
		return Picture{}, err
	}
	p, err := l.draw(img, cols, rows, mode, profile)
	if err != nil {
		return Picture{}, err
	}
	l.remember(q, p)
	return p, ctx.Err()
}

func (l *Loader) draw(img image.Image, cols, rows int, mode Mode, profile colorprofile.Profile) (Picture, error) {
	size := img.Bounds().Size()
	c, r := fit(size.X, size.Y, cols, rows)
	p := Picture{Cols: c, Rows: r, Width: size.X, Height: size.Y}
	p.Lines = Blocks(scale(img, c, 2*r), profile)
	if mode == ModeKitty {
		g, err := transmit(img, l.nextID(), c, r, l.tmux)
		if err != nil {
			return Picture{}, err
		}
		p.Graphic = g
	}
	return p, nil
}

// nextID goes round 16 to 255: an id travels as one of the 256 colours, and
// the first 16 of them are not told apart by every terminal.
func (l *Loader) nextID() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lastID < 16 || l.lastID >= 255 {
		l.lastID = 15
	}
	l.lastID++
	return l.lastID
}

func (l *Loader) recall(q question) (Picture, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, ok := l.known[q]
	return p, ok
}

func (l *Loader) remember(q question, p Picture) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.known[q]; !ok {
		l.order = append(l.order, q)
	}
	l.known[q] = p
	if len(l.order) > maxKnown {
		delete(l.known, l.order[0])
		l.order = l.order[1:]
	}
}

// fit gives the cells that an image takes inside an area, its ratio kept for
// cells twice as high as wide.
func fit(width, height, cols, rows int) (c, r int) {
	c, r = cols, (cols*height+width)/(2*width)
	if r > rows {
		c, r = (rows*2*width+height/2)/height, rows
	}
	return max(1, min(c, cols)), max(1, min(r, rows))
}

// unreadable is an error of the file system without the path.
func unreadable(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return whyUnreadable.Fault(err, path.Err)
	}
	return whyUnreadable.Fault(err, err)
}

var whyUnreadable = api.Declare("picture_unreadable", "the file cannot be read: %v")
