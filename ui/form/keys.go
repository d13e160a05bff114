package form

import tea "charm.land/bubbletea/v2"

// Key takes a key and reports whether it was for the form.
func (f *Form) Key(k tea.KeyPressMsg) bool {
	defer f.fit()
	f.version++
	f.loose = false
	if f.menu != nil {
		done, pass := f.menu.key(k)
		if done {
			f.menu = nil
		}
		if !pass {
			f.revalidate()
			return true
		}
	}
	key := k.String()
	switch key {
	case "tab":
		if p, ok := f.focus.(*Prompt); ok && p.NextPlaceholder() {
			return true
		}
		return f.step(1, true)
	case "shift+tab":
		return f.step(-1, true)
	}
	if f.focus == nil {
		return false
	}
	if f.travel(key) {
		return true
	}
	c := f.focus.core()
	before := c.edits
	if f.focus.key(k) {
		if c.edits != before {
			f.revalidate()
		}
		f.offer(k)
		return true
	}
	return f.move(key)
}

// move takes a key that the focused field does not want.
func (f *Form) move(key string) bool {
	switch key {
	case "up":
		return f.step(-1, false)
	case "down":
		return f.step(1, false)
	case "enter":
		if choice, ok := f.focus.(*Choice); ok && len(choice.options) > 1 {
			f.menu = &menu{options: choice.options, at: max(choice.index(), 0), pick: func(o Option) { choice.SetValue(o.Value) }}
			return true
		}
		return f.step(1, false)
	}
	return false
}

// offer opens the list of completions of the text that a key has written.
func (f *Form) offer(k tea.KeyPressMsg) {
	p, ok := f.focus.(*Prompt)
	switch {
	case !ok:
	case k.Text == "@" || k.Text == "＠":
		f.OfferTokens()
	case typed(k) || k.Code == tea.KeyBackspace:
		f.openMenu(p.completions())
	}
}

// OfferTokens opens the list of tokens that @ inserts, if the prompt has the focus and
// there is something to insert.
func (f *Form) OfferTokens() bool {
	defer f.fit()
	p, ok := f.focus.(*Prompt)
	return ok && p.Offer != nil && f.openMenu(p.Offer(), p.take)
}

func (f *Form) openMenu(options []Option, pick func(Option)) bool {
	if len(options) > 0 {
		f.menu = &menu{options: options, loose: true, pick: pick}
	}
	return len(options) > 0
}

// Paste gives pasted text to the focused field. It never does anything but
// write.
func (f *Form) Paste(s string) {
	f.menu = nil
	f.loose = false
	if f.focus != nil && f.focus.paste(s) {
		f.revalidate()
	}
	f.version++
	f.fit()
}

// Click takes a press in the form's cells and reports whether it hit a field.
func (f *Form) Click(x, y int) bool {
	f.version++
	if f.menu != nil {
		f.menu.click(x, y)
		f.menu = nil
		f.Settle()
		return true
	}
	y += f.scroll
	for _, s := range f.page().spots {
		if !s.hit(x, y) {
			continue
		}
		// Fields act on a press in their own drawing only; the label gives
		// the focus.
		at := pointer{x: x - s.left - s.vx, y: y - s.head - s.vy, width: s.width, column: f.column(), focused: s.field == f.focus && !f.idle}
		f.focusOn(s.field)
		if at.x >= 0 && at.y >= 0 {
			s.field.click(at)
			f.revalidate()
		}
		f.fit()
		return true
	}
	return false
}

// Wheel scrolls the prompt under the pointer, else the form.
func (f *Form) Wheel(y, by int) {
	f.version++
	for _, s := range f.page().spots {
		if p, ok := s.field.(*Prompt); ok && s.hit(s.left, y+f.scroll) && p.wheel(by) {
			f.fit()
			return
		}
	}
	f.loose = true
	f.scroll += by
	f.fit()
}
