package jobs

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// heldActions are about a selected job that is held.
func (s *Screen) heldActions() []action.Action {
	return []action.Action{
		{Name: "pause_queue", Keys: []string{"P", "shift+p"}, Display: "P", Label: "pause or send", Handler: s.pauseOrSend,
			Offer: s.onHeld, Disabled: s.whyNotHeld},
		{Name: "remove_held", Display: "del", Label: "remove", Handler: s.removeHeld, Offer: s.onHeld, Disabled: s.whyNotHeld},
	}
}

// orRemoved lets the key that removes a job from the list delete one that is
// held.
func (s *Screen) orRemoved(hide action.Action) action.Action {
	handler, disabled, offer := hide.Handler, hide.Disabled, hide.Offer
	hide.Handler = func() tea.Cmd {
		if s.onHeld() {
			return s.removeHeld()
		}
		return handler()
	}
	hide.Disabled = func() string {
		if s.onHeld() || disabled == nil {
			return ""
		}
		return disabled()
	}
	hide.Offer = func() bool { return !s.onHeld() && (offer == nil || offer()) }
	return hide
}

func (s *Screen) onHeld() bool {
	r := s.list.current()
	return r != nil && r.Phase == api.PhaseHeld
}

func (s *Screen) whyNotHeld() string {
	return s.k.SayIf(!s.onHeld(), "Only for requests that are held.")
}

// call is result.Call for the selected job.
func (s *Screen) call(done string, do func(ctx context.Context, id string) error) tea.Cmd {
	id := s.list.selected()
	return result.Call(s.k.Context, done, func(ctx context.Context) error { return do(ctx, id) })
}

// pauseOrSend pauses the queue that the selected job is in. Of a queue that
// waits for the person it asks for the prices, for the question whether it is to
// be sent.
func (s *Screen) pauseOrSend() tea.Cmd {
	r := s.list.current()
	if r == nil {
		return nil
	}
	if !r.Paused {
		return s.call(s.k.Say("Paused. Nothing more of this is sent."), s.queue.Pause)
	}
	ctx, queue, id := s.k.Context, s.queue, r.ID
	return func() tea.Msg {
		offer, err := queue.Offer(ctx, id, true)
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
		text = k.Reason(m.offer.Reason) + " " + text
	}
	queue, offer := s.queue, m.offer
	return msg.Open(widget.NewConfirm(k, k.Say("Send what is held?"), text, "y", "send", func() tea.Cmd {
		return result.Call(k.Context, "", func(ctx context.Context) error { return queue.Resume(ctx, offer) })
	}))
}

// removeHeld deletes the selected job, on which nothing was spent.
func (s *Screen) removeHeld() tea.Cmd {
	remove := s.queue.Remove
	return s.call(s.k.Say("Removed. Nothing was spent."), func(ctx context.Context, id string) error { return remove(ctx, id) })
}

// moveHeld sends the selected job earlier or later.
func (s *Screen) moveHeld(earlier bool) func() tea.Cmd {
	return func() tea.Cmd {
		move := s.queue.Move
		return s.call("", func(ctx context.Context, id string) error { return move(ctx, id, earlier) })
	}
}

// heldReason is how wide a row has to be for the reason why a job waits.
const heldReason = 56

// paused says in the column of figures that a job waits for the person, and why.
func (d *rowDrawer) paused(r *state.Row, room int, in *theme.Styles) (string, theme.Style) {
	text := d.k.Say("paused")
	if room >= heldReason && !r.Error.IsZero() {
		text = theme.Cut(text+" · "+d.k.Reason(r.Error), room/2)
	}
	return text, in.Warn
}

// titleText is the title of a row in so many cells. What was agreed to with
// others says in what it differs, unless the whole title does, and that is not cut
// for the rest.
func titleText(r *state.Row, room int) string {
	const least = 8 // cells of the title
	switch rest := room - theme.Width(r.Label) - 3; {
	case r.Label == "", theme.Width(r.Title) <= room && strings.Contains(r.Title, r.Label):
		return r.Title
	case rest < least:
		return theme.Cut(r.Label, room)
	default:
		return theme.Cut(r.Title, rest) + " · " + r.Label
	}
}
