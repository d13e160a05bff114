package result

import (
	"context"
	"slices"
	"sync"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
)

// thumbQueue are the thumbnails that are still to be drawn. Update fills it,
// one command at a time empties it.
type thumbQueue struct {
	mu      sync.Mutex
	asks    []thumbAsk // the most wanted first
	unsized []thumbAsk // of asks, those of which the area is still to be read
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
func (q *thumbQueue) replace(asks, unsized []thumbAsk) (begin bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.now != (thumbAsk{}) {
		i := slices.Index(asks, q.now)
		if i >= 0 {
			asks = slices.Delete(asks, i, i+1)
		} else {
			q.stop()
			q.now = thumbAsk{} // wanted again, it begins anew
		}
	}
	q.asks = asks
	q.unsized = slices.DeleteFunc(append(q.unsized, unsized...), func(a thumbAsk) bool { return !slices.Contains(asks, a) })
	begin = len(asks) > 0 && !q.working
	q.working = q.working || begin
	return begin
}

// take is the next ask and the context that ends with it.
func (q *thumbQueue) take(ctx context.Context) (context.Context, thumbAsk, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.stop != nil {
		q.stop()
	}
	q.now, q.stop = thumbAsk{}, nil
	if len(q.asks) == 0 || ctx.Err() != nil {
		q.working = false
		return ctx, thumbAsk{}, false
	}
	q.now, q.asks = q.asks[0], q.asks[1:]
	ctx, q.stop = context.WithCancel(ctx)
	return ctx, q.now, true
}

// area is how many cells a picture takes in its box.
type area struct{ cols, rows int }

// areasMsg says it of pictures that are still to come.
type areasMsg map[Thumb]area

// areas reads them before the pictures, so that nothing moves when these come.
func (q *thumbQueue) areas() areasMsg {
	q.mu.Lock()
	unsized := q.unsized
	q.unsized = nil
	q.mu.Unlock()
	m := areasMsg{}
	for _, ask := range unsized {
		if c, r := picture.Area(ask.thumb.Path, ask.thumb.Cols, ask.thumb.Rows, ask.look.Cell); r > 0 {
			m[ask.thumb] = area{c, r}
		}
	}
	return m
}

// drawNext draws the next thumbnail, hands it over, and goes on when it has
// been taken.
func drawNext(program context.Context, q *thumbQueue, painter env.Painter) tea.Cmd {
	return func() tea.Msg {
		for {
			if m := q.areas(); len(m) > 0 {
				return msg.SequencedMsg{Message: m, Rest: []tea.Cmd{drawNext(program, q, painter)}}
			}
			ctx, ask, ok := q.take(program)
			if !ok {
				return nil
			}
			got, err := painter.Load(ctx, ask.thumb.Path, ask.thumb.Cols, ask.thumb.Rows, ask.look)
			if ctx.Err() != nil {
				continue
			}
			rest := drawNext(program, q, painter)
			if got.Graphic != nil { // after the message: the terminal's answer needs who shows the image
				rest = tea.Batch(tea.Raw(got.Graphic.Transmit), rest)
			}
			return msg.SequencedMsg{Message: thumbMsg{q, ask, got, err}, Rest: []tea.Cmd{rest}}
		}
	}
}
