package form

import (
	"cmp"
	"slices"
)

// maxSteps bounds the history.
const maxSteps = 4000

// step is an edit of a field, which can be taken back and made again. Steps of one
// group are undone together.
type step struct {
	field      Field
	undo, redo func()
	group      int
}

// history holds the edits that undo takes back: of one field, or of several that
// depend on each other.
type history struct {
	past, next []step
	group      int
	joined     int // edits belong to one group while it is above zero
}

// asOne makes all edits of do one step.
func (h *history) asOne(do func()) {
	h.cut()
	h.joined++
	do()
	h.joined--
	h.cut()
}

// cut ends a group: the next edit begins another one.
func (h *history) cut() {
	if h.joined == 0 {
		h.group++
	}
}

// add remembers an edit that was made.
func (h *history) add(field Field, undo, redo func()) {
	if n := len(h.past); n > 0 && h.past[n-1].field != field {
		h.cut()
	}
	h.past = append(h.past, step{field, undo, redo, h.group})
	h.next = nil
	if len(h.past) <= maxSteps {
		return
	}
	n := maxSteps / 4
	for n < len(h.past) && h.past[n].group == h.past[n-1].group {
		n++ // a group is kept whole or not at all
	}
	h.past = slices.Delete(h.past, 0, n)
}

// forget makes all edits until now lasting.
func (h *history) forget() {
	h.past, h.next = nil, nil
	h.cut()
}

// undo takes the last group back and gives the fields that it changed.
func (h *history) undo() []Field {
	return h.travel(&h.past, &h.next, func(s step) { s.undo() })
}

// redo repeats the edits that undo took back.
func (h *history) redo() []Field {
	return h.travel(&h.next, &h.past, func(s step) { s.redo() })
}

func (h *history) travel(from, to *[]step, do func(step)) []Field {
	var changed []Field
	for n := len(*from); n > 0; n = len(*from) {
		s := (*from)[n-1]
		*from = (*from)[:n-1]
		do(s)
		*to = append(*to, s)
		if !slices.Contains(changed, s.field) {
			changed = append(changed, s.field)
		}
		if n == 1 || (*from)[n-2].group != s.group {
			break
		}
	}
	h.cut()
	return changed
}

// UndoTogether makes the edits of fields one history: undoing takes back the
// last edit of any of them.
func (f *Form) UndoTogether(fields ...Field) {
	f.history = &history{}
	for _, field := range fields {
		field.core().history = f.history
	}
}

// ForgetUndo makes all edits of the fields of the common history lasting.
func (f *Form) ForgetUndo() {
	if f.history != nil {
		f.history.forget()
	}
}

// travel takes a key for undo or redo. A line that is typed in has its own.
func (f *Form) travel(key string) bool {
	h := cmp.Or(f.focus.core().history, f.history)
	if choice, ok := f.focus.(*Choice); h == nil || ok && choice.writing() {
		return false
	}
	var changed []Field
	switch key {
	case "alt+z", "ctrl+_", "ctrl+/":
		changed = h.undo()
	case "alt+y", "alt+shift+z", "alt+Z":
		changed = h.redo()
	default:
		return false
	}
	f.restored(changed)
	return true
}

// restored brings fields up to date that undo or redo changed, and shows the
// one that says most about it: a list rather than the text that follows it.
func (f *Form) restored(changed []Field) {
	if len(changed) == 0 {
		return
	}
	show := changed[0]
	for _, field := range changed {
		field.core().Edited()
		switch field := field.(type) {
		case *Prompt:
			field.goal = -1
			field.follow()
		case *List:
			field.restored()
			show = field
		}
	}
	f.revalidate()
	if !show.core().hidden {
		f.focusOn(show)
	}
}
