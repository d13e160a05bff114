package form

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
)

func (t *List) text() bool { return true }

func (t *List) key(k tea.KeyPressMsg) bool {
	key := k.String()
	switch key {
	case "up", "down":
		if t.edit >= 0 {
			t.commit()
		}
		by := 1
		if key == "up" {
			by = -1
		}
		to, ok := t.beside(t.at, by)
		if !ok {
			return false
		}
		t.at = to
		t.Touch()
		return true
	case "alt+up", "alt+shift+up", "ctrl+up":
		t.shift(-1)
		return true
	case "alt+down", "alt+shift+down", "ctrl+down":
		t.shift(1)
		return true
	}
	if t.edit >= 0 || t.at == len(t.entries) { // keys go to the line
		return t.typeKey(k, key)
	}
	return t.onEntry(k, key)
}

func (t *List) typeKey(k tea.KeyPressMsg, key string) bool {
	switch {
	case key == "enter":
		t.commit()
		return true
	case key == "esc" && t.edit >= 0:
		t.edit = -1
		t.line.Set("")
		t.Touch()
		return true
	}
	used, changed := t.write(&t.line, k)
	if changed {
		t.Edited() // the typed text is part of the draft
	}
	return used
}

func (t *List) onEntry(k tea.KeyPressMsg, key string) bool {
	switch key {
	case "enter":
		t.edit = t.at
		t.line.Set(t.entries[t.at].Address)
		t.Touch()
	case "delete", "backspace", "ctrl+d", "ctrl+w":
		t.remove(t.at)
	case "left":
		t.changeKind(-1)
	case "right":
		t.changeKind(1)
	default:
		if !typed(k) {
			return false
		}
		t.at = len(t.entries)
		return t.typeKey(k, key)
	}
	return true
}

func (t *List) paste(s string) bool {
	s = strings.TrimSpace(api.CleanInput(s, true))
	if t.edit >= 0 || !t.line.Empty() && !strings.Contains(s, "\n") {
		t.line.Insert(s)
		t.Edited()
		return true
	}
	t.Add(s)
	t.at = len(t.entries)
	return true
}

// commitTyped takes over typed text, as when the field loses the focus.
func (t *List) commitTyped() {
	if t.edit >= 0 || !t.line.Empty() {
		t.commit()
	}
}

func (t *List) click(at pointer) {
	focused := at.focused && t.atNew()
	if t.edit >= 0 {
		t.commit()
	}
	rows := append(t.rows(), len(t.entries))
	t.at = rows[min(max(at.y, 0), len(rows)-1)]
	if t.at == len(t.entries) {
		lead := t.lead(at.column)
		placeCursor(&t.line, at.x-lead, at.width-lead, focused)
	}
	t.Touch()
}

// atNew reports whether the cursor is in the line for a new entry.
func (t *List) atNew() bool { return t.at == len(t.entries) && t.edit < 0 }
