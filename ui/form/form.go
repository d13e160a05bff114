package form

import tea "charm.land/bubbletea/v2"

// Row is fields that stand side by side where there is room.
type Row []Field

// Form is rows of fields, of which one has the focus.
type Form struct {
	look   *Look
	rows   []Row
	gaps   []bool // a blank line before the row, where there is room
	focus  Field
	derive func()
	rules  func() []Problem
	found  []Problem
	tried  bool
	menu   *menu

	width, height int
	idle          bool // the keys are elsewhere: no field shows the focus
	tall          int  // lines of the prompt
	scroll        int
	loose         bool // the wheel moved the view away from the focus
	version       int64
	page          page
}

// New makes a form; the first field has the focus.
func New(look *Look) *Form {
	return &Form{look: look, width: 60, height: 20}
}

// Add appends a row. gap asks for a blank line before it where there is room.
func (f *Form) Add(gap bool, fields ...Field) {
	f.rows = append(f.rows, Row(fields))
	f.gaps = append(f.gaps, gap)
	if f.focus == nil {
		f.focus = fields[0]
	}
	f.version++
}

// Rules sets what is asked for problems after every change. It must be pure.
func (f *Form) Rules(rules func() []Problem) { f.rules = rules }

// Derive sets what is called before visibility and problems are worked out: it
// brings options and notes up to date with the values.
func (f *Form) Derive(derive func()) { f.derive = derive }

// Edits grows whenever the value of a field changes.
func (f *Form) Edits() int64 {
	var n int64
	for _, row := range f.rows {
		for _, field := range row {
			n += field.core().edits
		}
	}
	return n
}

// Version grows whenever the form may look different.
func (f *Form) Version() int64 { return f.version }

// Restyle takes another look.
func (f *Form) Restyle(look *Look) {
	f.look = look
	f.version++
}

// Resize gives the form its cells.
func (f *Form) Resize(width, height int) {
	if width != f.width || height != f.height {
		f.width, f.height = max(width, 20), max(height, 3)
		f.loose = false
		f.version++
	}
}

// Settle brings visibility and problems up to date after values changed.
func (f *Form) Settle() {
	if f.derive != nil {
		f.derive()
	}
	for _, row := range f.rows {
		for _, field := range row {
			c := field.core()
			hidden := c.Show != nil && !c.Show()
			if hidden != c.hidden {
				c.hidden = hidden
				c.version++
			}
		}
	}
	if f.focus != nil && f.focus.core().hidden {
		f.focusBeside(f.focus)
	}
	if f.rules != nil {
		f.place(f.rules())
	}
	f.version++
}

// place hands each field its problems.
func (f *Form) place(found []Problem) {
	f.found = found
	for _, row := range f.rows {
		for _, field := range row {
			c := field.core()
			n, same := 0, true
			for _, p := range found {
				if p.Field == c.Name {
					same = same && n < len(c.problems) && c.problems[n] == p
					n++
				}
			}
			if same && n == len(c.problems) {
				continue
			}
			var mine []Problem
			for _, p := range found {
				if p.Field == c.Name {
					mine = append(mine, p)
				}
			}
			c.problems = mine
			c.version++
		}
	}
}

// Problems are all there are, shown or not, in the order of the rules.
func (f *Form) Problems() []Problem { return f.found }

// Try says that sending was tried: every problem shows, and the first field
// that has one gets the focus. It reports whether there is none.
func (f *Form) Try() bool {
	f.Settle()
	f.tried = len(f.found) > 0
	for _, field := range f.visible() {
		if len(field.core().problems) > 0 {
			f.Focus(field)
			return false
		}
	}
	return len(f.found) == 0
}

// Fresh forgets that fields were left and sending was tried, as for a new
// request.
func (f *Form) Fresh() {
	f.tried = false
	for _, row := range f.rows {
		for _, field := range row {
			field.core().left = false
			field.core().version++
		}
	}
	f.version++
}

// visible is the fields that apply, in order.
func (f *Form) visible() []Field {
	var out []Field
	for _, row := range f.rows {
		for _, field := range row {
			if !field.core().hidden {
				out = append(out, field)
			}
		}
	}
	return out
}

// Focused is the field that has the focus.
func (f *Form) Focused() Field { return f.focus }

// Typing reports whether the focused field takes typed text.
func (f *Form) Typing() bool { return f.menu != nil || f.focus != nil && f.focus.text() }

// Focus gives the focus to a field of the form.
func (f *Form) Focus(to Field) {
	if to != f.focus {
		f.Leave()
		f.focus = to
		to.core().version++
	}
	f.loose = false
	f.version++
}

// Leave tells the focused field that it is left: it complains from now on.
func (f *Form) Leave() {
	f.Rest()
	if f.focus == nil {
		return
	}
	c := f.focus.core()
	c.left = true
	c.version++
	f.version++
}

// Rest takes over what is half typed, as when the whole form goes out of
// sight. Nobody has left a field then, so none complains.
func (f *Form) Rest() {
	f.menu = nil
	list, ok := f.focus.(*List)
	if !ok {
		return
	}
	before := list.edits
	list.leave()
	if list.edits != before {
		list.left = true
		f.Settle()
	}
}

func (f *Form) focusBeside(from Field) {
	all := f.visible()
	if len(all) == 0 {
		return
	}
	to, seen := all[0], false
	for _, row := range f.rows {
		for _, field := range row {
			if field == from {
				seen = true
			}
			if !field.core().hidden && !seen {
				to = field
			}
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
		f.Focus(all[(j+len(all))%len(all)])
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

// Key takes a key and reports whether it was for the form.
func (f *Form) Key(k tea.KeyPressMsg) bool {
	f.version++
	f.loose = false
	if f.menu != nil {
		done, pass := f.menu.key(k)
		if done {
			f.menu = nil
		}
		if !pass {
			f.Settle()
			return true
		}
	}
	key := k.String()
	switch key {
	case "tab":
		return f.step(1, true)
	case "shift+tab":
		return f.step(-1, true)
	}
	if f.focus == nil {
		return false
	}
	c := f.focus.core()
	before := c.edits
	if f.focus.key(k) {
		if c.edits != before {
			f.Settle()
		}
		f.offer(k)
		return true
	}
	switch key {
	case "up":
		return f.step(-1, false)
	case "down":
		return f.step(1, false)
	case "enter":
		if choice, ok := f.focus.(*Choice); ok && len(choice.options) > 1 {
			f.open(choice)
			return true
		}
		return f.step(1, false)
	}
	return false
}

// open opens the list of a choice.
func (f *Form) open(c *Choice) {
	x, y := f.at(c)
	f.menu = &menu{options: c.options, at: max(c.at(), 0), x: x, y: y,
		pick: func(o Option) { c.SetValue(o.Value) }}
}

// offer opens the list of tokens after an @ in the prompt.
func (f *Form) offer(k tea.KeyPressMsg) {
	p, ok := f.focus.(*Prompt)
	if !ok || p.Offer == nil || k.Text != "@" && k.Text != "＠" {
		return
	}
	f.OfferTokens()
}

// OfferTokens opens the list of what @ inserts, if the prompt has the focus and
// there is something to insert.
func (f *Form) OfferTokens() bool {
	p, ok := f.focus.(*Prompt)
	if !ok || p.Offer == nil {
		return false
	}
	options := p.Offer()
	if len(options) == 0 {
		return false
	}
	x, y, _ := f.Cursor()
	f.menu = &menu{options: options, x: x, y: y, loose: true, pick: func(o Option) { p.complete(o.Value) }}
	return true
}

// complete writes a token, in the place of the @ that asked for it.
func (p *Prompt) complete(token string) {
	from := p.b.at
	if from > 0 && (p.b.glyphs[from-1].text == "@" || p.b.glyphs[from-1].text == "＠") {
		from--
		if from > 0 && p.b.glyphs[from-1].text == "【" {
			from--
		}
	}
	p.b.replace(from, p.b.at, token, deedNone)
	p.goal = -1
	p.edited()
}

// Paste gives pasted text to the focused field. It never does anything but
// write.
func (f *Form) Paste(s string) {
	f.menu = nil
	f.loose = false
	if f.focus != nil && f.focus.paste(s) {
		f.Settle()
	}
	f.version++
}

// MenuOpen reports whether a list lies over the form.
func (f *Form) MenuOpen() bool { return f.menu != nil }
