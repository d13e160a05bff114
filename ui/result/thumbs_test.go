package result

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
	"darkroom/ui/theme"
	"darkroom/ui/words"
)

// countingPainter counts how many files are drawn at the same time.
type countingPainter struct {
	mu        sync.Mutex
	now, most int
	loads     []string
	cancelled []string
	block     chan struct{} // not nil: Load waits for it or for its context
	began     chan string
	lastID    int
}

func (c *countingPainter) Load(ctx context.Context, path string, cols, rows int, on picture.Terminal) (picture.Picture, error) {
	c.mu.Lock()
	c.now++
	c.most = max(c.most, c.now)
	c.loads = append(c.loads, path)
	c.lastID++
	id := c.lastID
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.now--
		c.mu.Unlock()
	}()
	if c.began != nil {
		c.began <- path
	}
	if c.block != nil {
		select {
		case <-c.block:
		case <-ctx.Done():
			c.mu.Lock()
			c.cancelled = append(c.cancelled, path)
			c.mu.Unlock()
			return picture.Picture{}, ctx.Err()
		}
	}
	if strings.HasPrefix(path, "broken") {
		return picture.Picture{}, errors.New("the picture is damaged")
	}
	p := picture.Picture{Lines: []string{strings.Repeat("▀", cols)}, Cols: cols, Rows: 1}
	if on.Mode == picture.ModeKitty {
		p.Graphic = &picture.Graphic{ID: id, Transmit: "pixels of " + path, Lines: []string{"placeholders of " + path}}
	}
	return p, nil
}

func (c *countingPainter) loaded() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.loads, " ")
}

func (c *countingPainter) gaveUp() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.cancelled, " ")
}

// bench is a provider and what it wrote to the terminal.
type bench struct {
	*Thumbs
	raw     []string
	answers bool // the terminal answers for each image, at once
}

func newBench(t *testing.T, painter env.Painter) *bench {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	k := &env.Env{Context: ctx, Words: words.For("en"), Theme: theme.Choice{}.Theme(theme.Dark, colorprofile.TrueColor), Painter: painter, Mode: picture.ModeBlocks}
	return &bench{Thumbs: NewThumbs(k)}
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
		b.Update(m)
	}
}

func thumbs(names ...string) []Thumb {
	var all []Thumb
	for _, n := range names {
		all = append(all, Thumb{Path: n, Cols: 10, Rows: 3})
	}
	return all
}

func (b *bench) drawn(t *testing.T, name string) (string, ThumbState) {
	t.Helper()
	lines, state := b.Lines(Thumb{Path: name, Cols: 10, Rows: 3})
	if len(lines) != 3 {
		t.Errorf("%s has %d lines", name, len(lines))
	}
	return strings.Join(lines, "|"), state
}

func TestThumbnailsAreDrawnOneAtATimeInTheirOrder(t *testing.T) {
	t.Parallel()
	painter := &countingPainter{}
	b := newBench(t, painter)
	before := b.Edits()
	cmd := b.Want(thumbs("b", "a", "broken", "c"))
	if _, state := b.drawn(t, "a"); state != ThumbLoading {
		t.Errorf("state %d before it was drawn", state)
	}
	b.run(cmd)
	if got := painter.loaded(); got != "b a broken c" || painter.most != 1 {
		t.Errorf("drawn %q, %d at a time", got, painter.most)
	}
	if b.Edits() < before+4 {
		t.Errorf("%d changes", b.Edits()-before)
	}
	if lines, state := b.drawn(t, "a"); state != ThumbReady || lines != strings.Repeat(" ", 10)+"|▀▀▀▀▀▀▀▀▀▀|"+strings.Repeat(" ", 10) { // it fills its box
		t.Errorf("%q, %d", lines, state)
	}
	if lines, state := b.drawn(t, "broken"); state != ThumbNone || !strings.Contains(lines, "preview") {
		t.Errorf("%q, %d", lines, state)
	}
	b.run(b.Want(thumbs("a", "b", "broken")))
	b.run(b.Want(nil))
	b.run(b.Want(thumbs("a", "b")))
	if got := painter.loaded(); got != "b a broken c" {
		t.Errorf("drawn again: %q", got)
	}
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
	if cmd := b.Want(thumbs("a", "c")); cmd != nil {
		t.Error("a second command draws")
	}
	if cmd := b.Want(thumbs("d", "a")); cmd != nil || painter.gaveUp() != "" {
		t.Error("what is still wanted began anew")
	}
	if cmd := b.Want(thumbs("e", "f")); cmd != nil {
		t.Error("a second command draws")
	}
	if next := <-painter.began; next != "e" || painter.gaveUp() != "a" {
		t.Errorf("after %q came %q", painter.gaveUp(), next)
	}
	b.Want(nil)
	if m := <-answers; m != nil {
		t.Errorf("an answer that nobody wants: %v", m)
	}
	if painter.gaveUp() != "a e" || painter.most != 1 || painter.loaded() != "a e" {
		t.Errorf("cancelled %q of %q, %d at a time", painter.gaveUp(), painter.loaded(), painter.most)
	}
	// Wanted again, it begins anew.
	painter.block = nil
	b.run(b.Want(thumbs("a")))
	if _, state := b.drawn(t, "a"); state != ThumbReady {
		t.Errorf("state %d", state)
	}
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
	if _, state := b.drawn(t, "a"); state != ThumbReady {
		t.Errorf("state %d after %q", state, painter.loaded())
	}
}

func TestPixelsAreFreedOutOfView(t *testing.T) {
	t.Parallel()
	painter := &countingPainter{}
	b := newBench(t, painter)
	b.k.Mode = picture.ModeKitty
	b.run(b.Want(thumbs("a", "b")))
	if len(b.raw) != 2 || !strings.Contains(b.raw[0], "pixels of a") {
		t.Fatalf("sent %q", b.raw)
	}
	if lines, _ := b.drawn(t, "a"); !strings.Contains(lines, "▀") {
		t.Errorf("placeholders before the terminal answered: %q", lines)
	}
	if !b.Update(msg.ArrivedMsg{ID: 1, OK: true}) || b.Update(msg.ArrivedMsg{ID: 9, OK: true}) || b.Update(msg.ArrivedMsg{ID: 2}) {
		t.Error("answers are not told apart")
	}
	if lines, _ := b.drawn(t, "a"); !strings.Contains(lines, "placeholders of a") {
		t.Errorf("%q", lines)
	}
	b.raw = nil
	b.run(b.Want(thumbs("b")))
	if len(b.raw) != 1 || b.raw[0] != picture.Erase(1, false) {
		t.Errorf("out of view, %q was sent", b.raw)
	}
	b.raw = nil
	b.run(b.Want(nil))
	if len(b.raw) != 1 || b.raw[0] != picture.Erase(2, false) {
		t.Errorf("out of view, %q was sent", b.raw)
	}
	b.raw = nil
	b.run(b.Want(thumbs("a")))
	if len(b.raw) != 1 || !strings.Contains(b.raw[0], "pixels of a") || painter.lastID != 3 {
		t.Errorf("in view again, %q was sent", b.raw)
	}
	// One that comes when it is no longer wanted is not sent.
	cmd := b.Want(thumbs("c"))
	b.raw = nil
	late := cmd().(tea.BatchMsg)
	var drawn tea.Msg
	for _, c := range late {
		if m := c(); m != nil {
			if sequence, ok := m.(msg.SequencedMsg); ok {
				drawn = sequence
			}
		}
	}
	b.run(b.Want(nil))
	b.raw = nil
	b.handle(drawn)
	b.run(b.Want(nil))
	if len(b.raw) != 0 {
		t.Errorf("late, %q was sent", b.raw)
	}
}

// However fast the terminal is, its answer finds who shows the image.
func TestTheTerminalsAnswerIsNeverTooEarly(t *testing.T) {
	t.Parallel()
	b := newBench(t, &countingPainter{})
	b.k.Mode, b.answers = picture.ModeKitty, true
	b.run(b.Want(thumbs("a", "b")))
	for _, name := range []string{"a", "b"} {
		if lines, _ := b.drawn(t, name); !strings.Contains(lines, "placeholders of "+name) {
			t.Errorf("%s is drawn as %q", name, lines)
		}
	}
}

func TestAnotherWayToDrawReplacesWhatIsInView(t *testing.T) {
	t.Parallel()
	painter := &countingPainter{}
	b := newBench(t, painter)
	b.run(b.Want(thumbs("a")))
	b.k.Mode = picture.ModeKitty
	b.run(b.Want(thumbs("a")))
	if painter.loaded() != "a a" || len(b.raw) != 1 {
		t.Errorf("drawn %q, sent %q", painter.loaded(), b.raw)
	}
}

func TestThumbnailsKeepBoundedMemory(t *testing.T) {
	t.Parallel()
	painter := &countingPainter{}
	b := newBench(t, painter)
	for i := range 1000 {
		b.run(b.Want([]Thumb{{Path: fmt.Sprint(i), Cols: 2000, Rows: 3}}))
	}
	held := 0
	for _, one := range b.known {
		for _, l := range one.lines {
			held += len(l)
		}
	}
	if held > maxThumbBytes+2000*len("▀") || len(b.order) != len(b.known) {
		t.Errorf("%d bytes are held, %d of %d known", held, len(b.order), len(b.known))
	}
	if _, state := b.Lines(Thumb{Path: "999", Cols: 2000, Rows: 3}); state != ThumbReady {
		t.Error("the one in view was dropped")
	}
}

// The place of a picture in its box is known before the picture comes.
func TestPicturesTakeTheirPlaceBeforeTheyCome(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "wide.png")
	var content bytes.Buffer
	if err := png.Encode(&content, image.NewGray(image.Rect(0, 0, 800, 100))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	b, th := newBench(t, picture.NewLoader(false)), Thumb{Path: path, Cols: 24, Rows: 8}
	first := b.Want([]Thumb{th})().(msg.SequencedMsg)
	b.handle(first.Message)
	from, to, wide := b.Span(th)
	if _, state := b.Lines(th); state != ThumbLoading || to-from >= th.Rows/2 || wide != th.Cols {
		t.Errorf("before it comes: state %v, lines %d to %d", state, from, to)
	}
	b.run(msg.Sequence(first.Rest...))
	lines, state := b.Lines(th)
	if f, to2, wide2 := b.Span(th); wide2 != wide || state != ThumbReady || f != from || to2 != to || !strings.Contains(lines[from], "▀") || strings.Contains(lines[from-1], "▀") {
		t.Errorf("when it is there: state %v, lines %d to %d, before %d to %d:\n%s", state, f, to2, from, to, strings.Join(lines, "\n"))
	}
}

// TestPassedOverFilesAreNotMeasured: of what was scrolled past not even the header
// is read.
func TestPassedOverFilesAreNotMeasured(t *testing.T) {
	t.Parallel()
	q := &thumbQueue{}
	past, here := thumbAsk{thumb: Thumb{Path: "past.png", Cols: 10, Rows: 5}}, thumbAsk{thumb: Thumb{Path: "here.png", Cols: 10, Rows: 5}}
	for _, ask := range []thumbAsk{past, here} {
		q.replace([]thumbAsk{ask}, []thumbAsk{ask})
	}
	if !slices.Equal(q.unsized, []thumbAsk{here}) {
		t.Errorf("it measures %+v", q.unsized)
	}
}
