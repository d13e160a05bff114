package ui

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// quittingMsg brings how things are when the person wants to quit: a job may be
// shown as not saved before that change of the standing is told.
type quittingMsg struct{ standing state.Standing }

// quit asks how things are, and leaves then.
func (a *App) quit() tea.Cmd {
	if top, ok := a.top().(*widget.Confirm); ok && top.Quitting {
		return nil
	}
	b := a.backend
	return func() tea.Msg { return quittingMsg{b.Standing()} }
}

// quitWith leaves at once, unless an accepted job is not saved yet: that asks
// twice. A send in progress is waited for by whoever closes the session, after
// the terminal is back, and said there.
func (a *App) quitWith(now state.Standing) tea.Cmd {
	if now.Unsaved == 0 {
		return a.leave()
	}
	if top, ok := a.top().(*widget.Confirm); ok && top.Quitting {
		return nil // of a second key press
	}
	k := a.kit
	last := widget.NewConfirm(k, k.Say("Quit all the same?"),
		k.Say("Without its id the job cannot be followed, and its credits may be lost. The id stands in Jobs: write it down first."), "l", "lose it and quit", a.leave)
	first := widget.NewConfirm(k, k.Say("Quit now?"),
		k.Say("The service has accepted a job, but the store could not take its id yet. darkroom tries again every second; stay until it is saved."), "y", "quit",
		func() tea.Cmd { return msg.Open(last) })
	first.Quitting, last.Quitting = true, true
	return msg.Open(first)
}

// leave ends the program; what was typed is kept before.
func (a *App) leave() tea.Cmd {
	leave := a.screens[a.at].Blur()
	return func() tea.Msg {
		finish(leave)
		return tea.QuitMsg{}
	}
}

// interrupt quits at the second press.
func (a *App) interrupt() tea.Cmd {
	a.arming++
	if a.arming >= 2 {
		return a.quit()
	}
	return a.notice.set(a.kit, msg.NotifiedMsg{Tone: msg.ToneHint, Text: a.kit.Say("Press ctrl+c again to quit.")})
}

// finish runs a command and those it leads to, and waits for them.
func finish(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	if batch, ok := cmd().(tea.BatchMsg); ok {
		for _, c := range batch {
			finish(c)
		}
	}
}
