package result

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
	"darkroom/ui/theme"
	"darkroom/ui/words"
)

// At its own size a pixel of the file is one of the terminal, and what has more
// cells than can be drawn says how small it is.
func TestThePictureAtItsOwnSize(t *testing.T) {
	t.Parallel()
	cell := picture.Cell{Width: 8, Height: 17}
	for _, c := range []struct {
		mode          picture.Mode
		cell          picture.Cell
		width, height int
		w, h          int
		sign          string
	}{
		{picture.ModeKitty, cell, 640, 360, 80, 22, "1:1"},
		{picture.ModeSixel, cell, 640, 360, 80, 22, "1:1"},
		{picture.ModeKitty, picture.Cell{}, 640, 360, 64, 18, "1:1"},
		{picture.ModeBlocks, cell, 200, 120, 200, 60, "1:1"},
		{picture.ModeKitty, cell, 7680, 4320, 297, 255, "30 %"},
		{picture.ModeBlocks, cell, 640, 360, 297, 180, "46 %"},
	} {
		f := &fullScreen{k: &env.Env{Terminal: picture.Terminal{Mode: c.mode, Cell: c.cell}}, w: 120, h: 36, zoom: zoomActual}
		f.picture.Width, f.picture.Height = c.width, c.height
		w, h := f.pictureSize()
		expect.Equal(t, image.Pt(w, h), image.Pt(c.w, c.h), c.mode, c.cell, c.width, c.height, "cells")
		expect.Equal(t, f.zoomSign(), c.sign, c.mode, c.cell, c.width, c.height)
	}
}

// onePlace is a place with one result.
type onePlace struct{ Place }

func (onePlace) Row() (state.Row, bool) { return state.Row{ID: "a", File: "a.png"}, true }

// Opened at its own size, the picture is asked for again when that is known.
func TestOpenedAtItsOwnSize(t *testing.T) {
	t.Parallel()
	painter := &countingPainter{}
	b := newBench(t, painter)
	b.k.Mode, b.k.Cell = picture.ModeKitty, picture.Cell{Width: 8, Height: 17}
	f := &fullScreen{k: b.k, Place: onePlace{}, picture: NewPreview(b.k), w: 120, h: 36, zoom: zoomActual}
	b.others = func(m tea.Msg) { b.run(f.handle(m)) }
	b.run(f.paint())
	expect.Equal(t, strings.Join(painter.areas, " "), "114×31 250×59", "drawn at")
}

// Until another size is drawn the middle of the old one is shown, not the part
// that was chosen for the new one.
func TestTheMiddleIsShownUntilTheSizeIsDrawn(t *testing.T) {
	t.Parallel()
	f := &fullScreen{k: &env.Env{}, player: &Player{}, zoom: 3, panX: 4, panY: 2}
	f.picture.Lines = []string{"00000000", "01234567", "11234568", "99999999"}
	expect.Equal(t, strings.Join(f.window(4, 2), " "), "2345 2345", "while it is drawn")
	f.picture.Drawn = true
	expect.Equal(t, strings.Join(f.window(4, 2), " "), "99", "drawn")
}

// The middle of a zoomed picture is in view whatever its ratio, also of one that has
// more cells than can be drawn, and after the terminal became smaller and large again.
func TestTheMiddleIsZoomed(t *testing.T) {
	t.Parallel()
	for _, size := range []struct{ cols, rows int }{{297, 79}, {40, 66}, {232, 20}} {
		f := &fullScreen{k: &env.Env{}, player: &Player{}, zoom: 2}
		f.picture.Drawn = true
		for y := range size.rows {
			line := []byte(strings.Repeat(".", size.cols))
			if y == size.rows/2 {
				line[size.cols/2] = 'x'
			}
			f.picture.Lines = append(f.picture.Lines, string(line))
		}
		for _, room := range []struct{ w, h int }{{120, 36}, {80, 24}, {120, 36}} {
			f.w, f.h = room.w, room.h
			f.clampPan()
			w, h := f.pictureRoom()
			lines := f.window(w, h)
			y := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "x") })
			expect.Must(t, y >= 0, size, "in", room, "the middle is not in view")
			dx, dy := strings.IndexByte(lines[y], 'x')-min(w, size.cols)/2, y-min(h, size.rows)/2
			expect.That(t, dx/2 == 0 && dy/2 == 0, size, "in", room, "the middle is not in the middle of", strings.Join(lines, "\n"))
		}
	}
}

// TestCaptionsThatDifferStayApart: each value of a variation keeps a part of the room,
// whichever of them differs.
func TestCaptionsThatDifferStayApart(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"standard_vip · seed 41", "standard_vip · seed 42"},
		{"fast · a very long alternative of a prompt", "standard · a very long alternative of a prompt"},
		{"720p · a very long alternative · seed 7", "720p · a very long alternative · seed 8"},
		{"a boat on a very long river", "a koi in a very long river"},
		{"水彩 · 一只很长很长的纸船 · dawn", "水彩 · 一只很长很长的纸船 · dusk"},
	} {
		for w := 22; w < 50; w++ {
			a, b := CutCaption(pair[0], w), CutCaption(pair[1], w)
			expect.That(t, a != b && theme.Width(a) <= w && theme.Width(b) <= w, pair[0], "and", pair[1], "in", w, "cells", a, "and", b)
		}
		expect.Equal(t, CutCaption(pair[0], 80), pair[0], "with room for it")
	}
	got, one := CutCaption(strings.Repeat("a · ", 40), 5), CutCaption("boat", 1)
	expect.That(t, theme.Width(got) <= 5 && theme.Width(one) <= 1, got, "or", one, "is too wide")
}

// The service may have refused a link before the time that it states.
func TestAnExpiredJobHasNoTimeLeft(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 14, 0, 0, 0, time.UTC)
	k := &env.Env{Words: words.For("en"), At: at}
	for phase, want := range map[api.Phase]bool{api.PhaseDone: true, api.PhaseExpired: false} {
		j := &state.Job{Row: state.Row{Phase: phase, ExpiresAt: at.Add(59 * time.Minute)}}
		for _, parts := range [][]string{Cost(k, j), jobFacts(k, j)} {
			expect.Equal(t, slices.Contains(parts, "links expire in 59 min"), want, phase, parts)
		}
	}
}

// marked writes what is not common in brackets.
func marked(words []Word) (out string) {
	for _, w := range words {
		if w.New {
			w.Text = "[" + w.Text + "]"
		}
		out += w.Text
	}
	return out
}

// A long word, as of what was pasted by mistake, takes memory in proportion to its length.
func TestALongWordIsReadInLinearTime(t *testing.T) {
	allocated := func(size int) uint64 {
		return simtest.Allocated(func() { expect.Len(t, wordsOf(strings.Repeat("x", size)), 1, "words") })
	}
	small, large := allocated(4<<10), allocated(64<<10)
	expect.That(t, large <= 40*small, "64 KiB take", large, "bytes, 4 KiB", small)
}

func TestWordsThatDifferAreMarked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b, want string }{
		{"a red kite", "a blue kite", "a [red] kite"},
		{"a red kite", "a red kite", "a red kite"},
		{"one two three four", "two four", "[one] two [three] four"},
		{"one two three four five", "one two five", "one two [three][ ][four] five"},
		{"one two three", "one four five", "one two three"},
		{"纸船漂过水沟", "纸船过水沟", "纸船[漂]过水沟"},
		{"", "x", ""},
		{"x", "", "x"},
		{"boat, macro", "boat; macro", "boat[,] macro"},
	} {
		expect.Equal(t, marked(unlessMost(Words(c.a, c.b))), c.want, c.a, "against", c.b)
	}
}

// countedFrames are frames whose shade is their number; each takes so long.
type countedFrames struct {
	n, all int
	slow   time.Duration
}

func (c *countedFrames) Start() (int, time.Duration) { return 0, picture.FrameTime }

func (c *countedFrames) Next() (*image.RGBA, error) {
	time.Sleep(c.slow)
	if c.n == c.all {
		return nil, io.EOF
	}
	img := image.NewRGBA(image.Rect(0, 0, 4, 4))
	for i := range img.Pix {
		img.Pix[i] = uint8(c.n)
	}
	img.Set(0, 0, color.White)
	c.n++
	return img, nil
}

func TestPlaying(t *testing.T) {
	t.Parallel()
	const ever = time.Hour
	for name, c := range map[string]struct {
		source            *countedFrames
		fault             error
		stop              int // after so many frames are shown
		least, most       int // are shown
		shortest, longest time.Duration
		why               string
	}{
		"at its pace":     {&countedFrames{all: 50}, nil, 0, 50, 50, 4800 * time.Millisecond, 5200 * time.Millisecond, ""},
		"decoded slowly":  {&countedFrames{all: 50, slow: 60 * time.Millisecond}, nil, 0, 45, 50, 0, 5500 * time.Millisecond, ""},
		"frames left out": {&countedFrames{all: 50, slow: 150 * time.Millisecond}, nil, 0, 8, 40, 0, 8 * time.Second, ""},
		"stopped":         {&countedFrames{all: 1000}, nil, 5, 5, 5, 0, ever, ""},
		"without a frame": {&countedFrames{}, nil, 0, 0, 0, 0, ever, "This video cannot be shown here: open it in your player."},
		"cannot be played": {&countedFrames{}, errors.New("this video cannot be shown here: open it in your player"), 0, 0, 0, 0, ever,
			"This video cannot be shown here: open it in your player."},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := NewPlayer(newBench(t, nil).k)
			var ended context.Context
			p.open = func(ctx context.Context, _ string, _, _ int, _ picture.Cell, _ int) (frames, error) {
				ended = ctx
				return c.source, c.fault
			}
			began, shown := time.Now(), 0
			cmd := p.Toggle("a.mp4", 40, 12)
			expect.That(t, p.run != nil && p.lines == nil, name, "it shows something before its first frame")
			for cmd != nil {
				m := cmd()
				if m == nil {
					break
				}
				if cmd = p.Update(m.(playMsg)); p.lines != nil {
					shown++
				}
				if c.stop > 0 && shown == c.stop {
					p.Stop()
				}
			}
			took := time.Since(began)
			expect.That(t, shown >= c.least && shown <= c.most, name, shown, "frames")
			expect.That(t, took >= c.shortest && took <= c.longest, name, "took", took)
			expect.Equal(t, p.why, c.why, name)
			expect.That(t, p.run == nil && p.lines == nil && ended.Err() != nil, name, "something is left after its end")
			expect.That(t, c.stop == 0 || c.source.n <= c.stop+2, name, c.source.n, "frames were decoded")
		})
	}
}

func TestStepping(t *testing.T) {
	t.Parallel()
	var asked []int
	p := NewPlayer(newBench(t, nil).k)
	p.open = func(_ context.Context, _ string, _, _ int, _ picture.Cell, frame int) (frames, error) {
		asked = append(asked, frame)
		return startedAt{&countedFrames{all: 9}, max(frame, 0)}, nil
	}
	p.Update(p.Toggle("a.mp4", 40, 12)().(playMsg)) // plays
	for _, by := range []int{1, 1, 1, -1} {
		if cmd := p.Step("a.mp4", 40, 12, by); cmd != nil {
			p.Update(cmd().(playMsg))
		}
	}
	expect.List(t, asked, []int{0, 1, 2, 1}, "the frames that were asked for")
	expect.That(t, p.run == held && p.lines != nil, "no frame is held")
	expect.Equal(t, p.at, picture.FrameTime, "shown is the frame at")
	p.Step("a.mp4", 40, 12, 1)
	expect.That(t, p.Step("a.mp4", 40, 12, 1) == nil, "two are on their way")
}

// shotBackend saves frames.
type shotBackend struct {
	Backend
	saved string
}

type shotMaterials struct {
	state.Materials
	*shotBackend
}

func (b *shotBackend) Materials() state.Materials { return shotMaterials{shotBackend: b} }
func (b shotMaterials) SaveFrame(_ context.Context, clip string, at time.Duration, png []byte) (string, error) {
	b.saved = fmt.Sprintf("%s of %v: %s", clip, at, png)
	return "/frame.png", nil
}

// TestTheNextShotBeginsWithTheFrameInView: of a clip, as it is held.
func TestTheNextShotBeginsWithTheFrameInView(t *testing.T) {
	t.Parallel()
	backend := &shotBackend{}
	k := newBench(t, nil).k
	f := &fullScreen{k: k, backend: backend, Place: onePlace{}, picture: NewPreview(k), id: "a", player: &Player{k: k, at: 4950 * time.Millisecond}, loaded: true,
		job: state.Job{Row: state.Row{ID: "a", Kind: api.KindVideo}, Files: []state.File{{Path: "/a.mp4", MediaType: "video/mp4"}},
			Request: api.Request{Kind: api.KindVideo, Model: api.Seedance2, Prompt: "a koi", VideoModel: "fast", Duration: "10", AspectRatio: "9:16"}}}
	f.verbs = NewVerbs(k, backend, f, &Marks{}, nil)
	f.player.still = func(_ context.Context, path string, at time.Duration) ([]byte, time.Duration, error) {
		return []byte(path), at + 8*time.Millisecond, nil
	}
	f.verbs.Update(f.nextShot()())
	m := k.Now[0].(msg.LoadedMsg)
	want := api.Request{Kind: api.KindVideo, Model: api.Seedance2, Prompt: "a koi", VideoModel: "fast", Duration: "10", AspectRatio: "9:16",
		FunctionMode: api.ModeFirstLastFrame, ImageURL: "/frame.png"}
	expect.That(t, m.Frame == "a" && reflect.DeepEqual(m.Request, want), m)
	expect.Equal(t, backend.saved, "/a.mp4 of 4.958s: /a.mp4", "saved")
}

type startedAt struct {
	*countedFrames
	frame int
}

func (s startedAt) Start() (int, time.Duration) { return s.frame, picture.FrameTime }

// countingPainter has pictures of 2000 × 1000 pixels, notes the areas, and counts how many files are drawn at the same time.
type countingPainter struct {
	mu        sync.Mutex
	now, most int
	loads     []string
	areas     []string
	cancelled []string
	block     chan struct{} // not nil: Load waits for it or for its context
	began     chan string
	lastID    int
}

func (*countingPainter) Frames() bool { return false }

func (c *countingPainter) Load(ctx context.Context, path string, cols, rows int, on picture.Terminal) (picture.Picture, error) {
	c.mu.Lock()
	c.now++
	c.most = max(c.most, c.now)
	c.loads, c.areas = append(c.loads, path), append(c.areas, fmt.Sprintf("%d×%d", cols, rows))
	c.lastID++
	id := c.lastID
	c.mu.Unlock()
	defer simtest.Locked(&c.mu, func() { c.now-- })
	if c.began != nil {
		c.began <- path
	}
	if c.block != nil {
		select {
		case <-c.block:
		case <-ctx.Done():
			simtest.Locked(&c.mu, func() { c.cancelled = append(c.cancelled, path) })
			return picture.Picture{}, ctx.Err()
		}
	}
	if strings.HasPrefix(path, "broken") {
		return picture.Picture{}, errors.New("the picture is damaged")
	} else if path == "video" {
		return picture.Picture{}, picture.ErrNoPoster
	}
	p := picture.Picture{Lines: []string{strings.Repeat("▀", cols)}, Width: 2000, Height: 1000, Cols: cols}
	if on.Mode == picture.ModeKitty {
		p.Graphic = &picture.Graphic{ID: id, Transmit: "pixels of " + path, Lines: []string{"placeholders of " + path}}
	}
	return p, nil
}

func (c *countingPainter) loaded() string { return c.list(&c.loads) }
func (c *countingPainter) gaveUp() string { return c.list(&c.cancelled) }

func (c *countingPainter) list(names *[]string) string {
	return simtest.Read(&c.mu, func() string { return strings.Join(*names, " ") })
}

// bench is a provider and what it wrote to the terminal.
type bench struct {
	*Thumbs
	raw     []string
	answers bool          // the terminal answers for each image, at once
	others  func(tea.Msg) // takes what else the provider would
}

func newBench(t *testing.T, painter env.Painter) *bench {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	k := &env.Env{Context: ctx, Words: words.For("en"), Theme: theme.Choice{}.Theme(theme.Dark, colorprofile.TrueColor), Clock: time.Now}
	k.Painter, k.Mode = painter, picture.ModeBlocks
	b := &bench{Thumbs: NewThumbs(k)}
	b.others = func(m tea.Msg) { b.Update(m) }
	return b
}

// run does a command and all that follow from it, as App does.
func (b *bench) run(cmd tea.Cmd) {
	if cmd != nil {
		b.handle(cmd())
	}
}

func (b *bench) handle(message tea.Msg) {
	switch m := message.(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range m {
			b.run(c)
		}
	case tea.RawMsg:
		b.raw = append(b.raw, fmt.Sprint(m.Msg))
		if b.answers {
			b.Update(msg.ArrivedMsg{ID: len(b.raw), OK: true})
		}
	case msg.SequencedMsg:
		b.handle(m.Message)
		b.run(msg.Sequence(m.Rest...))
	default:
		b.others(m)
	}
}

func thumbs(names ...string) []Thumb {
	return api.Map(names, func(name string) Thumb { return Thumb{Path: name, Cols: 10, Rows: 3} })
}

func (b *bench) drawn(t *testing.T, name string) (string, ThumbState) {
	t.Helper()
	lines, state := b.Lines(Thumb{Path: name, Cols: 10, Rows: 3})
	expect.Equal(t, len(lines), 3, name, "lines")
	return strings.Join(lines, "|"), state
}

func TestThumbnailsAreDrawnOneAtATimeInTheirOrder(t *testing.T) {
	t.Parallel()
	painter := &countingPainter{}
	b := newBench(t, painter)
	before := b.Edits
	cmd := b.Want(thumbs("b", "a", "broken", "video", "c"))
	_, state := b.drawn(t, "a")
	expect.Equal(t, state, ThumbLoading, "before it was drawn")
	b.run(cmd)
	expect.Equal(t, painter.loaded(), "b a broken video c", "drawn")
	expect.Equal(t, painter.most, 1, "drawn at a time")
	expect.That(t, b.Edits >= before+4, b.Edits-before, "changes")
	lines, state := b.drawn(t, "a")
	expect.Equal(t, lines, strings.Repeat(" ", 10)+"|▀▀▀▀▀▀▀▀▀▀|"+strings.Repeat(" ", 10), "it fills its box")
	expect.Equal(t, state, ThumbReady)
	lines, state = b.drawn(t, "broken")
	expect.That(t, state == ThumbNone && strings.Contains(lines, "preview"), lines, state)
	_, state = b.drawn(t, "video")
	expect.That(t, state == ThumbReady && b.Mean(thumbs("video")[0]).A != 0, "a video without a frame has colours of its own", state)
	b.run(b.Want(thumbs("a", "b", "broken")))
	b.run(b.Want(nil))
	b.run(b.Want(thumbs("a", "b")))
	expect.Equal(t, painter.loaded(), "b a broken video c", "drawn again")
}

func TestThumbnailsOutOfViewAreCancelled(t *testing.T) {
	t.Parallel()
	painter := &countingPainter{block: make(chan struct{}), began: make(chan string, 9)}
	b := newBench(t, painter)
	worker := b.Want(thumbs("a", "b", "c"))
	answers := make(chan tea.Msg, 1)
	go func() { answers <- worker() }()
	<-painter.began
	// Update goes on while a file is being drawn: nothing here waits for it.
	expect.That(t, b.Want(thumbs("a", "c")) == nil, "a second command draws")
	expect.That(t, b.Want(thumbs("d", "a")) == nil && painter.gaveUp() == "", "what is still wanted began anew")
	expect.That(t, b.Want(thumbs("e", "f")) == nil, "a second command draws")
	next := <-painter.began
	expect.That(t, next == "e" && painter.gaveUp() == "a", "after", painter.gaveUp(), "came", next)
	b.Want(nil)
	expect.That(t, <-answers == nil, "an answer that nobody wants")
	expect.Equal(t, painter.gaveUp()+" of "+painter.loaded(), "a e of a e", "cancelled")
	expect.Equal(t, painter.most, 1, "drawn at a time")
	// Wanted again, it begins anew.
	painter.block = nil
	b.run(b.Want(thumbs("a")))
	_, state := b.drawn(t, "a")
	expect.Equal(t, state, ThumbReady)
}

func TestOneThatIsWantedAgainWhileItIsCancelledBeginsAnew(t *testing.T) {
	t.Parallel()
	painter := &countingPainter{block: make(chan struct{}), began: make(chan string, 9)}
	b := newBench(t, painter)
	worker := b.Want(thumbs("a"))
	done := make(chan tea.Msg, 1)
	go func() { done <- worker() }()
	<-painter.began
	b.Want(nil)
	again := b.Want(thumbs("a")) // nil while the first command still goes on: that one draws it then
	close(painter.block)
	b.handle(<-done)
	b.run(again)
	_, state := b.drawn(t, "a")
	expect.Equal(t, state, ThumbReady, "after", painter.loaded())
}

func TestPixelsAreFreedOutOfView(t *testing.T) {
	t.Parallel()
	painter := &countingPainter{}
	b := newBench(t, painter)
	b.k.Mode = picture.ModeKitty
	b.run(b.Want(thumbs("a", "b")))
	expect.Must(t, len(b.raw) == 2 && strings.Contains(b.raw[0], "pixels of a"), "sent", b.raw)
	lines, _ := b.drawn(t, "a")
	expect.Contains(t, lines, "▀", "placeholders before the terminal answered")
	expect.That(t, b.Update(msg.ArrivedMsg{ID: 1, OK: true}), "an answer is not taken")
	expect.That(t, !b.Update(msg.ArrivedMsg{ID: 9, OK: true}) && !b.Update(msg.ArrivedMsg{ID: 2}), "answers are not told apart")
	lines, _ = b.drawn(t, "a")
	expect.Contains(t, lines, "placeholders of a")
	for id, left := range [][]Thumb{thumbs("b"), nil} {
		b.raw = nil
		b.run(b.Want(left))
		expect.That(t, len(b.raw) == 1 && b.raw[0] == picture.Erase(id+1, false), "out of view", b.raw, "was sent")
	}
	b.raw = nil
	b.run(b.Want(thumbs("a")))
	expect.That(t, len(b.raw) == 1 && strings.Contains(b.raw[0], "pixels of a") && painter.lastID == 3, "in view again, sent", b.raw)
	// One that comes when it is no longer wanted is not sent.
	var drawn tea.Msg
	for _, c := range b.Want(thumbs("c"))().(tea.BatchMsg) {
		if sequence, ok := c().(msg.SequencedMsg); ok {
			drawn = sequence
		}
	}
	b.run(b.Want(nil))
	b.raw = nil
	b.handle(drawn)
	b.run(b.Want(nil))
	expect.Equal(t, len(b.raw), 0, "sent late", b.raw)
}

// However fast the terminal is, its answer finds who shows the image.
func TestTheTerminalsAnswerIsNeverTooEarly(t *testing.T) {
	t.Parallel()
	b := newBench(t, &countingPainter{})
	b.k.Mode, b.answers = picture.ModeKitty, true
	b.run(b.Want(thumbs("a", "b")))
	for _, name := range []string{"a", "b"} {
		lines, _ := b.drawn(t, name)
		expect.Contains(t, lines, "placeholders of "+name)
	}
}

func TestAnotherWayToDrawReplacesWhatIsInView(t *testing.T) {
	t.Parallel()
	painter := &countingPainter{}
	b := newBench(t, painter)
	b.run(b.Want(thumbs("a")))
	b.k.Mode = picture.ModeKitty
	b.run(b.Want(thumbs("a")))
	expect.That(t, painter.loaded() == "a a" && len(b.raw) == 1, "drawn", painter.loaded(), "sent", b.raw)
}

func TestThumbnailsKeepBoundedMemory(t *testing.T) {
	t.Parallel()
	b := newBench(t, &countingPainter{})
	for i := range 1000 {
		b.run(b.Want([]Thumb{{Path: fmt.Sprint(i), Cols: 2000, Rows: 3}}))
	}
	held := 0
	for _, one := range b.known {
		for _, l := range one.lines {
			held += len(l)
		}
	}
	expect.That(t, held <= maxThumbBytes+2000*len("▀"), held, "bytes are held")
	_, state := b.Lines(Thumb{Path: "999", Cols: 2000, Rows: 3})
	expect.Equal(t, state, ThumbReady, "the one in view")
}

// Without colours the styles are alike: the bar alone says which picture is chosen.
func TestOnlyTheChosenPictureHasABar(t *testing.T) {
	f := Frame{Theme: theme.Choice{}.Theme(theme.Dark, colorprofile.Ascii), Open: true, Cols: 3, Rows: 1, Body: []string{"abc"}, Filled: true}
	for _, chosen := range []bool{false, true} {
		f.Chosen = chosen
		expect.Equal(t, strings.Contains(strings.Join(f.Lines(), ""), "▎"), chosen, "chosen", f.Lines())
	}
}

func TestChangesBeginWhereTheyAre(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, after, want string }{
		{"a boat at dawn", "a boat at dusk", "… boat at [dusk]"},
		{"a boat with macro lens", "a boat", "− [with][ ][macro][ ][lens]"},
		{"a boat", "a boat", "a boat"},
	} {
		expect.Equal(t, marked(Changes(c.before, c.after)), c.want, c.before, "to", c.after)
	}
}

// FuzzName: a name ends, is no wider than its room, and tells it from others with the same title.
func FuzzName(f *testing.F) {
	f.Add("blue kite dusk kite blue the", "in · blue", 5)
	f.Add("红色的纸船 on a pond", "红色 · pond · dawn", 12)
	var r state.Row
	r.Title, r.Label = "一只红色的狐狸在雪地里 红", "红"
	expect.Equal(f, Name(&r, 16), "一只红色的… · 红", "the name of one of several")
	r.Title, r.Label = "a green kite over the sea at dawn", "green · the sea at dawn"
	expect.Equal(f, Name(&r, 15), "green · the se…", "where two values leave the title no room")
	f.Fuzz(func(t *testing.T, title, label string, w int) {
		r.Title, r.Label, w = title, label, 4+w&63
		plain := theme.Width(title) == len(title) && theme.Width(label) == len(label)
		expect.That(t, theme.Width(Name(&r, w)) <= w || !plain, "a name is wider than", w, Name(&r, w))
	})
}
