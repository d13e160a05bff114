// Package jobs is the screen of everything that was ever confirmed, and of the
// selected job beside it.
package jobs

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/result"
	"darkroom/ui/widget"
)

// Screen is the list of jobs, and beside it, or instead of it where there is
// little room, the one that is selected.
type Screen struct {
	k       *env.Env
	backend Backend
	queue   holder
	actions []action.Action
	culling []action.Action // the same, in the order for the gallery
	w, h    int
	shown   bool              // the screen is in view
	covered bool              // full screen is open: what lies below asks for no picture
	stale   bool              // something changed while the screen was away
	lastAll int               // jobs there were at the last change
	awaited bool              // the first rows are being read
	early   []tea.KeyPressMsg // keys that wait for them

	list   list
	filter widget.Filter
	verbs  *result.Verbs
	marks  result.Marks
	at     time.Time
	detail detail

	gallery *result.Gallery
	sheet   bool   // the gallery is in view, not the list
	shows   shows  // what the rows were last arranged for
	sort    string // of the list; "" is newest first

	rows   rowDrawer
	pane   widget.Memo[listKey, []string]
	body   widget.Memo[bodyKey, []string]
	beside widget.Beside
	framed widget.Frame
}

// shows is what decides on the rows that there are. Others are arranged anew; one
// that comes or goes makes nothing larger or smaller.
type shows struct {
	sheet  bool
	filter string
}

// New makes the screen. It reads its rows when it comes into view.
func New(k *env.Env, b Backend) *Screen {
	s := &Screen{k: k, backend: b, queue: b.Queue(), filter: widget.NewFilter("jobs"), at: k.At}
	s.detail.k, s.detail.backend = k, b
	s.rows.k = k
	s.verbs = result.NewVerbs(k, b, s, &s.marks, func() bool { return s.sheet })
	s.gallery = result.NewGallery(k)
	s.list.days = true
	s.actions = s.makeActions()
	s.culling = action.First(s.actions, "full_screen", "favourite", "reject", "stars_1", "list", "compare", "make_video")
	return s
}

// Actions are the screen's keys.
func (s *Screen) Actions() []action.Action {
	if s.sheet {
		return s.culling
	}
	return s.actions
}

// Typing reports whether the filter has the keys, or they wait for the first rows.
func (s *Screen) Typing() bool { return s.filter.Editing() || s.awaited }

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

// Ticking: a second is shown only while something in view moves.
func (s *Screen) Ticking() bool {
	if !s.shown || s.sheet {
		return false
	}
	for _, r := range s.list.visible() {
		if r.Phase.Active() || expires(&r, s.k.At) {
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
	if s.sheet {
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
	if s.sheet {
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
	case s.sheet:
		return s.gallery.Want(s.list.visible(), s.list.selected())
	}
	return s.detail.paint()
}

// setTime takes over the time that rows show.
func (s *Screen) setTime() { s.at = rowTime(s.k.At, s.list.visible()) }
