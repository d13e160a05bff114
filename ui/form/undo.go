package form

import "slices"

const maxSteps = 1000

type undoable interface {
	Field
	// keep returns what gives the field back the value that it has now.
	keep() func()
}

// memory is what a field was before an edit.
type memory struct {
	field   undoable
	restore func()
}

// history holds what fields were before their edits, which are undone by groups.
type history struct {
	past, next [][]memory
	joined     bool // edits belong to the last group
}

// edit remembers what a field is, before an edit of it. An edit that goes on with
// the last one is undone with it.
func (h *history) edit(field undoable, goesOn bool) {
	h.next = nil
	last := len(h.past) - 1
	switch {
	case h.joined:
		h.past[last] = append(h.past[last], memory{field, field.keep()})
		return
	case goesOn && last >= 0 && h.past[last][0].field == field:
		return
	}
	h.past = append(h.past[max(len(h.past)-maxSteps+1, 0):], []memory{{field, field.keep()}})
}

func (h *history) forget() { h.past, h.next = nil, nil }

// travel takes the last group of edits back, and notes what makes it again.
func (h *history) travel(from, to *[][]memory) (changed []undoable) {
	last := len(*from) - 1
	if last < 0 {
		return nil
	}
	var back []memory
	for _, m := range slices.Backward((*from)[last]) {
		back = append(back, memory{m.field, m.field.keep()})
		m.restore()
		changed = append(changed, m.field)
	}
	*from, *to = (*from)[:last], append(*to, back)
	return changed
}

func (f *Form) ForgetUndo() { f.history.forget() }

// travel takes a key for undo or redo. A line that is typed in has its own.
func (f *Form) travel(key string) bool {
	if choice, ok := f.focus.(*Choice); ok && choice.writing() {
		return false
	}
	var changed []undoable
	h := &f.history
	switch key {
	case "alt+z", "ctrl+_", "ctrl+/":
		changed = h.travel(&h.past, &h.next)
	case "alt+y", "alt+shift+z", "alt+Z":
		changed = h.travel(&h.next, &h.past)
	default:
		return false
	}
	if len(changed) == 0 {
		return true
	}
	show := changed[0] // that says most about what was undone: a list rather than the text that follows it
	for _, field := range changed {
		field.core().Edited()
		if _, list := field.(*List); list {
			show = field
		}
	}
	if f.revalidate(); !hidden(show) {
		f.focusOn(show)
	}
	return true
}
