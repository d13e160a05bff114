package widget

import tea "charm.land/bubbletea/v2"

// Passive is what an overlay has in which nothing is typed, and whose drawing
// states the look that it depends on.
type Passive struct{}

func (Passive) Typing() bool                         { return false }
func (Passive) Edit(tea.KeyPressMsg) (tea.Cmd, bool) { return nil, false }
func (Passive) Restyle()                             {}
func (Passive) Cursor() *tea.Cursor                  { return nil }
