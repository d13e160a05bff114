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

// offered reports whether an action is one for the footer now.
func (a *action) offered() bool { return !a.quiet && (a.offer == nil || a.offer()) && a.ready() }

// readyMask tells which of the first 64 actions the footer may show now.
func readyMask(table []action) uint64 {
	var mask uint64
	for i := range table {
		if i < 64 && table[i].offered() {
			mask |= 1 << i
		}
	}
	return mask
}

// printable reports whether a key writes something.
func printable(m tea.KeyPressMsg) bool {
	return m.Text != "" && m.Mod&(tea.ModCtrl|tea.ModAlt|tea.ModMeta|tea.ModSuper) == 0
}
