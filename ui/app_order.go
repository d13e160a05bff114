package ui

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/ui/msg"
)

// ordered handles one message of a sequence and goes on with the rest.
func (a *App) ordered(m msg.SequencedMsg) tea.Cmd {
	var first tea.Cmd
	switch inner := m.Message.(type) {
	case nil:
	case tea.QuitMsg: // the program's, not App's
		first = tea.Quit
	case tea.BatchMsg:
		first = tea.Batch(inner...)
	default:
		_, first = a.Update(inner)
	}
	return tea.Batch(first, msg.Sequence(m.Rest...))
}
