package form

// Focused is the field that has the focus.
func (f *Form) Focused() Field { return f.focus }

// Typing reports whether the focused field takes typed text.
func (f *Form) Typing() bool { return f.menu != nil || f.focus != nil && f.focus.text() }

// Focus gives the focus to a field of the form.
func (f *Form) Focus(to Field) {
	f.focusOn(to)
	f.fit()
}

func (f *Form) focusOn(to Field) {
	if to != f.focus {
		f.leave()
		f.focus = to
		to.core().version++
	}
	f.loose = false
	f.version++
}

// Leave tells the focused field that it is left: it complains from now on.
func (f *Form) Leave() {
	f.leave()
	f.fit()
}

func (f *Form) leave() {
	f.commit()
	if f.focus == nil {
		return
	}
	c := f.focus.core()
	c.left, c.begun = true, false
	c.version++
	f.version++
}

// Rest takes over what is half typed, as when the whole form goes out of
// sight. Nobody has left a field then, so none complains.
func (f *Form) Rest() {
	f.commit()
	f.fit()
}

func (f *Form) commit() {
	f.menu = nil
	if choice, ok := f.focus.(*Choice); ok {
		choice.rest()
	}
	list, ok := f.focus.(*List)
	if !ok {
		return
	}
	before := list.edits
	list.commitTyped()
	if list.edits != before {
		list.left = true
		f.revalidate()
	}
}

func (f *Form) focusBeside(from Field) {
	all := f.visible()
	if len(all) == 0 {
		return
	}
	to := all[0]
	for field := range f.fields() {
		if field == from {
			break
		}
		if !field.core().hidden {
			to = field
		}
	}
	f.focus = to
	to.core().version++
	f.loose = false
}

// step moves the focus over the fields that apply; it goes round.
func (f *Form) step(by int, round bool) bool {
	all := f.visible()
	for i, field := range all {
		if field != f.focus {
			continue
		}
		j := i + by
		if !round && (j < 0 || j >= len(all)) {
			return false
		}
		f.focusOn(all[(j+len(all))%len(all)])
		return true
	}
	return false
}

// Idle says whether the keys are elsewhere. The focus stays where it is, and is
// not shown.
func (f *Form) Idle(idle bool) {
	if idle != f.idle {
		f.idle = idle
		f.version++
	}
}

// Ends reports whether the focus is on the last field that applies, or with a
// negative by on the first: from there tab leaves the form, where a screen
// wants that.
func (f *Form) Ends(by int) bool {
	all := f.visible()
	if len(all) == 0 {
		return true
	}
	if by < 0 {
		return f.focus == all[0]
	}
	return f.focus == all[len(all)-1]
}

// FocusEnd gives the focus to the first field that applies, or with a negative
// by to the last.
func (f *Form) FocusEnd(by int) {
	all := f.visible()
	switch {
	case len(all) == 0:
	case by < 0:
		f.Focus(all[len(all)-1])
	default:
		f.Focus(all[0])
	}
}
