package ui

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
)

// absentMsg brings what ended before this run began.
type absentMsg struct {
	absence state.Absence
	err     error
}

// Failed is why it could not be read.
func (m absentMsg) Failed() error { return m.err }

// lookBack reads what ended since a person last looked.
func (a *App) lookBack() tea.Cmd {
	ctx, backend := a.env.Context, a.backend
	return func() tea.Msg {
		absence, err := backend.Results().Attend(ctx)
		if ctx.Err() != nil {
			return nil
		}
		return absentMsg{absence, err}
	}
}

// attend notes that the person has seen what ended.
func (a *App) attend() tea.Cmd {
	ctx, backend := a.env.Context, a.backend
	return func() tea.Msg {
		_, _ = backend.Results().Attend(ctx) // it is told once more, no harm
		return nil
	}
}

// welcomeBack says what ended while the program did not run.
func (a *App) welcomeBack(m absentMsg) tea.Cmd {
	if m.absence.Done+m.absence.Broken == 0 {
		return nil
	}
	return a.notice.set(a.env, msg.NotifiedMsg{Tone: msg.ToneHint, Text: absenceText(a.env, m.absence)})
}

// absenceText is the sentence about an absence.
func absenceText(k *env.Env, absence state.Absence) string {
	if absence.Credits > 0 {
		return k.Say("While you were away: %d done, %d failed, about %s cr.", absence.Done, absence.Broken, env.Amount(absence.Credits))
	}
	return k.Say("While you were away: %d done, %d failed.", absence.Done, absence.Broken)
}
