// Package jobs is the screen of everything that was ever confirmed.
package jobs

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/widget"
)

// Screen is the list of jobs, and next to it, if there is room, the selected one.
type Screen struct {
	k              *env.Env
	backend        Backend
	queue          state.Queue
	actions        []action.Action
	galleryActions []action.Action // the same, in the order for the gallery
	w, h           int
	shown          bool              // the screen is in view
	covered        bool              // full screen is open: what lies below asks for no picture
	awaited        bool              // the first rows are being read
	early          []tea.KeyPressMsg // keys that wait for them

	list   list
	filter widget.Filter
	verbs  *result.Verbs
	marks  result.Marks
	at     time.Time
	detail detail

	gallery   *result.Gallery
	inGallery bool // the gallery is in view, not the list
	order     int  // one of orders
	// shows is what the rows were last arranged for.
	shows struct {
		gallery bool
		filter  string
		empty   bool
	}

	drawn  widget.Memos[string, rowKey, [2]string] // rows, by job
	beside widget.Beside
	framed widget.Frame
}

// New makes the screen. It reads its rows when it comes into view.
func New(k *env.Env, b Backend) *Screen {
	s := &Screen{k: k, backend: b, queue: b.Queue(), at: k.At}
	s.detail.k, s.detail.backend = k, b
	s.verbs = result.NewVerbs(k, b, s, &s.marks, func() bool { return s.inGallery && s.list.total > 0 })
	s.gallery = result.NewGallery(k)
	s.list.days = true
	s.actions = s.makeActions()
	s.galleryActions = action.First(s.actions, "full_screen", "favourite", "reject", "stars_1", "list", "compare", "make_video")
	return s
}

// Actions are the screen's keys.
func (s *Screen) Actions() []action.Action {
	if s.inGallery {
		return s.galleryActions
	}
	return s.actions
}

// Typing reports whether the filter has the keys, or they wait for the first rows.
func (s *Screen) Typing() bool { return s.filter.Editing() || s.awaited }

// Cursor is in the filter while it is edited.
func (s *Screen) Cursor() *tea.Cursor {
	left, _ := s.split()
	return s.filter.Cursor(left)
}

// Focus reads what changed while the screen was away.
func (s *Screen) Focus() tea.Cmd {
	s.shown, s.covered, s.awaited = true, false, s.list.version == 0
	s.setTime()
	return tea.Batch(s.reload(), s.paint())
}

// Blur leaves the filter's text as it is, and lets go of the thumbnails.
func (s *Screen) Blur() tea.Cmd {
	s.shown, s.awaited, s.early = false, false, nil
	s.filter.Stop()
	return s.gallery.Want(nil, "")
}

// Ticking reports whether something in view moves.
func (s *Screen) Ticking() bool {
	moves := func(r state.Row) bool { return r.Phase.Active() || expires(&r, s.k.At) }
	return s.shown && !s.inGallery && slices.ContainsFunc(s.list.visible(), moves)
}

// Resize gives the body's size.
func (s *Screen) Resize(w, h int) {
	if w == s.w && h == s.h {
		return
	}
	s.w, s.h = w, h
	s.arrange()
}

// Restyle writes the side pane with the styles and words of now.
func (s *Screen) Restyle() { s.detail.arrange() }

const widest = 70 // cells of the list; what is left belongs to the picture

// empty reports that there is no job at all, not even one that the filter hides.
func (s *Screen) empty() bool { return s.list.version > 0 && s.list.all == 0 }

// split is how the body is divided: left is the list, right the detail.
func (s *Screen) split() (left, right int) {
	if s.inGallery || s.empty() {
		return s.w, 0
	}
	return widget.SplitPanes(s.w, 54, max(46, s.w-widest))
}

func (s *Screen) arrange() {
	_, right := s.split()
	s.detail.w, s.detail.h = right, s.h
	s.detail.arrange()
	s.gallery.Resize(max(s.w-4, 1), max(s.h-2-galleryFacts, 1))
	s.list.across = s.gallery.Across()
	if s.inGallery {
		s.gallery.Fit(s.list.fits)
		s.list.setView(s.gallery.Cells(), s.gallery.Columns(), true)
		return
	}
	s.list.setView(s.h-2, 1, false)
}

// paint asks for the pictures in view, at their size.
func (s *Screen) paint() tea.Cmd {
	switch {
	case !s.shown || s.covered:
		return nil
	case s.inGallery:
		return s.gallery.Want(s.list.visible(), s.list.selected())
	}
	return s.detail.paint()
}

// manyActive is how many rows may move every second; more of them move every
// fifth, so that twenty running jobs stay quiet on the line.
const manyActive = 4

// setTime takes over the time that rows show.
func (s *Screen) setTime() {
	n := 0
	for _, r := range s.list.visible() {
		if r.Phase.Active() {
			n++
		}
	}
	if s.at = s.k.At; n > manyActive {
		s.at = s.at.Truncate(5 * time.Second)
	}
}

// rowsReadMsg answers a question for rows.
type rowsReadMsg struct {
	seq           int
	page          state.Page
	typical       map[result.Class]result.Typical
	job           state.Job // the one in the side pane, when its row is newer
	msg.FailedMsg           // why the rows could not be read
}

// reload reads the rows around the view, and with them the job in the side pane
// when it has changed: the two are shown together.
func (s *Screen) reload() tea.Cmd {
	seq, offset := s.list.ask()
	q := state.Query{
		Filter: s.filter.Text(), Sort: orders[s.order].name, Results: s.inGallery,
		Offset: offset, Limit: s.list.held(),
	}
	ctx, backend := s.k.Context, s.backend
	shown := s.detail.job
	return func() tea.Msg {
		page, err := backend.Jobs(ctx, q)
		m := rowsReadMsg{seq: seq, page: page, typical: result.Timings(page.Rows), FailedMsg: msg.FailedMsg{Err: err}}
		newer := func(r state.Row) bool { return r.ID == shown.ID && r.Version > shown.Version }
		if slices.ContainsFunc(page.Rows, newer) {
			m.job, _ = backend.Job(ctx, shown.ID) // it is caught up with otherwise
		}
		return m
	}
}

func (s *Screen) rowsRead(m rowsReadMsg) tea.Cmd {
	if !s.list.latest.Answered(m.seq, m.Err) {
		return nil
	}
	// Keys that waited for the first rows.
	early := msg.Sequence(api.Map(s.early, func(key tea.KeyPressMsg) tea.Cmd { return func() tea.Msg { return key } })...)
	s.awaited, s.early = false, nil
	if m.Err != nil { // what is shown is of another time, or of another filter
		if !s.shown {
			return early
		}
		return tea.Batch(early, s.list.latest.Again(s.k.Context, s.reload))
	}
	s.list.filtered = s.filter.Text() != ""
	s.list.take(m.page)
	before := s.shows
	if s.shows.gallery, s.shows.filter, s.shows.empty = s.inGallery, s.filter.Text(), s.empty(); s.shows != before {
		s.arrange()
	}
	s.detail.typical = m.typical
	if s.drawn.Len() > 2*heldRows {
		s.drawn.Keep(nil) // those in view are drawn again
	}
	s.detail.arrange()
	s.setTime()
	return tea.Batch(s.detail.want(s.list.selected()), s.paint(), s.detail.take(m.job), s.catchUp(), s.fill(),
		s.list.latest.Again(s.k.Context, s.reload), early)
}
