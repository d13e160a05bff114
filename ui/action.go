package ui

import (
	tea "charm.land/bubbletea/v2"
)

// action is a key binding with its deed. One table per screen: nothing about a
// key is written down twice.
type action struct {
	// keys as tea names them: "ctrl+s", "enter", "alt+1". The first is shown.
	keys []string
	// show replaces the first key on the screen: "j/k".
	show string
	// label is an English format of the catalogue: "open", "review and send".
	label string
	// do does it, or starts a command that does.
	do func() tea.Cmd
	// why says why it cannot be done now, or "". Nil is always possible. It
	// runs after every message: no allocation when the answer is "".
	why func() string
	// quiet keeps it out of the footer: ways to move that everybody tries.
	quiet bool
	// offer tells whether it belongs in the footer now; nil is always.
	offer func() bool
	// always: its keys work while a field is edited, even when the field could
	// take them.
	always bool
}

func (a *action) ready() bool { return a.why == nil || a.why() == "" }

// shown is the key as people read it.
func (a *action) shown() string {
	if a.show != "" {
		return a.show
	}
	if len(a.keys) == 0 {
		return ""
	}
	return a.keys[0]
}

func (a *action) has(key string) bool {
	for _, k := range a.keys {
		if k == key {
			return true
		}
	}
	return false
}

// find returns the action of the key, or nil.
func find(table []action, key string) *action {
	for i := range table {
		if table[i].has(key) {
			return &table[i]
		}
	}
	return nil
}

// run does the action, or says why not.
func (a *action) run() tea.Cmd {
	if a.why != nil {
		if why := a.why(); why != "" {
			return say(toneHint, why)
		}
	}
	if a.do == nil {
		return nil
	}
	return a.do()
}
