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

// resendPricedMsg brings the price of sending a job again, and the id under
// which it is confirmed.
type resendPricedMsg struct {
	row       state.Row
	confirmID string
	price     api.Estimate
	err       error
}

// Failed is why the job cannot be sent again; without a price it still can.
func (m resendPricedMsg) Failed() error {
	if m.confirmID == "" {
		return m.err
	}
	return nil
}

// resend asks for the price of sending the selected job again.
func (s *Screen) resend() tea.Cmd {
	r, ok := s.current()
	if !ok {
		return nil
	}
	ctx, backend := s.k.Context, s.backend
	return func() tea.Msg {
		id, price, err := backend.ResendConfirm(ctx, r.ID)
		if ctx.Err() != nil {
			return nil
		}
		return resendPricedMsg{r, id, price, err}
	}
}

// askResend asks once, and twice where the first request may have been charged.
func (s *Screen) askResend(m resendPricedMsg) tea.Cmd {
	k := s.k
	if m.confirmID == "" {
		return nil
	}
	send := s.sendAgain(m.row.ID, m.confirmID)
	price := k.Say("price not known")
	if m.price.Known() {
		price = k.Say("%s credits", env.Amount(m.price.Credits))
	}
	if !outcomeUnknown(&m.row) {
		return msg.Open(widget.NewConfirm(k, k.Say("Send again?"), k.Say("The same request is sent as a new job: %s.", price), "y", "send", send))
	}
	again := widget.NewConfirm(k, k.Say("Charged twice?"),
		k.Say("If the first request was accepted, you pay for both: %s each.", price), "s", "send anyway", send)
	return msg.Open(widget.NewConfirm(k, k.Say("Send again?"),
		k.Say("It is not known whether the first request was accepted, so this may be charged twice."), "y", "continue",
		func() tea.Cmd { return msg.Open(again) }))
}

// sendAgain sends a job's request as a new job, and selects that.
func (s *Screen) sendAgain(id, confirmID string) func() tea.Cmd {
	ctx, backend := s.k.Context, s.backend
	return func() tea.Cmd {
		return func() tea.Msg {
			job, err := backend.Resend(ctx, id, confirmID)
			if err != nil {
				return msg.FailedMsg{Err: err}
			}
			return msg.PickedJobMsg{ID: job.ID}
		}
	}
}
