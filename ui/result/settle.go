package result

import (
	"context"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Settler settles jobs that were not accepted, or whose outcome is unknown.
type Settler interface {
	Attach(ctx context.Context, id, remoteID string) error
	Dismiss(ctx context.Context, id string) error
	// ResendConfirm gives the id under which sending again is confirmed, and the
	// current price; no id means that the job cannot be sent again.
	ResendConfirm(ctx context.Context, id string) (confirmID string, price api.Estimate, err error)
	Resend(ctx context.Context, id, confirmID string) (state.Job, error)
}

// settle is the overlay in which a job without a result is settled: what
// happened, and what can be done about it.
type settle struct {
	widget.Passive
	v   *Verbs
	row state.Row
}

func (v *Verbs) openSettle(r state.Row) tea.Cmd {
	s := &settle{v: v, row: r}
	s.Table = []action.Action{
		{Name: "attach", Keys: "a", Label: "there: enter its job id", Closes: true, Handler: s.attach},
		{Name: "dismiss", Keys: "x", Label: "not there: mark as not charged", Closes: true, Handler: s.dismiss},
		{Name: "resend", Keys: "s", Label: "send again", Closes: true, Handler: s.resend},
		{Name: "edit", Keys: "e", Label: "edit and send again", Closes: true, Handler: v.edit},
		{Name: "back", Keys: "esc q", Display: "esc", Label: "back", Closes: true},
	}
	if !OutcomeUnknown(&r) {
		s.Table = s.Table[2:]
	}
	return msg.Open(s)
}

// Update has nothing to do: the overlay shows the row as it was opened.
func (s *settle) Update(tea.Msg) tea.Cmd { return nil }

func (s *settle) Box(w, h int) string {
	w = min(72, w)
	k, t := s.v.k, s.v.k.Theme
	f := widget.Facts{Width: w - 4, Theme: t}
	f.Painted(widget.PhaseText(k, s.row.Phase) + "  " + t.Text.Paint(theme.Cut(s.row.Title, w-24)))
	sent := k.Say("%s credits", env.Amount(s.row.Credits))
	if !s.row.SentAt.IsZero() {
		sent += " · " + k.Say("sent %s", k.Stamp(s.row.SentAt))
	}
	f.Painted(t.Muted.Paint(sent))
	if !s.row.Error.IsZero() {
		f.Gap()
		f.Wrapped(t.Text, Failure(k, &s.row))
	}
	title := k.Say("Not accepted")
	if OutcomeUnknown(&s.row) {
		title = k.Say("Outcome unknown")
		f.Gap()
		f.Wrapped(t.Text, k.Say("First check the service's website for this job."))
		f.Wrapped(t.Warn, "! "+k.Say("Sent again, it may be charged twice."))
	}
	f.Gap()
	return widget.Boxed(k, w, h, title, slices.Concat([]string{"", ""}, f.Lines, s.Keys().Lines(w-4)), 0)
}

// Keys are the button, which is what to do first, and the other ways out.
func (s *settle) Keys() widget.Keys {
	return widget.Keys{K: s.v.k, Table: s.Table, Words: env.Capital(s.v.k.Say(s.Table[0].Label))}
}

func (s *settle) attach() tea.Cmd {
	v, id, backend := s.v, s.row.ID, s.v.backend
	done := v.k.Say("Job id saved. Checking its status.")
	return msg.Open(widget.NewAsk(v.k, v.k.Say("Enter job id"),
		v.k.Say("Enter the id that the service shows for this job. Its status is then checked as usual."),
		func(typed string) tea.Cmd {
			return v.call(done, func(ctx context.Context) error { return backend.Attach(ctx, id, typed) })
		}))
}

func (s *settle) dismiss() tea.Cmd {
	v, id, backend := s.v, s.row.ID, s.v.backend
	done := v.k.Say("Marked as not charged; it no longer counts as spent.")
	return msg.Open(widget.NewConfirm(v.k, v.k.Say("Not charged?"),
		v.k.Say("The job stays in the list, and its credits no longer count as possibly spent. "+
			"Do this only when the service's website does not show it."),
		"y", "mark as not charged",
		func() tea.Cmd {
			return v.call(done, func(ctx context.Context) error { return backend.Dismiss(ctx, id) })
		}))
}

// resend asks for the price of sending the job again, and then whether to.
func (s *settle) resend() tea.Cmd {
	row, backend, clock := s.row, s.v.backend, s.v.k.Clock
	v, id := s.v, ""
	return ask(v, func(ctx context.Context) (price api.Estimate, err error) {
		id, price, err = backend.ResendConfirm(ctx, row.ID)
		if !price.Fresh(clock()) {
			price = api.Estimate{Source: api.SourceNone}
		}
		var again *state.Refusal
		if id == "" || errors.As(err, &again) && again.Code == "again" {
			return price, err
		}
		return price, nil
	}, func(price api.Estimate) tea.Cmd {
		if id == "" {
			return nil
		}
		return v.askResend(row, id, price)
	})
}

// askResend asks once, and twice where the first request may have been charged.
func (v *Verbs) askResend(row state.Row, confirmID string, current api.Estimate) tea.Cmd {
	k, ctx, backend := v.k, v.k.Context, v.backend
	send := func() tea.Cmd {
		return func() tea.Msg {
			job, err := backend.Resend(ctx, row.ID, confirmID)
			if err != nil {
				return msg.FailedMsg{Err: err}
			}
			return msg.PickedJobMsg{ID: job.ID}
		}
	}
	price := k.Say("price not known")
	if current.Known() {
		price = k.Say("%s credits", env.Amount(current.Credits))
	}
	if !OutcomeUnknown(&row) {
		return msg.Open(widget.NewConfirm(k, k.Say("Send again?"), k.Say("The same request is sent as a new job: %s.", price), "y", "send", send))
	}
	again := widget.NewConfirm(k, k.Say("Charged twice?"),
		k.Say("If the first request was accepted, you pay for both: %s each.", price), "s", "send anyway", send)
	return msg.Open(widget.NewConfirm(k, k.Say("Send again?"),
		k.Say("It is not known whether the first request was accepted, so this may be charged twice."), "y", "continue",
		func() tea.Cmd { return msg.Open(again) }))
}
