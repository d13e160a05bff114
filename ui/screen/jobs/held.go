package jobs

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// holder is what is done with jobs that are held: agreed to, and not sent yet.
type holder interface {
	Pause(ctx context.Context, id string) error
	Offer(ctx context.Context, id string, all bool) (state.Offer, error)
	Resume(ctx context.Context, offer state.Offer) error
	Move(ctx context.Context, id string, earlier bool) error
	Remove(ctx context.Context, ids ...string) error
}

func (s *Screen) whyNotHeld() string {
	if r := s.list.row(s.list.at); r == nil || r.Phase != api.PhaseHeld {
		return s.k.Say("Only for requests that are held.")
	}
	return ""
}

// pauseOrSend pauses the queue that the selected job is in. Of a queue that
// waits for the person it asks for the prices, for the question whether it is to
// be sent.
func (s *Screen) pauseOrSend() tea.Cmd {
	r, ok := s.current()
	if !ok {
		return nil
	}
	if !r.Paused {
		return s.call(r.ID, s.k.Say("Paused. Nothing more of this is sent."), s.queue.Pause)
	}
	ctx, queue := s.k.Context, s.queue
	return func() tea.Msg {
		offer, err := queue.Offer(ctx, r.ID, true)
		if ctx.Err() != nil {
			return nil
		}
		return offeredMsg{offer, err}
	}
}

// offeredMsg brings what sending the rest of a queue costs.
type offeredMsg struct {
	offer state.Offer
	err   error
}

// Failed is why it cannot be sent; without a price it still can.
func (m offeredMsg) Failed() error {
	if len(m.offer.Held) == 0 {
		return m.err
	}
	return nil
}

// askSend asks whether what waits is to be sent, and says why it waits.
func (s *Screen) askSend(m offeredMsg) tea.Cmd {
	n := len(m.offer.Held)
	if n == 0 {
		return nil
	}
	k := s.k
	price := k.Say("price not known")
	if m.offer.Known {
		price = k.Say("%s credits", env.Amount(m.offer.Total))
	}
	text := k.Words.Count(n, "%d request is sent", "%d requests are sent one by one") + ": " + price + "."
	if !m.offer.Reason.IsZero() {
		text = k.Reason(m.offer.Reason.String()) + " " + text
	}
	ctx, queue, offer := k.Context, s.queue, m.offer
	return msg.Open(widget.NewConfirm(k, k.Say("Send what is held?"), text, "y", "send", func() tea.Cmd {
		return func() tea.Msg {
			if err := queue.Resume(ctx, offer); err != nil {
				return msg.FailedMsg{Err: err}
			}
			return nil
		}
	}))
}

// removeHeld deletes the selected job, on which nothing was spent.
func (s *Screen) removeHeld() tea.Cmd {
	remove := s.queue.Remove
	return s.call(s.list.selected(), s.k.Say("Removed. Nothing was spent."), func(ctx context.Context, id string) error { return remove(ctx, id) })
}

// moveHeld sends the selected job earlier or later.
func (s *Screen) moveHeld(earlier bool) func() tea.Cmd {
	return func() tea.Cmd {
		move := s.queue.Move
		return s.call(s.list.selected(), "", func(ctx context.Context, id string) error { return move(ctx, id, earlier) })
	}
}

// heldReason is how wide a row has to be for the reason why a job waits.
const heldReason = 56

// held is the last column of a job that is held: its price while it is sent in
// its turn, else that it waits, and why.
func (d *rowDrawer) held(r *state.Row, room int, in *theme.Inks) (string, theme.Ink) {
	switch {
	case r.Paused && (r.Error.IsZero() || room < heldReason):
		return d.k.Say("paused"), in.Warn
	case r.Paused:
		return theme.Cut(d.k.Say("paused")+" · "+d.k.Reason(r.Error.String()), room/2), in.Warn
	case r.Source == api.SourceNone:
		return "", in.Muted
	}
	return d.k.Say("%s cr", env.Amount(r.Credits)), in.Muted
}

// titleText is the title of a row in so many cells. What was agreed to with
// others says in what it differs, which is not cut for the rest.
func titleText(r *state.Row, room int) string {
	const least = 8 // cells of the title
	switch rest := room - theme.Width(r.Label) - 3; {
	case r.Label == "":
		return r.Title
	case rest < least:
		return theme.Cut(r.Label, room)
	default:
		return theme.Cut(r.Title, rest) + " · " + r.Label
	}
}
