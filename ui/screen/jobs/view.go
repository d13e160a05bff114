package jobs

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// listKey is all that the drawing of the list depends on.
type listKey struct {
	w, h    int
	version int // of the rows
	at, top int
	second  int64 // the time that rows show
	marks   uint64
	edits   int // of the filter
	theme   *theme.Theme
	lang    string
}

// bodyKey is all that the drawing of the body depends on; w of a pane that is
// not shown is 0.
type bodyKey struct {
	w, h   int
	list   listKey
	detail detailKey
}

// View draws the body.
func (s *Screen) View() string {
	left, right := s.split()
	key := bodyKey{w: s.w, h: s.h}
	if left > 0 {
		key.list = s.listKey(left)
	}
	if right > 0 {
		key.detail = s.detail.key(s.wantedTitle())
	}
	return s.body.Get(key, func() string {
		switch {
		case left == 0:
			return strings.Join(s.detail.lines(key.detail), "\n")
		case right == 0:
			return strings.Join(s.listLines(key.list), "\n")
		}
		return widget.Beside(s.listLines(key.list), s.detail.lines(key.detail))
	})
}

// wantedTitle is the title of the job in the side pane, as far as the list
// knows it.
func (s *Screen) wantedTitle() string {
	if r := s.list.row(s.list.at); r != nil && r.ID == s.detail.id {
		return r.Title
	}
	return ""
}

func (s *Screen) listKey(w int) listKey {
	return listKey{
		w: w, h: s.h, version: s.list.version, at: s.list.at, top: s.list.top, second: s.at.Unix(), marks: s.marks.Edits(),
		edits: s.filter.Edits(), theme: s.k.Theme, lang: s.k.Words.Lang(),
	}
}

func (s *Screen) listLines(key listKey) []string {
	return s.pane.Get(key, func() []string { return s.drawList(key.w) })
}

// drawList draws the list's pane in w cells.
func (s *Screen) drawList(w int) []string {
	p := widget.Pane{Width: w, Height: s.h, Title: s.filter.Title(w, s.k.Say("Jobs")), Right: s.count(), Focus: true}
	inner, high := p.Inner()
	lines := make([]string, 0, high)
	for n := s.list.top; n < min(s.list.top+high, s.list.total); n++ {
		r := s.list.row(n)
		if r == nil {
			lines = append(lines, s.k.Theme.Faint.Paint("  …"))
			continue
		}
		lines = append(lines, s.rows.draw(r, rowLook{width: inner, at: s.at, selected: n == s.list.at, marked: s.marks.Has(r.ID)}))
	}
	if s.list.total == 0 && s.list.version > 0 {
		lines = append(lines, s.emptyLines(inner)...)
	}
	return p.Lines(s.k.Theme, lines)
}

// count is how many jobs there are.
func (s *Screen) count() string {
	switch {
	case s.list.all == 0:
		return ""
	case s.filter.Text() != "":
		return s.k.Say("%s of %s", env.Thousands(s.list.total), env.Thousands(s.list.all))
	}
	return s.k.Say("all %s", env.Thousands(s.list.all))
}

func (s *Screen) emptyLines(w int) []string {
	t := s.k.Theme
	if s.filter.Text() != "" {
		return []string{"", t.Muted.Paint(theme.Cut(s.k.Say("No job matches. Press esc to see all of them."), w))}
	}
	return []string{"",
		t.Text.Paint(theme.Cut(s.k.Say("Nothing has been sent yet."), w)),
		t.Muted.Paint(theme.Cut(s.k.Say("Press 1 and write a prompt; every job you send stays here."), w)),
	}
}

// Cursor is in the filter while it is edited.
func (s *Screen) Cursor() *tea.Cursor {
	left, _ := s.split()
	return s.filter.Cursor(left)
}
