package jobs

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/msg"
	"darkroom/ui/result"
)

// The methods below are what the verbs ask of the screen: see result.Place.

// Row is the selected row.
func (s *Screen) Row() (state.Row, bool) { return s.list.current() }

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
	ctx, id, refresh := s.k.Context, s.list.selected(), s.backend.Refresh
	done := s.k.Say("Status refreshed.")
	return func() tea.Msg { return refreshed(ctx, id, done, refresh) }
}

func refreshed(ctx context.Context, id, done string, refresh func(context.Context, string) error) tea.Msg {
	if err := refresh(ctx, id); err != nil {
		return msg.FailedMsg{Err: err}
	}
	return msg.NotifiedMsg{Tone: msg.ToneGood, Text: done}
}
