package ui

import (
	tea "charm.land/bubbletea/v2"
)

// globalActions is the table of what works on every screen. The first ones
// work anywhere, also while a field is edited.
func (a *App) globalActions() []action {
	table := []action{
		{keys: []string{"ctrl+k"}, label: "all actions", do: a.openPalette, always: true},
		{keys: []string{"f1", "?"}, show: "?", label: "help", do: a.openHelp},
	}
	for p, label := range tabLabels {
		if a.screens[p] == nil {
			continue
		}
		digit := string(rune('1' + p))
		table = append(table, action{
			keys: []string{"alt+" + digit, digit}, label: label, quiet: true,
			do: func() tea.Cmd { return a.show(place(p)) },
		})
	}
	return append(table,
		action{label: "go on with a new store", quiet: true, do: a.offerStore, why: a.whyNoChoice},
		action{keys: []string{"ctrl+z"}, label: "suspend", quiet: true, always: true,
			do: func() tea.Cmd { return tea.Suspend }},
		action{keys: []string{"ctrl+q", "q"}, show: "q", label: "quit", quiet: true, do: a.quit},
	)
}

// tabLabels are the names of the tabs, in the order of their keys.
var tabLabels = [placeCount]string{"Create", "Jobs", "Prices", "Tools"}

// pressed routes one key.
func (a *App) pressed(m tea.KeyPressMsg) tea.Cmd {
	key := m.String()
	switch key {
	case "ctrl+q":
		return a.quit()
	case "ctrl+c":
		return a.interrupt()
	}
	a.arming = 0
	a.notice.seen()
	if key == "ctrl+z" {
		return tea.Suspend
	}
	if top := a.top(); top != nil {
		return a.pressedOverlay(top, m, key)
	}
	s := a.screens[a.at]
	typing := s.typing()
	if typing && !a.anywhere(s, m, key) {
		if cmd, done := s.edit(m); done {
			return cmd
		}
	}
	if !typing || !printable(m) {
		if act := find(a.globals, key); act != nil {
			return perform(act)
		}
		if act := find(s.actions(), key); act != nil {
			return perform(act)
		}
	}
	return s.update(m)
}

func (a *App) pressedOverlay(top overlay, m tea.KeyPressMsg, key string) tea.Cmd {
	typing := top.typing()
	if typing {
		if cmd, done := top.edit(m); done {
			return cmd
		}
	}
	if !typing || !printable(m) {
		if act := find(top.actions(), key); act != nil {
			return perform(act)
		}
		if key == "esc" {
			a.closeTop()
			return nil
		}
	}
	return top.update(m)
}

// anywhere reports whether a key is one that no field may take.
func (a *App) anywhere(s screen, m tea.KeyPressMsg, key string) bool {
	if printable(m) {
		return false
	}
	if find(a.globals, key) != nil {
		return true
	}
	act := find(s.actions(), key)
	return act != nil && act.always
}

// clicked gives a press of the left button to the tab, overlay or screen under
// it.
func (a *App) clicked(m tea.MouseClickMsg) tea.Cmd {
	if m.Button != tea.MouseLeft || a.plan.tooSmall {
		return nil
	}
	a.notice.seen()
	if top := a.top(); top != nil {
		r := a.drawn.boxAt
		if !r.holds(m.X, m.Y) {
			return nil
		}
		return top.update(clickMsg{m.X - r.x, m.Y - r.y})
	}
	if a.plan.header.holds(m.X, m.Y) {
		if p, ok := a.drawn.tabAt(m.X); ok {
			return a.show(p)
		}
		return nil
	}
	if a.plan.body.holds(m.X, m.Y) {
		return a.screens[a.at].update(clickMsg{m.X - a.plan.body.x, m.Y - a.plan.body.y})
	}
	return nil
}

func (a *App) wheeled(m tea.MouseWheelMsg) tea.Cmd {
	by := 0
	switch m.Button {
	case tea.MouseWheelUp:
		by = -1
	case tea.MouseWheelDown:
		by = 1
	}
	if by == 0 || a.plan.tooSmall {
		return nil
	}
	if top := a.top(); top != nil {
		return top.update(wheelMsg{m.X - a.drawn.boxAt.x, m.Y - a.drawn.boxAt.y, by})
	}
	return a.screens[a.at].update(wheelMsg{m.X - a.plan.body.x, m.Y - a.plan.body.y, by})
}
