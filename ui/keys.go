package ui

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/ui/action"
	"darkroom/ui/msg"
)

// globalActions is the table of what works on every screen. The first ones
// work anywhere, also while a field is edited.
func (a *App) globalActions() []action.Action {
	table := []action.Action{
		{Keys: []string{"ctrl+k"}, Label: "all actions", Handler: a.openPalette, Always: true},
		{Keys: []string{"f1", "?"}, Display: "?", Label: "help", Handler: a.openHelp},
	}
	for p, label := range tabLabels {
		if a.screens[p] == nil {
			continue
		}
		digit := string(rune('1' + p))
		table = append(table, action.Action{
			Keys: []string{"alt+" + digit, digit}, Label: label, Hidden: true,
			Handler: func() tea.Cmd { return a.show(msg.Place(p)) },
		})
	}
	return append(table,
		action.Action{Label: "go on with a new store", Hidden: true, Handler: a.offerStore, Disabled: a.whyNoChoice},
		action.Action{Keys: []string{"ctrl+z"}, Label: "suspend", Hidden: true, Always: true,
			Handler: func() tea.Cmd { return tea.Suspend }},
		action.Action{Keys: []string{"ctrl+q", "q"}, Display: "q", Label: "quit", Hidden: true, Handler: a.quit},
	)
}

// tabLabels are the names of the tabs, in the order of their keys.
var tabLabels = [msg.PlaceCount]string{"Create", "Jobs", "Prices", "Tools"}

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
	typing := s.Typing()
	if typing && !a.anywhere(s, m, key) {
		if cmd, done := s.Edit(m); done {
			return cmd
		}
	}
	if !typing || !action.Printable(m) {
		if act := action.Find(a.globals, key); act != nil {
			return msg.Perform(act)
		}
		if act := action.Find(s.Actions(), key); act != nil {
			return msg.Perform(act)
		}
	}
	return s.Update(m)
}

func (a *App) pressedOverlay(top msg.Overlay, m tea.KeyPressMsg, key string) tea.Cmd {
	typing := top.Typing()
	if typing {
		if cmd, done := top.Edit(m); done {
			return cmd
		}
	}
	if !typing || !action.Printable(m) {
		if act := action.Find(top.Actions(), key); act != nil {
			return msg.Perform(act)
		}
		if key == "esc" {
			a.closeTop()
			return nil
		}
	}
	return top.Update(m)
}

// anywhere reports whether a key is one that no field may take.
func (a *App) anywhere(s screen, m tea.KeyPressMsg, key string) bool {
	if action.Printable(m) {
		return false
	}
	if action.Find(a.globals, key) != nil {
		return true
	}
	act := action.Find(s.Actions(), key)
	return act != nil && act.Always
}

// clicked gives a press of the left button to the tab, overlay or screen under
// it.
func (a *App) clicked(m tea.MouseClickMsg) tea.Cmd {
	if m.Button != tea.MouseLeft || a.plan.TooSmall {
		return nil
	}
	a.notice.seen()
	if top := a.top(); top != nil {
		r := a.drawn.boxAt
		if !r.Holds(m.X, m.Y) {
			return nil
		}
		return top.Update(msg.ClickMsg{X: m.X - r.X, Y: m.Y - r.Y})
	}
	if a.plan.Header.Holds(m.X, m.Y) {
		if p, ok := a.drawn.tabAt(m.X); ok {
			return a.show(p)
		}
		return nil
	}
	if a.plan.Body.Holds(m.X, m.Y) {
		return a.screens[a.at].Update(msg.ClickMsg{X: m.X - a.plan.Body.X, Y: m.Y - a.plan.Body.Y})
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
	if by == 0 || a.plan.TooSmall {
		return nil
	}
	if top := a.top(); top != nil {
		return top.Update(msg.WheelMsg{X: m.X - a.drawn.boxAt.X, Y: m.Y - a.drawn.boxAt.Y, By: by})
	}
	return a.screens[a.at].Update(msg.WheelMsg{X: m.X - a.plan.Body.X, Y: m.Y - a.plan.Body.Y, By: by})
}
