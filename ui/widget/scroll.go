package widget

import "charm.land/bubbles/v2/viewport"

// Scroll is a text of many lines in a window of few. Its size and position are
// set in Update; drawing changes nothing. The zero Scroll is empty.
type Scroll struct {
	view  viewport.Model
	made  bool
	lines []string
}

func (s *Scroll) model() *viewport.Model {
	if !s.made {
		s.view = viewport.New()
		s.view.FillHeight = false
		s.made = true
	}
	return &s.view
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
func (s *Scroll) Offset() int { return s.model().YOffset() }

// Below is the number of lines below the window.
func (s *Scroll) Below() int {
	v := s.model()
	return max(v.TotalLineCount()-v.YOffset()-v.Height(), 0)
}

// Lines gives the lines in the window as they were set. viewport.View would
// wrap, align and fill up each of them again (a third of the time that drawing
// a pane takes), which Pane does.
func (s *Scroll) Lines() []string {
	v := s.model()
	if v.Width() == 0 {
		return nil
	}
	from := min(v.YOffset(), len(s.lines))
	return s.lines[from:min(from+v.Height(), len(s.lines))]
}
