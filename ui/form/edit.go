package form

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/ui/widget"
)

// Keys of the prompt; widget.Line has those of one line, without a selection:
//
//	←/→, ctrl+←/→ or alt+b/f    by character, by word; with shift: select
//	home/end                    of the visible line
//	ctrl+home/ctrl+end          of the text
//	backspace, delete           the selection, else a character
//	ctrl+w, alt+backspace       the word before;  alt+d the word after
//	ctrl+u                      to the start of the paragraph
//	ctrl+a                      select all
//
// The form takes alt+z or ctrl+_ and alt+y, undo and redo (ctrl+z suspends the
// program).

// motion takes a key that moves the cursor along the text.
func (b *buffer) motion(key string) bool {
	extend := false
	for _, p := range [...]struct{ with, without string }{
		{"shift+left", "left"}, {"shift+right", "right"},
		{"ctrl+shift+left", "ctrl+left"}, {"ctrl+shift+right", "ctrl+right"},
		{"alt+shift+left", "ctrl+left"}, {"alt+shift+right", "ctrl+right"},
		{"ctrl+shift+home", "ctrl+home"}, {"ctrl+shift+end", "ctrl+end"},
	} {
		if key == p.with {
			key, extend = p.without, true
			break
		}
	}
	from, to := b.selection()
	switch key {
	case "left", "ctrl+b":
		if !extend && from != to {
			b.move(from, false)
			return true
		}
		b.move(b.at-1, extend)
	case "right", "ctrl+f":
		if !extend && from != to {
			b.move(to, false)
			return true
		}
		b.move(b.at+1, extend)
	case "ctrl+left", "alt+left", "alt+b":
		b.move(widget.WordLeft(b.clusters, b.at), extend)
	case "ctrl+right", "alt+right", "alt+f":
		b.move(widget.WordRight(b.clusters, b.at), extend)
	case "ctrl+home", "alt+<":
		b.move(0, extend)
	case "ctrl+end", "alt+>":
		b.move(len(b.clusters), extend)
	case "ctrl+a":
		b.anchor, b.at, b.tail, b.run = 0, len(b.clusters), false, editOther
	default:
		return false
	}
	return true
}

// change takes a key that changes the text. unit, when set, gives the start of
// what one backspace takes at once before cluster i.
func (b *buffer) change(k tea.KeyPressMsg, key string, unit func(i int) int) bool {
	from, to := b.selection()
	switch key {
	case "backspace", "ctrl+h", "shift+backspace":
		if from == to && from > 0 {
			from--
			if unit != nil {
				from = unit(to)
			}
		}
		b.erase(from, to)
	case "delete", "ctrl+d":
		if from == to {
			to = min(to+1, len(b.clusters))
		}
		b.erase(from, to)
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		if from == to {
			from = widget.WordLeft(b.clusters, to)
		}
		b.erase(from, to)
	case "alt+d", "ctrl+delete", "alt+delete":
		if from == to {
			to = widget.WordRight(b.clusters, from)
		}
		b.erase(from, to)
	case "ctrl+u":
		if from == to {
			for from > 0 && b.clusters[from-1].Class != widget.ClassBreak {
				from--
			}
		}
		b.erase(from, to)
	default:
		if !typed(k) {
			return false
		}
		b.insert(k.Text, editType)
	}
	return true
}

// typed reports whether the key is text for a field.
func typed(k tea.KeyPressMsg) bool {
	return k.Text != "" && k.Mod&(tea.ModCtrl|tea.ModAlt|tea.ModMeta|tea.ModSuper|tea.ModHyper) == 0
}

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

// offer opens the list of what completes the text that a key has written.
func (f *Form) offer(k tea.KeyPressMsg) {
	p, ok := f.focus.(*Prompt)
	switch {
	case !ok:
	case k.Text == "@" || k.Text == "＠":
		f.openTokens()
	case typed(k) || k.Code == tea.KeyBackspace:
		if options, pick := p.completions(); len(options) > 0 {
			f.menu = &menu{options: options, loose: true, pick: pick}
		}
	}
}

// OfferTokens opens the list of what @ inserts, if the prompt has the focus and
// there is something to insert.
func (f *Form) OfferTokens() bool {
	defer f.fit()
	return f.openTokens()
}

func (f *Form) openTokens() bool {
	p, ok := f.focus.(*Prompt)
	if !ok || p.Offer == nil {
		return false
	}
	options := p.Offer()
	if len(options) == 0 {
		return false
	}
	f.menu = &menu{options: options, loose: true, pick: p.take}
	return true
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

// MenuOpen reports whether a list lies over the form.
func (f *Form) MenuOpen() bool { return f.menu != nil }

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
		// Fields act on a press only where their own drawing is; the label
		// gives the focus.
		at := pointer{x: x - s.x, y: y - s.y, width: s.value, column: f.column(), focused: s.field == f.focus && !f.idle}
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
