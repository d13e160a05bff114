package ui

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/state"
)

// offerStore asks whether to go on with a new store, when the one there is
// damaged or was written by a newer darkroom. Nothing is sent until then.
func (a *App) offerStore() tea.Cmd {
	k := a.kit
	ctx, d := k.ctx, a.backend
	text := asSentence(k.translate(k.standing.ReadOnly)) + "\n\n" +
		k.say("Nothing is sent until you agree to go on with a new store. The old file is kept.")
	return open(newConfirm(k, k.say("The store"), text, "y", "go on with a new store", func() tea.Cmd {
		return func() tea.Msg {
			if err := d.ChooseStore(ctx); err != nil {
				return failedMsg{err}
			}
			return saidMsg{toneGood, k.say("A new store is in use.")}
		}
	}))
}

func (a *App) whyNoChoice() string {
	if a.kit.standing.Choice {
		return ""
	}
	return a.kit.say("The store needs no decision.")
}

// storeChanged offers the choice as soon as there is one, or says once why
// nothing can be sent.
func (a *App) storeChanged(before, now state.Standing) tea.Cmd {
	switch {
	case now.Choice && !before.Choice:
		return a.offerStore()
	case now.ReadOnly != "" && before.ReadOnly == "" && !now.Choice:
		return say(toneBad, asSentence(a.kit.translate(now.ReadOnly)))
	}
	return nil
}
