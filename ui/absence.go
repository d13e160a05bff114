package ui

import (
	tea "charm.land/bubbletea/v2"
)

// absence counts what ended while nobody looked.
type absence struct {
	away bool
}

// attended takes note of the window gaining or losing the focus.
func (a *App) attended(msg tea.Msg) tea.Cmd {
	_, here := msg.(tea.FocusMsg)
	a.kit.focused = here
	a.blurred.away = !here
	return nil
}
