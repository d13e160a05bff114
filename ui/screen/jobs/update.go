package jobs

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/widget"
)

// Update takes answers, changes, the time and the mouse.
func (s *Screen) Update(message tea.Msg) tea.Cmd {
	return tea.Batch(s.verbs.Update(message), s.handle(message))
}

func (s *Screen) handle(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case rowsReadMsg:
		return s.rowsRead(m)
	case detailDueMsg:
		return s.detail.due(m)
	case detailReadMsg:
		return s.detailRead(m)
	case result.PaintedMsg:
		return s.detail.painted(m)
	case msg.ArrivedMsg:
		s.detail.arrived(m)
	case msg.ChangedMsg:
		return s.changed(m)
	case msg.TickedMsg:
		s.ticked()
	case tea.WindowSizeMsg:
		return s.paint()
	case widget.FilterDueMsg:
		if s.filter.Due(m) {
			return s.reload(0)
		}
	case msg.PickedJobMsg:
		s.filter.Reset()
		return s.pick(m.ID, false)
	case msg.PreviewedMsg:
		return s.pick(m.ID, true)
	case tea.PasteMsg:
		if s.filter.Editing() {
			return s.filter.Paste(s.k.Context, m.Content)
		}
	case msg.ClickMsg:
		return s.clicked(m)
	case msg.WheelMsg:
		return s.wheeled(m)
	}
	return nil
}

// Edit gives the filter a key.
func (s *Screen) Edit(m tea.KeyPressMsg) (tea.Cmd, bool) { return s.filter.Edit(s.k.Context, m) }

// changed reads the rows anew; jobs that came in front push them along.
func (s *Screen) changed(m msg.ChangedMsg) tea.Cmd {
	if m.Err != nil {
		return nil
	}
	grown := m.All - s.lastAll
	if s.lastAll == 0 || s.filter.Text() != "" {
		grown = 0
	}
	s.lastAll = m.All
	if !s.shown {
		s.stale = true
		return nil
	}
	return s.reload(max(grown, 0))
}

// ticked moves the times in view.
func (s *Screen) ticked() {
	if !s.shown {
		return
	}
	s.setTime()
	if s.detail.loaded && s.detail.job.Phase.Active() {
		s.detail.arrange()
	}
}

// pick selects a job wherever it is in the list.
func (s *Screen) pick(id string, full bool) tea.Cmd {
	s.list.picked = id
	return tea.Batch(s.setFull(full), s.reload(0))
}

// move selects another row and asks for what it needs.
func (s *Screen) move(to int) tea.Cmd {
	if !s.list.move(to) {
		return nil
	}
	want := s.detail.want(s.list.selected())
	if !s.list.short() {
		return want
	}
	return tea.Batch(s.reload(0), want)
}

func (s *Screen) clicked(m msg.ClickMsg) tea.Cmd {
	left, _ := s.split()
	if m.X >= left || m.Y < 1 || m.Y > s.list.height {
		return nil
	}
	to := s.list.top + m.Y - 1
	if to >= s.list.total {
		return nil
	}
	if to == s.list.at {
		return s.verbs.Enter()
	}
	return s.move(to)
}

func (s *Screen) wheeled(m msg.WheelMsg) tea.Cmd {
	left, _ := s.split()
	if m.X < left {
		return s.move(s.list.at + 3*m.By)
	}
	s.detail.facts.By(3 * m.By)
	return nil
}
