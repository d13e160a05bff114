package ui

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// offerStore asks whether to go on with a new store, when the one there is
// damaged or was written by a newer darkroom. Nothing is sent until then.
func (a *App) offerStore() tea.Cmd {
	k := a.env
	ctx, d, done := k.Context, a.backend, k.Say("A new store is in use.")
	text := k.Reason(k.Health.ReadOnly) + "\n\n" +
		k.Say("Nothing is sent until you agree to go on with a new store. The old file is kept.")
	return msg.Open(widget.NewConfirm(k, k.Say("The store"), text, "y", "go on with a new store", func() tea.Cmd {
		return func() tea.Msg {
			if err := d.ChooseStore(ctx); err != nil {
				return msg.FailedMsg{Err: err}
			}
			return msg.NotifiedMsg{Tone: msg.ToneGood, Text: done}
		}
	}))
}

func (a *App) whyNoChoice() string {
	if a.env.Health.Choice {
		return ""
	}
	return a.env.Say("The store needs no decision.")
}

// storeChanged offers the choice as soon as there is one, or says once why
// nothing can be sent.
func (a *App) storeChanged(before, now state.Health) tea.Cmd {
	switch {
	case now.Choice && !before.Choice:
		a.intent.moved()
		return a.offerStore()
	case !now.ReadOnly.IsZero() && before.ReadOnly.IsZero() && !now.Choice:
		return msg.Notify(msg.ToneBad, a.env.Reason(now.ReadOnly))
	}
	return nil
}
