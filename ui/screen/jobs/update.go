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
	case detailReadMsg:
		return s.detailRead(m)
	case askedMsg:
		return s.openReview(m)
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
		s.inGallery, s.list.picked = false, m.ID
		s.arrange()
		return tea.Batch(s.paint(), s.reload())
	case msg.PreviewedMsg:
		if s.inGallery || s.list.selected() != m.ID { // keys are meant for another result
			return nil
		}
		return s.Enter(false)
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
	switch {
	case m.Err != nil || !s.shown:
		return nil
	case s.list.all > 0 && s.filter.Text() == "":
		s.list.pushed = max(m.All-s.list.all, 0)
	}
	if !s.list.latest.Changed() {
		return nil
	}
	return s.reload()
}

// ticked moves the times in view.
func (s *Screen) ticked() tea.Cmd {
	if !s.shown {
		return nil
	}
	before := s.at
	s.setTime()
	return s.detail.tick(!s.at.Equal(before))
}

// move selects another row and asks for what it needs.
func (s *Screen) move(to int) tea.Cmd {
	if !s.list.move(to) {
		return nil
	}
	return tea.Batch(s.fill(), s.detail.want(s.list.selected()), s.paint())
}

// fill reads the rows again if some near the view are missing.
func (s *Screen) fill() tea.Cmd {
	if !s.list.short() {
		return nil
	}
	return s.reload()
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
	if y -= 1; y > 0 && y < len(lines) && lines[y] == noteLine {
		y--
	}
	if x >= left || y < 0 || y >= len(lines) || lines[y] < 0 {
		return 0, false
	}
	return lines[y], true
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
		return s.lineBy(m.By)
	case m.X < left:
		return s.move(s.list.at + 3*m.By)
	}
	s.detail.facts.By(3 * m.By)
	return nil
}

// The methods below are what the verbs ask of the screen: see result.Place.

// Row is the selected row.
func (s *Screen) Row() (state.Row, bool) {
	r := *s.list.current()
	return r, r.ID != ""
}

// Job is the job in the side pane, which is the selected one, when it was read.
func (s *Screen) Job() (state.Job, bool) { return s.detail.job, s.detail.loaded }

// File is the number of the file in the side pane.
func (s *Screen) File() int { return s.detail.file }

// Move selects another row.
func (s *Screen) Move(by int) tea.Cmd { return s.move(s.list.at + by) }
func (s *Screen) At() (n, of int)     { return s.list.at, s.list.total }

// Enter shows the selected result full screen.
func (s *Screen) Enter(zoom bool) tea.Cmd {
	s.covered = true
	return tea.Batch(s.gallery.Want(nil, ""), result.OpenFullScreen(s.k, s.backend, s, &s.marks, zoom))
}

// SetRating shows a rating before the store has it.
func (s *Screen) SetRating(id string, r state.Rating) { s.list.rate(id, r) }

func (s *Screen) refresh() tea.Cmd {
	return s.call(s.k.Say("Status refreshed."), s.backend.Refresh)
}

func (s *Screen) whyNotRefreshed() string {
	r := s.list.current()
	if r.RemoteID != "" && (r.Phase.Active() || r.Phase == api.PhaseExpired || state.GivenUp(r.Phase, r.Error)) {
		return ""
	}
	return s.k.Say("This job has ended; there is nothing to ask for.")
}

// Backend is what Jobs needs; it is called from commands only.
type Backend interface {
	result.Backend
	Queue() state.Queue
	Jobs(ctx context.Context, q state.Query) (state.Page, error)
	Refresh(ctx context.Context, id string) error
	Prefer(id string) // the job that is polled before all others that are due
}
