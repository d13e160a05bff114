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
	case "up":
		return t.move(-1)
	case "down":
		return t.move(1)
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
		t.land(len(t.entries))
		return t.typeKey(k, key)
	}
	return true
}

func (t *List) move(by int) bool {
	if t.edit >= 0 {
		t.commit()
	}
	to, ok := t.beside(by)
	if ok {
		t.land(to)
	}
	return ok
}

func (t *List) typeKey(k tea.KeyPressMsg, key string) bool {
	switch {
	case key == "enter":
		t.commit()
		return true
	case key == "esc" && t.edit >= 0:
		t.line.Set("")
		t.land(t.at)
		return true
	}
	used, changed := t.write(&t.line, k)
	if changed {
		t.Edited() // the typed text is part of the draft
	}
	return used
}

func (t *List) paste(s string) bool {
	s = strings.TrimSpace(api.CleanInput(s, true))
	if t.edit >= 0 || !t.line.Empty() && !strings.Contains(s, "\n") {
		t.line.Insert(s)
		t.Edited()
		return true
	}
	t.Add(s)
	return true
}

func (t *List) click(at pointer) {
	focused := at.focused && t.atNew()
	if t.edit >= 0 {
		t.commit()
	}
	t.land(t.rows()[at.y])
	if t.atNew() {
		lead := t.lead(at.column)
		placeCursor(&t.line, at.x-lead, at.width-lead-2, focused)
	}
}

// atNew reports whether the cursor is in the line for a new entry.
func (t *List) atNew() bool { return t.at == len(t.entries) && t.edit < 0 }
