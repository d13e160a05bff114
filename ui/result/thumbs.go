package result

import (
	"cmp"
	"context"
	"errors"
	"hash/fnv"
	"image"
	"image/color"
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Thumb is a saved file, and the box in cells that its thumbnail has.
type Thumb struct {
	Path       string
	Cols, Rows int
	Stills     image.Point // of a video: so many frames across and down
	Bare       bool        // its lines are the picture alone, not filled up to the box
	// Poster is a picture that takes the place of one that cannot be drawn: of a video,
	// what it was made from.
	Poster string
}

// ThumbState is how far a thumbnail is.
type ThumbState int

// States. Of ThumbNone the lines say why.
const (
	ThumbLoading ThumbState = iota
	ThumbReady
	ThumbNone
)

// maxThumbBytes bounds the lines of thumbnails that a provider keeps for when they
// come into view again; their files are quick to read again.
const maxThumbBytes = 1 << 20

// Thumbs provides the thumbnails of a screen. One file at a time is decoded, in
// commands; what is no longer in view is cancelled and leaves the terminal.
type Thumbs struct {
	k     *env.Env
	queue *thumbQueue
	known map[Thumb]*thumbnail
	Edits uint64 // grows with each change of what Lines gives
	// Late is how long the pixels of what comes now wait: until it has sharpened.
	Late time.Duration
}

type thumbnail struct {
	look   picture.Terminal // for which it was drawn
	got    picture.Picture  // its Graphic is in the terminal's memory
	lines  []string         // of got, in blocks or pixels; nil before it came
	err    error
	inView bool
	pixels bool // the terminal holds the graphic, and lines show it
	freed  bool // there was one
}

type thumbMsg struct {
	to    *thumbQueue
	ask   thumbAsk
	got   picture.Picture
	err   error
	taken *atomic.Int64 // above 0 when it is shown: its pixels may be sent so many ns later
}

// NewThumbs makes a provider that has nothing in view.
func NewThumbs(k *env.Env) *Thumbs {
	return &Thumbs{k: k, queue: &thumbQueue{stop: func() {}}, known: map[Thumb]*thumbnail{}}
}

// Want says what is in view now, the most wanted first; a screen that leaves
// the view wants nothing. It is called in Update, as often as one likes: what
// is there or under way is not begun again.
func (t *Thumbs) Want(visible []Thumb) tea.Cmd {
	look := t.k.Terminal
	for _, th := range t.known {
		th.inView = false
	}
	var asks []thumbAsk
	for _, th := range visible {
		if !t.possible(th) {
			continue
		}
		one := cmp.Or(t.known[th], &thumbnail{})
		t.known[th] = one
		if one.inView {
			continue // it is shown twice
		}
		one.inView = true
		if one.look != look || one.freed || one.err == nil && one.lines == nil {
			asks = append(asks, thumbAsk{th, look})
		}
	}
	// Let go of pixels that are out of view or of another look, of failures out of view,
	// which may end, and of all lines out of view when they are too many.
	var cmds []tea.Cmd
	hidden := 0 // bytes
	for _, one := range t.known {
		if one.got.Graphic != nil && (!one.inView || one.look != look) {
			cmds = append(cmds, tea.Raw(picture.Erase(one.got.Graphic.ID, t.k.Tmux)))
			if one.pixels { // the lines name what is being erased
				one.lines = nil
			}
			one.got.Graphic, one.pixels, one.freed = nil, false, true
		}
		for _, l := range one.lines {
			if !one.inView {
				hidden += len(l)
			}
		}
	}
	maps.DeleteFunc(t.known, func(_ Thumb, one *thumbnail) bool {
		return !one.inView && (one.lines == nil || hidden > maxThumbBytes)
	})
	if t.queue.replace(asks) {
		cmds = append(cmds, drawNext(t.k.Context, t.queue, t.k.Painter))
	}
	return tea.Batch(cmds...)
}

// of is what is known of a thumbnail, the zero thumbnail if nothing is.
func (t *Thumbs) of(th Thumb) *thumbnail { return cmp.Or(t.known[th], &noThumb) }

var noThumb thumbnail

func (t *Thumbs) possible(th Thumb) bool {
	return t.k.Painter != nil && t.k.Mode != picture.ModeOff && th.Path != "" && th.Cols > 0 && th.Rows > 0
}

// Update takes the answers to what was wanted, and the terminal's to what it
// was sent. It reports whether Lines gives something else now.
func (t *Thumbs) Update(message tea.Msg) (changed bool) {
	switch m := message.(type) {
	case thumbMsg:
		one, th := t.known[m.ask.thumb], m.ask.thumb
		if changed = m.to == t.queue && one != nil && one.inView && t.k.Terminal == m.ask.look; !changed {
			break // it is no longer in view
		}
		if errors.Is(m.err, picture.ErrNoPoster) && t.k.Theme.Grounds() {
			m.got, m.err = t.standIn(th), nil
		}
		*one = thumbnail{look: m.ask.look, got: m.got, err: m.err, inView: true}
		if m.err == nil {
			one.lines = th.boxed(m.got.Lines)
		}
		m.taken.Store(int64(t.Late) + 1)
	case msg.ArrivedMsg: // the pixels take the place of the blocks
		for th, one := range t.known {
			if g := one.got.Graphic; g != nil && g.ID == m.ID && m.OK && !one.pixels {
				one.pixels, one.lines, changed = true, th.boxed(g.Lines), true
			}
		}
	}
	if changed {
		t.Edits++
	}
	return changed
}

// Gradient stands for a picture of which nothing is known but a text.
func Gradient(k *env.Env, text string) picture.Picture {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	return picture.Gradient(h.Sum64(), k.Theme.Colours)
}

// Examples are prompts of what can be made, which Env.Example draws.
func Examples(k *env.Env) []string {
	return []string{
		k.Say("a paper boat in a rain gutter, macro"), k.Say("a harbour at dawn, gouache"), k.Say("two koi in black water, neon"),
	}
}

// standIn takes the place of a video's frame, which cannot be drawn here. A large one says so.
func (t *Thumbs) standIn(th Thumb) picture.Picture {
	k, p := t.k, Gradient(t.k, th.Path)
	cols, rows := FitRatio(CellRatio(k, 16.0/9), th.Cols, th.Rows)
	p.Cols, p.Lines = cols, p.Rough(picture.Rough{Cols: cols, Rows: rows, Side: 1, Share: 0.8, Ground: k.Theme.Page.Colour})
	if th.Cols >= minText {
		chip := k.Theme.Chip(k.Say("no preview"))
		widget.Overlay(p.Lines, []string{chip}, (cols-theme.Width(chip))/2, rows/2)
	}
	return p
}

// boxed puts a picture's lines in the middle of its box, which they fill: whoever puts
// them next to others need not measure them.
func (th Thumb) boxed(lines []string) []string {
	if th.Bare {
		return lines
	}
	return Centred(lines, th.Cols, th.Rows)
}

// Lines draws a thumbnail: Rows lines of Cols cells each. They are blank while
// it loads, and say why there is none.
func (t *Thumbs) Lines(th Thumb) ([]string, ThumbState) {
	one := t.of(th)
	switch {
	case !t.possible(th):
		return th.boxed(nil), ThumbNone
	case one.err != nil:
		return Centred([]string{t.k.Theme.Muted.Paint(t.k.Say("no preview")), t.k.Theme.Key.Paint(t.k.Key("open", "o")) +
			t.k.Theme.Muted.Paint(" "+t.k.Say("open"))}, th.Cols, th.Rows), ThumbNone
	case one.lines == nil:
		return th.boxed(nil), ThumbLoading
	}
	return one.lines, ThumbReady
}

// Rough draws a thumbnail otherwise than it is; nil as long as its pixels are not known.
func (t *Thumbs) Rough(th Thumb, r picture.Rough) []string {
	lines := t.of(th).got.Rough(r)
	if r.Cols == 0 && r.Seen == 0 && lines != nil {
		lines = th.boxed(lines)
	}
	return lines
}

// Mean is a thumbnail's mean colour; of none before it came.
func (t *Thumbs) Mean(th Thumb) color.RGBA { return t.of(th).got.Mean }

// Chipped puts words onto the last line that a picture takes of its thumbnail's box, if what is seen of it has room.
// A picture in sixels has to stay whole.
func (t *Thumbs) Chipped(th Thumb, lines []string, words string) []string {
	to, wide := th.Rows, th.Cols
	if got := &t.of(th).got; len(got.Lines) > 0 {
		to, wide = (th.Rows+len(got.Lines))/2, got.Cols
	}
	chip, x := ansi.ResetStyle+t.k.Theme.Element.Lay(" "+words+" "), (th.Cols-wide)/2+1
	if w := theme.Width(chip); words == "" || t.k.Mode == picture.ModeSixel || w >= wide || to > len(lines) || x+w > theme.Width(lines[to-1]) {
		return lines
	}
	return widget.Overlay(slices.Clone(lines), []string{chip}, x, to-1)
}

// StripRows is how high n frames of a video are side by side in so many columns; 0 if they cannot be drawn.
func StripRows(k *env.Env, r api.Request, cols, n int) int {
	if k.Painter == nil || !k.Painter.Frames() {
		return 0
	}
	each, _ := picture.Spread(cols, n)
	if k.Mode != picture.ModeBlocks { // a few pixels part them
		each = (cols + n - 1) / n
	}
	_, high := FitRatio(CellRatio(k, Ratio(r)), max(each, 1), cols)
	return high
}

// Frames are the lines of a thumbnail that asks for frames side by side, and when each of them is in a
// video of so many seconds.
func (t *Thumbs) Frames(th Thumb, duration string) []string {
	lines, state := t.Lines(th)
	parts, times := make([]string, len(lines)), ""
	each, gap := picture.Spread(th.Cols, th.Stills.X)
	whole := each > gap && t.of(th).got.Cols == th.Cols // else the clip has another ratio than was asked for
	seconds, _ := strconv.Atoi(duration)
	for n := 0; n < th.Stills.X && whole; n++ {
		from := n * (each + gap)
		if seconds > 0 && each+gap > 5 {
			times = theme.Fit(times, from) + t.k.Say("%.1f s", float64(n*seconds)/float64(th.Stills.X))
		}
		for y := range lines { // between them is the ground
			parts[y] = theme.Fit(parts[y], from) + picture.Window(lines[y:y+1], from, 0, each, 1)[0]
		}
	}
	if state == ThumbReady && !(whole && t.k.Mode == picture.ModeBlocks) {
		parts = lines // else they are blank without frames: the picture says why
	}
	return append(slices.Clip(parts), theme.Fit(t.k.Theme.Muted.Paint(times), th.Cols))
}

// Close takes the overlay that shows the thumbnails out of view, and them out of the
// terminal; then follow other messages.
func (t *Thumbs) Close(then ...tea.Msg) tea.Cmd {
	return tea.Batch(t.k.Do(msg.ClosedMsg{}), t.k.Do(then...), t.Want(nil))
}

// Why is a sentence about why there is no thumbnail, "" unless one has failed.
func (t *Thumbs) Why(th Thumb) string {
	return env.Sentence(t.k, t.of(th).err)
}

// thumbQueue are the thumbnails that are still to be drawn. Update fills it,
// one command at a time empties it.
type thumbQueue struct {
	mu      sync.Mutex
	asks    []thumbAsk // the most wanted first
	now     thumbAsk   // being drawn; the zero ask is none
	stop    context.CancelFunc
	working bool // a command empties it
}

// thumbAsk is everything that a drawing depends on.
type thumbAsk struct {
	thumb Thumb
	look  picture.Terminal
}

// replace puts other asks in the place of all, and ends what is being drawn
// when it is not among them. It reports whether work has to be begun.
func (q *thumbQueue) replace(asks []thumbAsk) (begin bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(asks, q.now); i >= 0 {
		asks = slices.Delete(asks, i, i+1)
	} else if q.now != (thumbAsk{}) {
		q.stop()
		q.now = thumbAsk{} // wanted again, it starts over
	}
	q.asks = asks
	begin = len(asks) > 0 && !q.working
	q.working = q.working || begin
	return begin
}

// take is the next ask and the context that ends with it.
func (q *thumbQueue) take(ctx context.Context) (context.Context, thumbAsk, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stop()
	q.now = thumbAsk{}
	if len(q.asks) == 0 || ctx.Err() != nil {
		q.working = false
		return ctx, thumbAsk{}, false
	}
	q.now, q.asks = q.asks[0], q.asks[1:]
	ctx, q.stop = context.WithCancel(ctx)
	return ctx, q.now, true
}

// drawNext draws the next thumbnail, and goes on when it has been taken.
func drawNext(program context.Context, q *thumbQueue, painter env.Painter) tea.Cmd {
	return func() tea.Msg {
		for {
			ctx, ask, ok := q.take(program)
			if !ok {
				return nil
			}
			on, m := ask.look, thumbMsg{to: q, ask: ask, taken: new(atomic.Int64)}
			on.Stills = ask.thumb.Stills
			m.got, m.err = painter.Load(ctx, ask.thumb.Path, ask.thumb.Cols, ask.thumb.Rows, on)
			if poster := ask.thumb.Poster; m.err != nil && poster != "" {
				m.got, m.err = painter.Load(ctx, poster, ask.thumb.Cols, ask.thumb.Rows, on)
			}
			if ctx.Err() != nil {
				continue
			}
			rest := drawNext(program, q, painter)
			if m.got.Graphic != nil { // after the message: the terminal's answer needs who shows the image
				rest = tea.Batch(func() tea.Msg {
					late := m.taken.Load()
					if late == 0 {
						return nil
					}
					env.Pause(program, time.Duration(late-1))
					return tea.Raw(m.got.Graphic.Transmit)()
				}, rest)
			}
			return msg.SequencedMsg{Message: m, Rest: []tea.Cmd{rest}}
		}
	}
}

// Preview is one file as large as its room: a thumbnail of one. Until that is
// drawn, what it had of the same file stays.
type Preview struct {
	thumbs          *Thumbs
	asked           Thumb
	picture.Picture        // once it is drawn; its lines may show pixels
	Why             string // why there is none
	Drawn           bool   // what was asked for last; until then Lines may be of another size
}

// NewPreview makes a preview that has asked nothing.
func NewPreview(k *env.Env) Preview { return Preview{thumbs: NewThumbs(k)} }

// Loading reports whether a picture is being drawn that shows nothing yet.
func (p *Preview) Loading() bool { return p.asked.Path != "" && p.Lines == nil && p.Why == "" }

// Close ends what is being drawn and makes the terminal forget the image.
func (p *Preview) Close() tea.Cmd {
	*p = Preview{thumbs: p.thumbs}
	return p.thumbs.Want(nil)
}

// Want asks for a file's picture and others below it; the same question is asked once. What was
// asked for before is not drawn any more.
func (p *Preview) Want(th Thumb, below ...Thumb) tea.Cmd {
	if th.Path == "" || p.thumbs.k.Painter == nil || th.Cols < 4 || th.Rows < 2 {
		return nil
	}
	th.Bare = true
	before := p.thumbs.of(p.asked)
	pixels := before.pixels
	cmd := p.thumbs.Want(append([]Thumb{th}, below...))
	switch {
	case th.Path != p.asked.Path:
		*p = Preview{thumbs: p.thumbs}
	case pixels && !before.pixels: // Lines name an image that is being erased
		p.Lines, p.Drawn = nil, false
	case th != p.asked:
		p.Drawn = false
	}
	p.asked = th
	p.show()
	return cmd
}

// Update takes the answers, and reports whether something else is shown now.
func (p *Preview) Update(message tea.Msg) bool {
	changed := p.thumbs.Update(message)
	if changed {
		p.show()
	}
	return changed
}

// Frames are those of a thumbnail below the picture.
func (p *Preview) Frames(th Thumb, duration string) []string { return p.thumbs.Frames(th, duration) }

// Chipped puts words onto the picture's last line; lines are its box.
func (p *Preview) Chipped(lines []string, words string) []string {
	return p.thumbs.Chipped(p.asked, lines, words)
}

func (p *Preview) show() {
	one := p.thumbs.of(p.asked)
	if one.lines == nil && one.err == nil {
		return
	}
	p.Picture, p.Why, p.Drawn = one.got, p.thumbs.Why(p.asked), true
	p.Lines = one.lines
}
