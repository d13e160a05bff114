package action

import (
	tea "charm.land/bubbletea/v2"
)

// Action is a key binding with its deed. One table per screen: nothing about a
// key is written down twice.
type Action struct {
	// Name is the action's stable name, unique in its table: "review",
	// "next_page". Help, tests and the settings' [keys] use it.
	Name string
	// Keys as tea names them: "ctrl+s", "enter", "alt+1". The first is shown.
	Keys []string
	// Display replaces the first key on the screen: "j/k".
	Display string
	// Label is an English format of the catalogue: "open", "review and send".
	Label string
	// Handler does it, or starts a command that does.
	Handler func() tea.Cmd
	// Disabled says why it cannot be done now, or "". Nil is always possible. It
	// runs after every message: no allocation when the answer is "".
	Disabled func() string
	// Hidden keeps it out of the footer: ways to move that everybody tries.
	Hidden bool
	// Offer tells whether it belongs in the footer now; nil is always.
	Offer func() bool
	// Always: its keys work while a field is edited, even when the field could
	// take them.
	Always bool
}

func (a *Action) ready() bool { return a.Disabled == nil || a.Disabled() == "" }

// shown is the key as people read it.
func (a *Action) KeyText() string {
	if a.Display != "" {
		return a.Display
	}
	if len(a.Keys) == 0 {
		return ""
	}
	return a.Keys[0]
}

func (a *Action) has(key string) bool {
	for _, k := range a.Keys {
		if k == key {
			return true
		}
	}
	return false
}

// Find returns the action of the key, or nil.
func Find(table []Action, key string) *Action {
	for i := range table {
		if table[i].has(key) {
			return &table[i]
		}
	}
	return nil
}

// Offered reports whether an action is one for the footer now.
func (a *Action) Offered() bool { return !a.Hidden && (a.Offer == nil || a.Offer()) && a.ready() }

// ReadyMask tells which of the first 64 actions the footer may show now.
func ReadyMask(table []Action) uint64 {
	var mask uint64
	for i := range table {
		if i < 64 && table[i].Offered() {
			mask |= 1 << i
		}
	}
	return mask
}

// Printable reports whether a key writes something.
func Printable(m tea.KeyPressMsg) bool {
	return m.Text != "" && m.Mod&(tea.ModCtrl|tea.ModAlt|tea.ModMeta|tea.ModSuper) == 0
}
