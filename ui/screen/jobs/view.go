package jobs

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/env"
	"darkroom/ui/result"
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
	sort    string
	edits   int // of the filter
	theme   *theme.Theme
	lang    string
}

// bodyKey is all that the drawing of the body depends on; w of a pane that is
// not shown is 0.
type bodyKey struct {
	w, h    int
	list    listKey
	gallery result.GalleryKey
	detail  detailKey
}

// View draws the body.
func (s *Screen) View() []string {
	left, right := s.split()
	key := bodyKey{w: s.w, h: s.h, list: s.listKey(left)}
	if s.sheet {
		key.gallery = s.gallery.Key(s.list.version, s.list.at, s.list.top, &s.marks)
		key.detail.version = s.detail.version
	}
	if right > 0 {
		key.detail = s.detail.key(s.wantedTitle())
	}
	return s.body.Get(key, func() []string {
		switch {
		case s.sheet:
			return s.drawGallery(key)
		case right == 0:
			return s.listLines(key.list)
		}
		detail := s.detail.pane.Get(key.detail, func() []string { return s.detail.draw(key.detail.title) })
		return s.beside.Join(s.listLines(key.list), detail)
	})
}

// drawGallery draws the gallery's pane: the grid above a line of facts.
func (s *Screen) drawGallery(key bodyKey) []string {
	p := widget.Pane{Width: s.w, Height: s.h, Title: s.filter.Title(s.w, s.k.Say("Gallery")), Right: s.count(), Focus: true, Filled: true}
	inner, high := p.Inner()
	lines := s.gallery.Lines(key.gallery, s.list.cells, s.list.at, &s.marks)
	if s.list.total == 0 && s.list.version > 0 {
		lines = s.emptyLines(inner)
		p.Filled = false
	}
	lines = append(make([]string, 0, high), lines[:min(len(lines), high-1)]...)
	for len(lines) < high-1 {
		lines = append(lines, "")
	}
	return p.Keep(&s.framed, s.k.Theme, append(lines, theme.Fit(s.factLine(), inner)))
}

// factLine is the line of facts of the selected result.
func (s *Screen) factLine() string {
	r, ok := s.Row()
	if !ok {
		return ""
	}
	facts := result.RowFacts(s.k, &r)
	if job, read := s.Job(); read {
		facts = result.JobFacts(s.k, &job)
	}
	line := s.k.Theme.Text.Paint(r.Title)
	if signs := result.RatingText(r.Rating); signs != "" {
		line += "  " + s.k.Theme.Accent.Paint(signs)
	}
	return line + "  " + s.k.Theme.Muted.Paint(strings.Join(facts, " · "))
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
		w: w, h: s.h, version: s.list.version, at: s.list.at, top: s.list.top, second: s.at.Unix(), marks: s.marks.Edits(), sort: s.sort,
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
	look := rowLook{width: inner, at: s.at, dated: !s.list.days}
	layout := s.list.layout()
	for i, n := range layout {
		r := s.list.row(max(n, 0))
		if n == dayLine {
			lines = append(lines, s.dayLine(layout[i+1:], inner))
			continue
		}
		if r == nil {
			lines = append(lines, s.k.Theme.Faint.Paint("  …"))
			continue
		}
		look.selected, look.marked = n == s.list.at, s.marks.Has(r.ID)
		lines = append(lines, s.rows.draw(r, look))
	}
	if s.list.total == 0 && s.list.version > 0 {
		lines = append(lines, s.emptyLines(inner)...)
	}
	return p.Lines(s.k.Theme, lines)
}

// dayLine names the day of the rows below it.
func (s *Screen) dayLine(below []int, w int) string {
	name := ""
	if len(below) > 0 {
		if r := s.list.row(below[0]); r != nil {
			name = " " + s.dayName(r.CreatedAt) + " "
		}
	}
	return s.k.Theme.Faint.Paint("–" + theme.Cut(name, max(w-2, 0)) + strings.Repeat("─", max(w-1-theme.Width(name), 0)))
}

// dayName is a day as people say it.
func (s *Screen) dayName(at time.Time) string {
	now := s.k.At.In(at.Location())
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, at.Location())
	day := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, at.Location())
	switch day {
	case today:
		return s.k.Say("today")
	case today.AddDate(0, 0, -1):
		return s.k.Say("yesterday")
	}
	return at.Format(time.DateOnly)
}

// count is how many jobs there are, of which order and how many of them are
// marked.
func (s *Screen) count() string {
	parts := []string{}
	for _, part := range []string{s.marked(), s.sortLabel(), s.counted()} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " · ")
}

func (s *Screen) marked() string {
	if s.marks.Len() == 0 {
		return ""
	}
	return s.k.Say("%d marked", s.marks.Len())
}

func (s *Screen) counted() string {
	switch {
	case s.list.all == 0:
		return ""
	case s.filter.Text() != "" || s.sheet:
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
