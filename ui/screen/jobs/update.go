package jobs

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/widget"
)

// Update takes answers, changes, the time and the mouse.
func (s *Screen) Update(message tea.Msg) tea.Cmd {
	s.gallery.Update(message)
	cmd := s.handle(message)
	if s.inGallery && s.shown {
		return tea.Batch(s.verbs.Update(message), cmd, s.gallery.See(s.backend, s.list.visible()))
	}
	return tea.Batch(s.verbs.Update(message), cmd)
}

func (s *Screen) handle(message tea.Msg) tea.Cmd {
	if s.detail.picture.Update(message) {
		s.detail.arrange()
		return nil
	}
	switch m := message.(type) {
	case rowsReadMsg:
		return s.rowsRead(m)
	case detailDueMsg:
		if m.id != s.detail.id {
			return nil
		}
		s.detail.stays = true
		prefer := s.backend.Prefer
		return tea.Batch(s.detail.look(), func() tea.Msg { prefer(m.id); return nil })
	case detailNextMsg:
		return s.detail.read(false)
	case detailReadMsg:
		return s.detailRead(m)
	case offeredMsg:
		return s.askSend(m)
	case result.FullClosedMsg:
		s.covered = false
		return s.paint()
	case msg.ChangedMsg:
		return s.changed(m)
	case msg.TickedMsg:
		return s.ticked()
	case tea.WindowSizeMsg:
		return s.paint()
	case widget.FilterDueMsg:
		if s.filter.Due(m) {
			return s.reload()
		}
	case msg.PickedJobMsg:
		s.filter.Reset()
		s.inGallery = false
		s.arrange()
		return s.pick(m.ID)
	case msg.PreviewedMsg:
		if s.inGallery { // a rating meant for another result must not meet this one
			return nil
		}
		return tea.Batch(s.pick(m.ID), s.Enter(false))
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

// Edit gives the filter a key; before the first rows it keeps it for them.
func (s *Screen) Edit(m tea.KeyPressMsg) (tea.Cmd, bool) {
	if s.awaited {
		s.early = append(s.early, m)
		return nil, true
	}
	return s.filter.Edit(s.k.Context, m)
}

// changed reads the rows again; jobs that came in front push them along.
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
	if s.list.pushed += max(grown, 0); !s.list.latest.Changed() {
		return nil
	}
	return s.reload()
}

// ticked moves the times in view.
func (s *Screen) ticked() tea.Cmd {
	if !s.shown {
		return nil
	}
	s.setTime()
	return s.detail.tick(s.at)
}

// pick selects a job wherever it is in the list.
func (s *Screen) pick(id string) tea.Cmd {
	s.list.picked = id
	return tea.Batch(s.paint(), s.reload())
}

// move selects another row and asks for what it needs.
func (s *Screen) move(to int) tea.Cmd {
	if !s.list.move(to) {
		return nil
	}
	want := s.detail.want(s.list.selected())
	var paint tea.Cmd
	if s.inGallery {
		paint = s.paint()
	}
	if !s.list.short() {
		return tea.Batch(want, paint)
	}
	return tea.Batch(s.reload(), want, paint)
}

// rowAt is the row at a point of the body.
func (s *Screen) rowAt(x, y int) (int, bool) {
	if s.inGallery {
		column, line, ok := s.gallery.CellAt(x-2, y-1)
		grid := s.list.grid()
		if !ok || line >= len(grid) {
			return 0, false
		}
		n := grid[line].nearest(column)
		return n, grid[line].column(n) == column
	}
	left, _ := s.split()
	lines := s.list.layout()
	if x >= left || y < 1 || y > len(lines) || lines[y-1] == dayLine {
		return 0, false
	}
	return lines[y-1], true
}

func (s *Screen) clicked(m msg.ClickMsg) tea.Cmd {
	to, ok := s.rowAt(m.X, m.Y)
	if !ok {
		return nil
	}
	if to == s.list.at {
		return s.verbs.Enter()
	}
	return s.move(to)
}

func (s *Screen) wheeled(m msg.WheelMsg) tea.Cmd {
	left, _ := s.split()
	switch {
	case s.inGallery:
		return s.lineBy(m.By)()
	case m.X < left:
		return s.move(s.list.at + 3*m.By)
	}
	s.detail.facts.By(3 * m.By)
	return nil
}

// The methods below are what the verbs ask of the screen: see result.Place.

// Row is the selected row.
func (s *Screen) Row() (state.Row, bool) {
	if r := s.list.current(); r != nil {
		return *r, true
	}
	return state.Row{}, false
}

// Job is the job in the side pane, when it was read.
func (s *Screen) Job() (state.Job, bool) {
	return s.detail.job, s.detail.loaded && s.detail.id == s.list.selected()
}

// File is the number of the file in the side pane.
func (s *Screen) File() int {
	if s.detail.id != s.list.selected() {
		return 0
	}
	return s.detail.file
}

// Move selects another row.
func (s *Screen) Move(by int) tea.Cmd { return s.move(s.list.at + by) }

// Enter shows the selected result full screen.
func (s *Screen) Enter(zoom bool) tea.Cmd {
	s.covered = true
	return tea.Batch(s.gallery.Want(nil, ""), result.OpenFullScreen(s.k, s.backend, s, &s.marks, zoom))
}

// SetRating shows a rating before the store has it.
func (s *Screen) SetRating(id string, r state.Rating) { s.list.rate(id, r) }

// refresh asks for the status of the selected job now.
func (s *Screen) refresh() tea.Cmd {
	return s.call(s.k.Say("Status refreshed."), s.backend.Refresh)
}

// The functions below say why an action cannot be done with the selected job
// now; "" is that it can. They look at the row, so that they are true right
// after a move too.

func (s *Screen) whyNotRefreshed() string {
	r := s.list.current()
	if r != nil && r.RemoteID != "" && (r.Phase.Active() || r.Phase == api.PhaseExpired || state.GivenUp(r.Phase, r.Error)) {
		return ""
	}
	return s.k.Say("This job has ended; there is nothing to ask for.")
}

// Backend is what Jobs needs of what lies behind the screens; it is called
// from commands only.
type Backend interface {
	result.Backend
	Queue() state.Queue
	Jobs(ctx context.Context, q state.Query) (state.Page, error)
	Refresh(ctx context.Context, id string) error
	Prefer(id string) // the job that is polled before all others that are due
}
