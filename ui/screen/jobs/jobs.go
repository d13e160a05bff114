// Package jobs is the screen of everything that was ever confirmed, and of the
// selected job next to it.
package jobs

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/widget"
)

// Screen is the list of jobs, and next to it, or instead of it if there is little
// room, the one that is selected.
type Screen struct {
	k              *env.Env
	backend        Backend
	queue          state.Queue
	actions        []action.Action
	galleryActions []action.Action // the same, in the order for the gallery
	w, h           int
	shown          bool              // the screen is in view
	covered        bool              // full screen is open: what lies below asks for no picture
	stale          bool              // something changed while the screen was away
	lastAll        int               // jobs there were at the last change
	awaited        bool              // the first rows are being read
	early          []tea.KeyPressMsg // keys that wait for them

	list   list
	filter widget.Filter
	verbs  *result.Verbs
	marks  result.Marks
	at     time.Time
	detail detail

	gallery   *result.Gallery
	inGallery bool  // the gallery is in view, not the list
	shows     shows // what the rows were last arranged for
	order     int   // one of orders

	rows   rowDrawer
	beside widget.Beside
	framed widget.Frame
}

// shows is what decides on the rows that there are. Others are arranged again; one
// that comes or goes makes nothing larger or smaller.
type shows struct {
	inGallery bool
	filter    string
}

// New makes the screen. It reads its rows when it comes into view.
func New(k *env.Env, b Backend) *Screen {
	s := &Screen{k: k, backend: b, queue: b.Queue(), filter: widget.NewFilter("jobs"), at: k.At}
	s.detail.k, s.detail.backend = k, b
	s.rows.k = k
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
	s.shown, s.covered = true, false
	s.setTime()
	if s.stale || s.list.version == 0 {
		s.stale, s.awaited = false, s.list.version == 0
		return tea.Batch(s.reload(), s.paint())
	}
	return tea.Batch(s.detail.want(s.list.selected()), s.paint())
}

// Blur leaves the filter's text as it is, and lets go of the thumbnails.
func (s *Screen) Blur() tea.Cmd {
	s.shown, s.awaited, s.early = false, false, nil
	s.filter.Stop()
	return s.gallery.Want(nil, "")
}

// Ticking reports whether something in view moves, and with it the seconds.
func (s *Screen) Ticking() bool {
	if !s.shown || s.inGallery {
		return false
	}
	for rows, i := s.list.visible(), 0; i < len(rows); i++ {
		if rows[i].Phase.Active() || expires(&rows[i], s.k.At) {
			return true
		}
	}
	return false
}

// Resize gives the body's size.
func (s *Screen) Resize(w, h int) {
	if w == s.w && h == s.h {
		return
	}
	s.w, s.h = w, h
	s.arrange()
}

// Restyle writes what the side pane scrolls with the styles and words of now.
func (s *Screen) Restyle() { s.detail.arrange() }

// widest is how wide a list is at most: what is left belongs to the picture.
const widest = 80

// split is how the body is divided: left is the list, right the detail.
func (s *Screen) split() (left, right int) {
	if s.inGallery {
		return s.w, 0
	}
	return widget.SplitPanes(s.w, 54, max(46, s.w-widest))
}

// arrange gives list or gallery and the detail their room.
func (s *Screen) arrange() {
	_, right := s.split()
	s.detail.resize(right, s.h)
	s.gallery.Resize(max(s.w-4, 1), max(s.h-3, 1)) // above a line of facts
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

// setTime takes over the time that rows show.
func (s *Screen) setTime() { s.at = rowTime(s.k.At, s.list.visible()) }

// manyActive is how many rows may move every second; more of them move every
// fifth, so that twenty running jobs stay quiet on the line.
const manyActive = 4

// rowTime is the time that rows show at a moment.
func rowTime(at time.Time, visible []state.Row) time.Time {
	n := 0
	for i := range visible {
		if visible[i].Phase.Active() {
			n++
		}
	}
	if n > manyActive {
		return at.Truncate(5 * time.Second)
	}
	return at
}

// rowsReadMsg answers a question for rows.
type rowsReadMsg struct {
	seq           int
	page          state.Page
	typical       map[result.Class]result.Typical
	job           *state.Job // the one in the side pane, when its row is newer
	msg.FailedMsg            // why the rows could not be read
}

// reload reads the rows around the view, and with them the job in the side pane
// when it has changed: the two are shown together.
func (s *Screen) reload() tea.Cmd {
	seq, offset := s.list.ask()
	q := state.Query{Filter: s.filter.Text(), Sort: orders[s.order].name, Results: s.inGallery, Offset: offset, Limit: s.list.held()}
	ctx, backend := s.k.Context, s.backend
	shown := s.detail.job
	return func() tea.Msg {
		page, err := backend.Jobs(ctx, q)
		m := rowsReadMsg{seq: seq, page: page, typical: result.Timings(page.Rows), FailedMsg: msg.FailedMsg{Err: err}}
		newer := func(r state.Row) bool { return r.ID == shown.ID && r.Version > shown.Version }
		if slices.ContainsFunc(page.Rows, newer) {
			if job, err := backend.Job(ctx, shown.ID); err == nil {
				m.job = &job
			}
		}
		return m
	}
}

func (s *Screen) rowsRead(m rowsReadMsg) tea.Cmd {
	last, again := s.list.latest.Answered(m.seq, m.Err)
	if !last {
		return nil
	}
	early := s.earlyKeys()
	if m.Err != nil { // what is shown is of another time, or of another filter
		if s.stale = !s.shown; s.stale {
			return early
		}
		return tea.Batch(early, s.list.latest.After(s.k.Context, s.reload()))
	}
	s.list.filtered = s.filter.Text() != ""
	s.list.take(m.page)
	if now := (shows{s.inGallery, s.filter.Text()}); now != s.shows {
		s.shows = now
		s.arrange()
	}
	s.rows.keep(s.list.rows, m.typical)
	s.detail.setTypical(m.typical)
	s.setTime()
	cmds := []tea.Cmd{s.detail.want(s.list.selected()), s.paint()}
	if m.job != nil {
		cmds = append(cmds, s.detail.take(*m.job))
	}
	if s.detail.loaded && s.behind(s.detail.job.Version) {
		cmds = append(cmds, s.detail.read(true))
	}
	if again || s.list.short() && s.list.total > 0 {
		cmds = append(cmds, s.reload())
	}
	return tea.Batch(append(cmds, early)...)
}

// earlyKeys presses the keys that waited for the first rows, in their order.
func (s *Screen) earlyKeys() tea.Cmd {
	var cmds []tea.Cmd
	for _, key := range s.early {
		cmds = append(cmds, func() tea.Msg { return key })
	}
	s.awaited, s.early = false, nil
	return msg.Sequence(cmds...)
}
