package jobs

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// outcomeUnknown reports whether it is open if a job was accepted and charged.
func outcomeUnknown(r *state.Row) bool {
	return (r.Phase == api.PhaseUnknown || r.Phase == api.PhaseUnread) && !r.Dismissed
}

// attach asks for the id that the service gave the selected job.
func (s *Screen) attach() tea.Cmd {
	id, backend := s.list.selected(), s.backend
	done := s.k.Say("Job id saved. Checking its status.")
	return msg.Open(widget.NewAsk(s.k, s.k.Say("Enter job id"),
		s.k.Say("The id that the service shows for this job. Its status is then checked as usual."),
		func(typed string) tea.Cmd {
			return s.call(id, done, func(ctx context.Context, id string) error { return backend.Attach(ctx, id, typed) })
		}))
}

// dismiss asks, and marks the selected job as not charged.
func (s *Screen) dismiss() tea.Cmd {
	id, dismiss := s.list.selected(), s.backend.Dismiss
	done := s.k.Say("Marked as not charged; it no longer counts as spent.")
	return msg.Open(widget.NewConfirm(s.k, s.k.Say("Not charged?"),
		s.k.Say("The job stays in the list, and its credits no longer count as possibly spent. Do this only when the service's website does not show it."),
		"y", "mark as not charged",
		func() tea.Cmd { return s.call(id, done, dismiss) }))
}

// resend asks once, and twice where the first request may have been charged.
func (s *Screen) resend() tea.Cmd {
	k := s.k
	r, ok := s.current()
	if !ok {
		return nil
	}
	send := s.sendAgain(r.ID)
	price := k.Say("price not known")
	if r.Source == api.SourceService || r.Source == api.SourceTable {
		price = k.Say("%s credits", env.Amount(r.Credits))
	}
	if !outcomeUnknown(&r) {
		return msg.Open(widget.NewConfirm(k, k.Say("Send again?"), k.Say("The same request is sent as a new job: %s.", price), "y", "send", send))
	}
	again := widget.NewConfirm(k, k.Say("Charged twice?"),
		k.Say("If the first request was accepted, you pay for both: %s each.", price), "s", "send anyway", send)
	return msg.Open(widget.NewConfirm(k, k.Say("Send again?"),
		k.Say("It is not known whether the first request was accepted, so this may be charged twice."), "y", "continue",
		func() tea.Cmd { return msg.Open(again) }))
}

// sendAgain sends a job's request as a new job, and selects that.
func (s *Screen) sendAgain(id string) func() tea.Cmd {
	ctx, backend := s.k.Context, s.backend
	return func() tea.Cmd {
		return func() tea.Msg {
			job, err := backend.Resend(ctx, id, state.NewConfirmID())
			if err != nil {
				return msg.FailedMsg{Err: err}
			}
			return msg.PickedJobMsg{ID: job.ID}
		}
	}
}
