package widget

import (
	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"

	"darkroom/ui/action"
)

// Scroll is a text of many lines in a window of few. Its size, text and position
// are set in Update; drawing changes nothing. The zero Scroll is empty.
type Scroll struct {
	view  *viewport.Model // nil until it has a size or a text: it is large
	lines []string
}

func (s *Scroll) model() *viewport.Model {
	if s.view == nil {
		view := viewport.New()
		s.view = &view
		s.view.FillHeight = false
	}
	return s.view
}

// SetSize sets the window's size in cells.
func (s *Scroll) SetSize(w, h int) {
	v := s.model()
	v.SetWidth(max(w, 0))
	v.SetHeight(max(h, 0))
	v.SetYOffset(v.YOffset()) // within the bounds of the new height
}

// SetLines sets the text, whose lines are at most as wide as the window and hold
// no line break. The position stays as far as there are lines for it.
func (s *Scroll) SetLines(lines []string) {
	v := s.model()
	s.lines = lines
	v.SetContentLines(lines)
	v.SetYOffset(v.YOffset())
}

// By moves the window by so many lines and reports whether it moved.
func (s *Scroll) By(lines int) bool {
	v := s.model()
	before := v.YOffset()
	v.SetYOffset(before + lines)
	return v.YOffset() != before
}

// ToTop shows the first line.
func (s *Scroll) ToTop() { s.model().GotoTop() }

// Offset is the number of lines above the window.
func (s *Scroll) Offset() int {
	if s.view == nil {
		return 0
	}
	return s.view.YOffset()
}

// Below is the number of lines below the window.
func (s *Scroll) Below() int {
	if s.view == nil {
		return 0
	}
	return max(s.view.TotalLineCount()-s.view.YOffset()-s.view.Height(), 0)
}

// Lines gives the lines in the window as they were set, fewer than it is high
// when the text is shorter. viewport.View would wrap, align and fill up each of
// them again (a third of the time that drawing a pane takes), which Pane does.
func (s *Scroll) Lines() []string {
	if s.view == nil || s.view.Width() == 0 {
		return nil
	}
	from := min(s.view.YOffset(), len(s.lines))
	return s.lines[from:min(from+s.view.Height(), len(s.lines))]
}

// moves reports whether there are more lines than the window shows.
func (s *Scroll) moves() bool { return s.Offset() > 0 || s.Below() > 0 }

// Actions are the keys that move the window. They are for overlays in which
// nothing is typed.
func (s *Scroll) Actions() []action.Action {
	by := func(lines int) func() tea.Cmd {
		return func() tea.Cmd { s.By(lines); return nil }
	}
	page := func(pages int) func() tea.Cmd {
		return func() tea.Cmd { s.By(pages * max(s.model().Height()-1, 1)); return nil }
	}
	return []action.Action{
		{Name: "scroll_down", Keys: []string{"down", "j"}, Display: "j/k", Label: "scroll", Handler: by(1), Offer: s.moves},
		{Name: "scroll_up", Keys: []string{"up", "k"}, Label: "scroll up", Hidden: true, Handler: by(-1)},
		{Name: "next_page", Keys: []string{"pgdown", "space"}, Label: "next page", Hidden: true, Handler: page(1)},
		{Name: "previous_page", Keys: []string{"pgup"}, Label: "previous page", Hidden: true, Handler: page(-1)},
		{Name: "top", Keys: []string{"home", "g"}, Label: "top", Hidden: true, Handler: by(-1 << 20)},
		{Name: "end", Keys: []string{"end", "G", "shift+g"}, Label: "end", Hidden: true, Handler: by(1 << 20)},
	}
}
