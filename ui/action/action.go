// Package action holds what a key does as a record: dispatch, footer, help and
// the list of all actions are fed by the same tables.
package action

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// Action is a key binding with its handler. One table per screen: nothing about
// a key is written down twice.
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
	// Confirms: it spends, sends or settles. Nothing that was pasted, and no key
	// pressed before its question could be read, does it.
	Confirms bool
	// Always: its keys work while a field is edited, even when the field could
	// take them.
	Always bool
	// Over: while it is offered, its keys go before those that work everywhere.
	Over bool

	defaults defaults // before the settings
	rebound  int64    // the version of the settings whose keys it has, counted from 1
}

// Binding is the action as components of bubbles take it: its keys, and for
// help the key as people read it and the label, still in English.
func (a *Action) Binding() key.Binding {
	return key.NewBinding(key.WithKeys(a.Keys...), key.WithHelp(a.KeyText(), a.Label))
}

// Find returns the action of the key, or nil.
func Find(table []Action, name string) *Action {
	for i := range table {
		if slices.Contains(table[i].Keys, name) {
			return &table[i]
		}
	}
	return nil
}

// Named returns the action of that name, or nil.
func Named(table []Action, name string) *Action {
	for i := range table {
		if table[i].Name == name {
			return &table[i]
		}
	}
	return nil
}

// First returns a copy of a table in which the named actions come first, in that
// order: a footer shows the first ones.
func First(table []Action, names ...string) []Action {
	out := make([]Action, 0, len(table))
	for _, name := range names {
		if a := Named(table, name); a != nil {
			out = append(out, *a)
		}
	}
	for i := range table {
		if Named(out, table[i].Name) == nil {
			out = append(out, table[i])
		}
	}
	return out
}

// Then has something follow on every action of a table, which it returns.
func Then(table []Action, follow func()) []Action {
	for i := range table {
		do := table[i].Handler
		table[i].Handler = func() tea.Cmd {
			defer follow()
			return do()
		}
	}
	return table
}

// KeyText is the key as people read it.
func (a *Action) KeyText() string {
	if a.Display != "" {
		return a.Display
	}
	if len(a.Keys) == 0 {
		return ""
	}
	return a.Keys[0]
}

// Ready reports whether it can be done now.
func (a *Action) Ready() bool { return a.Disabled == nil || a.Disabled() == "" }

// Offered reports whether an action is one for the footer now.
func (a *Action) Offered() bool { return !a.Hidden && (a.Offer == nil || a.Offer()) && a.Ready() }

// Printable reports whether a key writes something.
func Printable(m tea.KeyPressMsg) bool {
	return m.Text != "" && m.Mod&(tea.ModCtrl|tea.ModAlt|tea.ModMeta|tea.ModSuper) == 0
}
