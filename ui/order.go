package ui

import tea "charm.land/bubbletea/v2"

// orderedMsg are commands to be run one after the other, each message handled
// before the next command begins. App knows it, so each command is guarded,
// which those of tea.Sequence would not be.
type orderedMsg struct {
	msg  tea.Msg
	rest []tea.Cmd
}

// inOrder runs commands one after the other.
func inOrder(cmds ...tea.Cmd) tea.Cmd {
	for len(cmds) > 0 && cmds[0] == nil {
		cmds = cmds[1:]
	}
	if len(cmds) == 0 {
		return nil
	}
	return func() tea.Msg { return orderedMsg{cmds[0](), cmds[1:]} }
}

// ordered handles one message of a sequence and goes on with the rest.
func (a *App) ordered(m orderedMsg) tea.Cmd {
	var first tea.Cmd
	switch inner := m.msg.(type) {
	case nil:
	case tea.QuitMsg: // the program's, not App's
		first = tea.Quit
	case tea.BatchMsg:
		first = tea.Batch(inner...)
	default:
		_, first = a.Update(inner)
	}
	return tea.Batch(first, inOrder(m.rest...))
}
