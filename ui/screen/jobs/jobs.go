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
	actions []action.Action
	w, h    int
	shown   bool // the screen is in view
	full    bool // the selected job has the whole body
	stale   bool // something changed while the screen was away
	lastAll int  // jobs there were at the last change

	list   list
	filter widget.Filter
	verbs  *result.Verbs
	marks  result.Marks
	at     time.Time
	detail detail

	rows rowDrawer
	pane widget.Memo[listKey, []string]
	body widget.Memo[bodyKey, string]
}

// New makes the screen. It reads its rows when it comes into view.
func New(k *env.Env, b Backend) *Screen {
	s := &Screen{k: k, backend: b, filter: widget.NewFilter("jobs"), at: k.At}
	s.detail.k, s.detail.backend = k, b
	s.rows.k = k
	s.verbs = result.NewVerbs(k, b, s, &s.marks, false)
	s.actions = s.makeActions()
	return s
}

// Actions are the screen's keys.
func (s *Screen) Actions() []action.Action { return s.actions }

// Typing reports whether the filter has the keys.
func (s *Screen) Typing() bool { return s.filter.Editing() }

// Focus reads what changed while the screen was away.
func (s *Screen) Focus() tea.Cmd {
	s.shown = true
	s.setTime()
	if s.stale || s.list.version == 0 {
		s.stale = false
		return tea.Batch(s.reload(0), s.detail.paint())
	}
	return tea.Batch(s.detail.want(s.list.selected()), s.detail.paint())
}

// Blur leaves the filter's text as it is.
func (s *Screen) Blur() tea.Cmd {
	s.shown = false
	s.filter.Stop()
	return nil
}

// Ticking: a second is shown only while something in view is active.
func (s *Screen) Ticking() bool {
	if !s.shown {
		return false
	}
	if s.full || s.list.height == 0 {
		return s.detail.job.Phase.Active()
	}
	for _, r := range s.list.visible() {
		if r.Phase.Active() {
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
	s.list.setHeight(max(h-2, 1))
	s.arrange()
}

// Restyle writes what the side pane scrolls with the styles and words of now.
func (s *Screen) Restyle() { s.detail.arrange() }

// split is how the body is divided: left is the list, right the detail.
func (s *Screen) split() (left, right int) {
	if s.full {
		return 0, s.w
	}
	return widget.SplitPanes(s.w, 52, 46)
}

// arrange gives the detail its pane.
func (s *Screen) arrange() {
	left, right := s.split()
	s.detail.resize(right, s.h, left == 0)
}

// setFull shows the detail alone, or beside the list.
func (s *Screen) setFull(full bool) tea.Cmd {
	s.full = full
	s.arrange()
	return s.paint()
}

// paint asks for the picture in view, at its size.
func (s *Screen) paint() tea.Cmd {
	if !s.shown {
		return nil
	}
	return s.detail.paint()
}

// setTime takes over the time that rows show.
func (s *Screen) setTime() { s.at = rowTime(s.k.At, s.list.visible()) }
