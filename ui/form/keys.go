package form

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

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
		return f.inPrompt() && f.prompt.NextPlaceholder() || f.step(1, true)
	case "shift+tab":
		return f.step(-1, true)
	}
	before := f.focus.core().edits
	switch {
	case f.travel(key):
		return true
	case !f.focus.key(k):
		return f.move(key)
	case f.focus.core().edits != before:
		f.revalidate()
	}
	f.offer(k)
	return true
}

func (f *Form) move(key string) bool {
	switch key {
	case "up":
		return f.step(-1, false)
	case "down":
		return f.step(1, false)
	case "enter":
		if choice, ok := f.focus.(*Choice); ok && len(choice.options) > 1 {
			f.menu = newMenu(f.priced(choice), choice.index(choice.value), func(o Option) { choice.SetValue(o.Value) })
			return true
		}
		return f.step(1, false)
	}
	return false
}

// offer opens the list of what completes the text that a key has written.
func (f *Form) offer(k tea.KeyPressMsg) {
	switch p := f.prompt; {
	case !f.inPrompt() || p.Offer == nil:
	case k.Text == "@" || k.Text == "＠":
		f.OfferTokens()
	case typed(k) || k.Code == tea.KeyBackspace:
		f.openMenu(p.completions())
	}
}

func (f *Form) inPrompt() bool { return f.focus == Field(f.prompt) }

// OfferTokens opens the list of tokens that @ inserts, if there are any.
func (f *Form) OfferTokens() bool {
	defer f.fit()
	return f.inPrompt() && f.openMenu(f.prompt.Offer(), f.prompt.take)
}

// priced are the choices with what each costs, as far as it is known.
func (f *Form) priced(c *Choice) []Option {
	options := slices.Clone(c.options)
	for i, o := range options {
		if f.Price != nil && o.Note == "" {
			options[i].Note = f.Price(c.Name, o.Value)
		}
	}
	return options
}

func (f *Form) openMenu(options []Option, pick func(Option)) bool {
	if len(options) > 0 {
		f.menu = newMenu(options, 0, pick)
		f.menu.loose = true
	}
	return len(options) > 0
}

// Paste writes text into the focused field.
func (f *Form) Paste(s string) {
	f.menu = nil
	f.loose = false
	if f.focus.paste(s[:min(len(s), maxPaste)]) {
		f.revalidate()
	}
	f.version++
	f.fit()
}

// Click takes a press in the form's cells and reports whether it hit a field.
func (f *Form) Click(x, y int) bool {
	f.version++
	if f.menu != nil {
		if row, ok := f.menu.rows.RowAt(y); ok && f.menu.box.Holds(x, y) {
			f.menu.pick(f.menu.options[row])
		}
		f.menu = nil
		f.Settle()
		return true
	}
	y += f.scroll
	for _, s := range f.page().spots {
		if !s.Holds(x, y) {
			continue
		}
		// Fields act on a press in their own drawing; the label gives the focus.
		at := pointer{x - s.X - s.left, y - s.Y - s.top, s.width, f.column(), s.field == f.focus}
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
	if y += f.scroll; !f.page().spots[0].Holds(0, y) || !f.prompt.wheel(by) {
		f.loose = true
		f.scroll += by
	}
	f.fit()
}
