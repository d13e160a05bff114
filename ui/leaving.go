package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// leaving is how things are when the person wants to quit: a job may be
// shown as not saved before that change of the health is told.
type leaving struct {
	health  state.Health
	waiting int  // requests of the queue that are sent in their turn
	running int  // jobs; counted when a letter asked, which can be a slip of typing
	busy    bool // a command or a tool runs, and a letter asked
	made    bool // there are jobs, which go with the program
}

func (a *App) quit() tea.Cmd { return a.ask(false) }

// quitByLetter quits for a key without ctrl, but not where text is written.
func (a *App) quitByLetter(m tea.KeyPressMsg) tea.Cmd {
	if a.at == msg.PlaceCreate {
		return tea.Batch(a.screens[a.at].Update(m), a.tell(msg.ToneHint, a.env.Say("Press ctrl+q to quit.")))
	}
	return a.ask(true)
}

// ask looks how things are before the program ends.
func (a *App) ask(letter bool) tea.Cmd {
	if a.quitting() {
		return nil
	}
	ctx, b, passing := a.env.Context, a.backend, a.opts.Passing
	tool, _ := a.screens[msg.PlaceTools].(interface{ Calling() bool })
	busy := letter && (len(a.commands.running) > 0 || tool.Calling())
	return func() tea.Msg {
		m := leaving{health: b.Health(), busy: busy}
		// What is held comes first: a filter would look at every job.
		page, err := b.Jobs(ctx, state.Query{Limit: 1})
		if err == nil && page.Held > 1 {
			page, _ = b.Jobs(ctx, state.Query{Limit: page.Held})
		}
		m.made = passing && page.All > 0
		if letter {
			m.running = page.Active
		}
		for i := range page.Rows {
			if r := &page.Rows[i]; r.Phase == api.PhaseHeld && !r.Paused {
				m.waiting++
			}
		}
		return thenMsg(func(app *App) tea.Cmd { return app.quitWith(m) })
	}
}

func (a *App) quitting() bool {
	top, ok := a.top().(*widget.Confirm)
	return ok && top.Quitting
}

// losses says what leaving means for what waits, runs or was made.
func (a *App) losses(now leaving) string {
	k := a.env
	var parts []string
	if now.waiting > 0 {
		parts = append(parts, k.Words.Count(now.waiting, "%d request waits in the queue.", "%d requests wait in the queue."))
	}
	if now.busy {
		parts = append(parts, k.Say("A command or a tool is running, and is stopped."))
	}
	switch {
	case now.made:
		parts = append(parts, k.Say("Everything made in the demo is deleted with it."))
	case now.waiting > 0:
		parts = append(parts, k.Say("They stay in the queue and wait for you when darkroom starts again."))
	case now.running > 0:
		parts = append(parts, k.Words.Count(now.running, "%d job is running.", "%d jobs are running."),
			k.Say("The service goes on; results are fetched when darkroom starts again."))
	}
	return strings.Join(parts, "\n")
}

// quitWith leaves at once, unless something would be lost or a letter may have been
// a slip, which asks once, or an accepted job is not saved yet: that asks twice. A
// send in progress is waited for when the session closes, and said there.
func (a *App) quitWith(now leaving) tea.Cmd {
	losses := a.losses(now)
	switch {
	case now.health.Unsaved == 0 && losses == "":
		return a.leave()
	case a.quitting(): // of a second key press
		return nil
	}
	k := a.env
	if now.health.Unsaved == 0 {
		ask := widget.NewConfirm(k, k.Say("Quit now?"), losses, "enter y", "quit", a.leave)
		ask.Quitting = true
		return msg.Open(ask)
	}
	last := widget.NewConfirm(k, k.Say("Quit anyway?"),
		k.Say("Without its id the job cannot be followed, and its credits may be lost. The id is shown in Jobs: write it down first."),
		"l", "lose it and quit", a.leave)
	first := widget.NewConfirm(k, k.Say("Quit now?"),
		k.Say("The service has accepted a job, but the store could not take its id yet. darkroom tries again every second; "+
			"stay until it is saved."),
		"y", "quit", func() tea.Cmd { return msg.Open(last) })
	first.Quitting, last.Quitting = true, true
	return msg.Open(first)
}

func (a *App) leave() tea.Cmd {
	leave := a.screens[a.at].Blur()
	return func() tea.Msg {
		finish(leave)
		return tea.QuitMsg{}
	}
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
