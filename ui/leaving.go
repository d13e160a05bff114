package ui

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// quittingMsg brings how things are when the person wants to quit: a job may be
// shown as not saved before that change of the health is told.
type quittingMsg struct {
	health  state.Health
	waiting int // requests of the queue that are sent in their turn
}

// quit asks how things are, and leaves then.
func (a *App) quit() tea.Cmd {
	if top, ok := a.top().(*widget.Confirm); ok && top.Quitting {
		return nil
	}
	ctx, b := a.env.Context, a.backend
	return func() tea.Msg {
		m := quittingMsg{health: b.Health()}
		// What is held comes first in the list: no filter, which would look at
		// every job.
		page, err := b.Jobs(ctx, state.Query{Limit: 1})
		if err == nil && page.Held > 1 {
			page, err = b.Jobs(ctx, state.Query{Limit: page.Held})
		}
		for i := 0; err == nil && i < len(page.Rows); i++ {
			if r := &page.Rows[i]; r.Phase == api.PhaseHeld && !r.Paused {
				m.waiting++
			}
		}
		return m
	}
}

// quitWith leaves at once, unless requests wait in the queue, which asks once, or
// an accepted job is not saved yet: that asks twice. A send in progress is waited
// for by whoever closes the session, after the terminal is back, and said there.
func (a *App) quitWith(now quittingMsg) tea.Cmd {
	if now.health.Unsaved == 0 && now.waiting == 0 {
		return a.leave()
	}
	if top, ok := a.top().(*widget.Confirm); ok && top.Quitting {
		return nil // of a second key press
	}
	k := a.env
	if now.health.Unsaved == 0 {
		ask := widget.NewConfirm(k, k.Say("Quit now?"),
			k.Words.Count(now.waiting, "%d request waits in the queue.", "%d requests wait in the queue.")+" "+
				k.Say("What is not sent stays there, and waits for you when darkroom starts again."), "y", "quit", a.leave)
		ask.Quitting = true
		return msg.Open(ask)
	}
	last := widget.NewConfirm(k, k.Say("Quit all the same?"),
		k.Say("Without its id the job cannot be followed, and its credits may be lost. The id stands in Jobs: write it down first."),
		"l", "lose it and quit", a.leave)
	first := widget.NewConfirm(k, k.Say("Quit now?"),
		k.Say("The service has accepted a job, but the store could not take its id yet. darkroom tries again every second; "+
			"stay until it is saved."),
		"y", "quit", func() tea.Cmd { return msg.Open(last) })
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
	return a.notice.set(a.env, msg.NotifiedMsg{Tone: msg.ToneHint, Text: a.env.Say("Press ctrl+c again to quit.")})
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
