package result

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Thumb is a saved file, for a video as well, and the box in cells that its
// thumbnail has.
type Thumb struct {
	Path       string
	Cols, Rows int
}

// ThumbState is how far a thumbnail is.
type ThumbState int

// States. Of a thumbnail that cannot be had, the lines say why.
const (
	ThumbLoading ThumbState = iota
	ThumbReady
	ThumbNone
)

// maxThumbBytes bounds the lines of thumbnails that are out of view, of which
// each provider keeps its own; their files are quick to read again.
const maxThumbBytes = 1 << 20

// Thumbs provides the thumbnails of a screen. One file at a time is decoded,
// in commands; what is no longer in view is cancelled, and its pixels are taken
// out of the terminal's memory.
type Thumbs struct {
	k     *env.Env
	queue *thumbQueue
	known map[Thumb]*thumbnail
	order []Thumb // of known, the one wanted longest ago first
	size  int     // of the lines, in bytes
	stray []int   // images that came after they were wanted
	edits uint64
}

// thumbnail is what is known of one thumb.
type thumbnail struct {
	look   picture.Terminal // for which it was drawn
	lines  []string
	err    error
	inView bool
	area   area // of the picture in its box, also before it comes; zero is not known
	sized  bool // it was asked for
	// graphic is the same in pixels, in the terminal's memory; arrived says
	// that the terminal holds it, and that lines show it.
	graphic *picture.Graphic
	arrived bool
	freed   bool // there was one
}

// thumbMsg brings a thumbnail to those who asked.
type thumbMsg struct {
	to      *thumbQueue
	ask     thumbAsk
	picture picture.Picture
	err     error
}

// NewThumbs makes a provider that has nothing in view.
func NewThumbs(k *env.Env) *Thumbs {
	return &Thumbs{k: k, queue: &thumbQueue{}, known: map[Thumb]*thumbnail{}}
}

// Edits grows with each change of what Lines gives.
func (t *Thumbs) Edits() uint64 { return t.edits }

// Want says what is in view now, the most wanted first; a screen that leaves
// the view wants nothing. It is called in Update, as often as one likes: what
// is there or under way is not begun again.
func (t *Thumbs) Want(visible []Thumb) tea.Cmd {
	look := t.k.Terminal()
	for _, th := range t.known {
		th.inView = false
	}
	var asks []thumbAsk
	var unsized []thumbAsk
	for _, th := range visible {
		if !t.possible(th) {
			continue
		}
		one := t.wanted(th)
		if one.inView {
			continue // it is shown twice
		}
		one.inView = true
		if one.look != look || one.freed || one.err == nil && one.lines == nil {
			asks = append(asks, thumbAsk{th, look})
			if !one.sized {
				one.sized, unsized = true, append(unsized, asks[len(asks)-1])
			}
		}
	}
	cmds := t.free(look)
	if t.queue.replace(asks, unsized) {
		cmds = append(cmds, drawNext(t.k.Context, t.queue, t.k.Painter))
	}
	return tea.Batch(cmds...)
}

// possible reports whether a thumbnail can be drawn at all.
func (t *Thumbs) possible(th Thumb) bool {
	return t.k.Painter != nil && t.k.Mode != picture.ModeOff && th.Path != "" && th.Cols > 0 && th.Rows > 0
}

func (t *Thumbs) wanted(th Thumb) *thumbnail {
	one := t.known[th]
	if one == nil {
		one = &thumbnail{}
		t.known[th] = one
		t.order = append(t.order, th)
	}
	return one
}

// free lets go of the pixels that are out of view or of another look, of the
// failures out of view, which may end, and of the lines that are too many.
func (t *Thumbs) free(look picture.Terminal) []tea.Cmd {
	var cmds []tea.Cmd
	for _, id := range t.stray {
		cmds = append(cmds, t.k.Erase(id))
	}
	t.stray = nil
	var hidden, shown []Thumb
	excess := t.size - maxThumbBytes
	for _, th := range t.order {
		one := t.known[th]
		if one.graphic != nil && (!one.inView || one.look != look) {
			cmds = append(cmds, t.k.Erase(one.graphic.ID))
			if one.arrived { // the lines name what is being erased
				t.keep(one, nil)
			}
			one.graphic, one.arrived, one.freed = nil, false, true
		}
		if !one.inView && (one.lines == nil || excess > 0) {
			excess -= size(one.lines)
			t.keep(one, nil)
			delete(t.known, th)
			continue
		}
		if one.inView {
			shown = append(shown, th)
		} else {
			hidden = append(hidden, th)
		}
	}
	t.order = append(hidden, shown...)
	return cmds
}

// keep puts lines in the place of a thumbnail's old ones.
func (t *Thumbs) keep(one *thumbnail, lines []string) {
	t.size += size(lines) - size(one.lines)
	one.lines = lines
}

func size(lines []string) int {
	n := 0
	for _, l := range lines {
		n += len(l)
	}
	return n
}

// Update takes the answers to what was wanted, and the terminal's to what it
// was sent. It reports whether Lines gives something else now.
func (t *Thumbs) Update(message tea.Msg) bool {
	switch m := message.(type) {
	case thumbMsg:
		return m.to == t.queue && t.take(m)
	case areasMsg:
		return t.areas(m)
	case msg.ArrivedMsg:
		return t.arrived(m)
	}
	return false
}

func (t *Thumbs) areas(m areasMsg) (changed bool) {
	for th, a := range m {
		if one := t.known[th]; one != nil && one.lines == nil && one.err == nil && one.area != a {
			one.area, changed = a, true
		}
	}
	if changed {
		t.edits++
	}
	return changed
}

// take keeps a thumbnail.
func (t *Thumbs) take(m thumbMsg) bool {
	one, graphic := t.known[m.ask.thumb], m.picture.Graphic
	if one == nil || !one.inView || t.k.Terminal() != m.ask.look {
		if graphic != nil {
			t.stray = append(t.stray, graphic.ID)
		}
		return false
	}
	if one.graphic != nil {
		t.stray = append(t.stray, one.graphic.ID)
	}
	one.look, one.err, one.graphic, one.arrived, one.freed = m.ask.look, m.err, graphic, false, false
	one.area = area{m.picture.Cols, len(m.picture.Lines)}
	t.keep(one, nil)
	if m.err == nil {
		t.keep(one, boxed(m.ask.thumb, m.picture.Lines))
	}
	t.edits++
	return true
}

// arrived puts the pixels in the place of the half blocks.
func (t *Thumbs) arrived(m msg.ArrivedMsg) bool {
	for th, one := range t.known {
		if one.graphic == nil || one.graphic.ID != m.ID || one.arrived || !m.OK {
			continue
		}
		one.arrived = true
		t.keep(one, boxed(th, one.graphic.Lines))
		t.edits++
		return true
	}
	return false
}

// boxed puts a picture's lines in the middle of its box, which they fill: whoever
// puts them beside others need not measure them.
func boxed(th Thumb, lines []string) []string {
	all := make([]string, th.Rows)
	top := max(th.Rows-len(lines), 0) / 2
	for y := range all {
		line, width := "", 0
		if at := y - top; at >= 0 && at < len(lines) {
			line, width = lines[at], theme.Width(lines[at])
		}
		left := max(th.Cols-width, 0) / 2
		all[y] = theme.Blank(left) + line + theme.Blank(th.Cols-width-left)
	}
	return all
}

// Lines draws a thumbnail: Rows lines of Cols cells each. They are blank while
// it loads, and say why there is none.
func (t *Thumbs) Lines(th Thumb) ([]string, ThumbState) {
	one := t.known[th]
	switch {
	case !t.possible(th):
		return boxed(th, nil), ThumbNone
	case one != nil && one.err != nil:
		return t.why(th), ThumbNone
	case one == nil || one.lines == nil:
		return boxed(th, nil), ThumbLoading
	}
	return one.lines, ThumbReady
}

// Span are the lines of a thumbnail's box that its picture takes, and how many
// cells of each: all, as long as that is not known.
func (t *Thumbs) Span(th Thumb) (from, to, wide int) {
	a := area{th.Cols, th.Rows}
	if one := t.known[th]; one != nil && one.area.rows > 0 {
		a = one.area
	}
	from = (th.Rows - a.rows) / 2
	return from, from + a.rows, a.cols
}

// Why is a sentence about why there is no thumbnail, "" where nothing is known
// against one.
func (t *Thumbs) Why(th Thumb) string {
	if one := t.known[th]; one != nil && one.err != nil {
		return t.k.Say("No preview: %s", env.Sentence(t.k, one.err))
	}
	return ""
}

// why says in the box why there is no thumbnail.
func (t *Thumbs) why(th Thumb) []string {
	f := widget.Facts{Width: th.Cols, Theme: t.k.Theme}
	f.Wrapped(t.k.Theme.Muted, t.Why(th))
	for i, l := range f.Lines {
		f.Lines[i] = theme.Cut(l, th.Cols)
	}
	return boxed(th, f.Lines[:min(len(f.Lines), th.Rows)])
}
