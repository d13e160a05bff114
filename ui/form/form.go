// Package form is a form in a terminal: fields in groups, problems next to
// their fields, one real cursor. Choices, rules and looks are handed to it.
package form

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Form is rows of fields, of which one has the focus.
type Form struct {
	look    *theme.Theme
	fields  []Field // also ones that do not apply
	focus   Field
	prompt  *Prompt // the first field
	rules   func() []Problem
	Price   func(field, value string) string // what a choice costs, or ""; may be nil
	found   []Problem
	tried   bool
	menu    *menu
	tail    int // fields that Tail made
	history history

	width, height int
	beside        int  // columns of it right of the prompt that are not the form's
	bare          bool // something else stands right of the rows: no remarks
	idle          bool // the keys are elsewhere: no field shows the focus
	scroll        int
	loose         bool // the wheel moved the view away from the focus
	version       int64
	roomy         int // how many blank lines at most set rows apart
	drawn         widget.Memo[int64, *page]
}

// New makes a form that begins with a prompt, which gets the focus. rules brings options
// and notes up to date with the values, and returns what is wrong with them.
func New(look *theme.Theme, prompt *Prompt, rules func() []Problem) *Form {
	f := &Form{look: look, focus: prompt, prompt: prompt, rules: rules, width: 60, height: 20}
	f.Add(1, prompt)
	return f
}

// Add appends a field. gap asks for blank lines before it if there is room: the second is for
// what stands beside the rows above.
func (f *Form) Add(gap int, field Field) {
	field.core().gap, field.core().history, field.core().bare = gap, &f.history, f.bare
	f.fields = append(f.fields, field)
	f.version++
}

// Tail replaces the rows after the added ones: fields that come and go.
func (f *Form) Tail(fields ...Field) {
	f.version = f.Version() + 1
	f.fields = f.fields[:len(f.fields)-f.tail]
	for _, field := range fields {
		f.Add(0, field)
	}
	f.tail = len(fields)
	if !slices.Contains(f.fields, f.focus) {
		f.focus = f.prompt
	}
}

// Edits grows whenever the value of a field changes.
func (f *Form) Edits() int64 { return f.sum(func(c *Core) int64 { return c.edits }) }

// Version grows whenever the form may look different.
func (f *Form) Version() int64 { return f.version + f.sum(func(c *Core) int64 { return c.version }) }

func (f *Form) sum(of func(*Core) int64) (n int64) {
	for _, field := range f.fields {
		n += of(field.core())
	}
	return n
}

// Restyle draws all fields anew, in another theme or with other words.
func (f *Form) Restyle(look *theme.Theme) {
	f.look = look
	f.fit()
}

func (f *Form) Resize(width, height int) {
	if width != f.width || height != f.height {
		f.width, f.height = max(width, 20), max(height, 3)
		f.loose = false
	}
	f.fit()
}

// Beside leaves columns free right of the prompt, and if bare, the room of remarks.
func (f *Form) Beside(columns int, bare bool) {
	if columns != f.beside || bare != f.bare {
		f.beside, f.bare = columns, bare
		for _, field := range f.fields {
			field.core().bare = bare
		}
		f.fit()
	}
}

// Settle checks the values and lays the fields out, after something outside has changed.
func (f *Form) Settle() {
	f.revalidate()
	f.fit()
}

func (f *Form) revalidate() {
	f.found = f.rules()
	for _, field := range f.fields {
		c := field.core()
		c.hidden = c.Show != nil && !c.Show()
		if said := [...]string{c.Label, c.Note, c.Several}; said != c.said {
			c.said = said
			c.version++
		}
	}
	if hidden(f.focus) {
		all := slices.Clone(f.fields)
		slices.Reverse(all[:slices.Index(all, f.focus)]) // the field before it, else the first
		f.focus, f.loose = slices.DeleteFunc(all, hidden)[0], false
	}
}

// Problems returns all problems, shown or not, in the order of the rules.
func (f *Form) Problems() []Problem { return f.found }

// Shows reports whether a problem stands beside its field now, and the field's label.
func (f *Form) Shows(p Problem) (label string, now bool) {
	for _, field := range f.fields {
		if c := field.core(); c.Name == p.Field {
			return c.Label, f.shows(c, p)
		}
	}
	return "", false
}

func (f *Form) shows(c *Core, p Problem) bool { return p.Early || f.tried || c.left && !p.Late }

// Try says that sending was tried: every problem shows, and the first field with one
// gets the focus. It reports whether there is none.
func (f *Form) Try() bool {
	f.revalidate()
	f.tried = len(f.found) > 0
	for _, field := range f.visible() {
		if slices.ContainsFunc(f.found, func(p Problem) bool { return p.Field == field.core().Name }) {
			f.Focus(field)
			return false
		}
	}
	f.fit()
	return !f.tried
}

// Fresh forgets that fields were left and sending was tried.
func (f *Form) Fresh() {
	f.tried = false
	for _, field := range f.fields {
		field.core().left = false
	}
	f.fit()
}

func hidden(field Field) bool { return field.core().hidden }

func (f *Form) visible() []Field {
	return slices.DeleteFunc(slices.Clone(f.fields), hidden)
}

func (f *Form) Focused() Field { return f.focus }

// Typing reports whether the focused field takes text.
func (f *Form) Typing() bool { return f.menu != nil || f.focus.text() }

// Focus gives the keys to a field, and brings it into view.
func (f *Form) Focus(to Field) {
	if to != f.focus {
		f.leave()
		f.focus = to
	}
	f.loose = false
	f.fit()
}

// Leave tells the focused field that it is left: it shows its problems from now on.
func (f *Form) Leave() {
	f.leave()
	f.fit()
}

func (f *Form) leave() {
	f.commit()
	c := f.focus.core()
	c.left, c.begun = true, false
}

// Rest takes over half-typed values, as when the form goes out of sight: nobody has
// left a field, so no problem shows.
func (f *Form) Rest() {
	f.commit()
	f.fit()
}

func (f *Form) commit() {
	f.menu = nil
	switch field := f.focus.(type) {
	case *Choice:
		field.rest()
	case *List:
		before := field.edits
		field.commit()
		if field.edits != before {
			field.left = true
			f.revalidate()
		}
	}
}

// Step moves the focus over the fields that apply, and reports whether there is one that
// way; round goes on at the other end.
func (f *Form) Step(by int, round bool) bool {
	all := f.visible()
	i := slices.Index(all, f.focus) + by
	if !round && (i < 0 || i >= len(all)) {
		return false
	}
	f.Focus(all[(i+len(all))%len(all)])
	return true
}

// Idle says whether the keys are elsewhere: the focus stays and is not shown.
func (f *Form) Idle(idle bool) {
	if idle != f.idle {
		f.idle = idle
		f.version++
	}
}

func (f *Form) Key(k tea.KeyPressMsg) bool {
	defer f.fit()
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
		return f.inPrompt() && f.prompt.NextPlaceholder() || f.Step(1, true)
	case "shift+tab":
		return f.Step(-1, true)
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
	switch p := f.prompt; { // the list of what completes the text that the key has written
	case !f.inPrompt() || p.Offer == nil:
	case k.Text == "@" || k.Text == "＠":
		f.OfferTokens()
	case typed(k) || k.Code == tea.KeyBackspace:
		begun, options := p.Complete(widget.JoinClusters(p.clusters[max(p.at-100, 0):p.at]))
		n := len(widget.AppendClusters(nil, begun))
		f.openMenu(options, 0, true, func(o Option) { p.replace(max(p.at-n, 0), p.at, o.Value, editOther) })
	}
	return true
}

func (f *Form) move(key string) bool {
	switch key {
	case "up":
		return f.Step(-1, false)
	case "down":
		return f.Step(1, false)
	case "enter":
		if choice, ok := f.focus.(*Choice); ok && len(choice.options) > 1 {
			options := slices.Clone(choice.options) // with what each costs, as far as it is known
			for i, o := range options {
				if f.Price != nil && o.Note == "" {
					options[i].Note = f.Price(choice.Name, o.Value)
				}
			}
			return f.openMenu(options, choice.index(choice.value), false, func(o Option) { choice.Choose(o.Value) })
		}
		return f.Step(1, false)
	}
	return false
}

func (f *Form) inPrompt() bool { return f.focus == Field(f.prompt) }

// OfferTokens opens the list of tokens that @ inserts, if there are any.
func (f *Form) OfferTokens() bool {
	defer f.fit()
	return f.inPrompt() && f.openMenu(f.prompt.Offer(), 0, true, f.prompt.take)
}

// openMenu opens a list of options, if there are any, with the cursor at one of them.
func (f *Form) openMenu(options []Option, at int, loose bool, pick func(Option)) bool {
	if len(options) > 0 {
		f.menu = &menu{options: options, pick: pick, loose: loose}
		f.menu.rows.SetRows(len(options))
		f.menu.rows.Select(at)
	}
	return len(options) > 0
}

// Paste writes text into the focused field.
func (f *Form) Paste(s string) {
	f.menu, f.loose = nil, false
	f.focus.paste(s[:min(len(s), maxPaste)])
	f.Settle()
}

// Click takes a press in the form's cells and reports whether it hit a field.
func (f *Form) Click(x, y int) bool {
	if f.menu != nil {
		if row, ok := f.menu.rows.RowAt(y); ok && f.menu.box.Holds(x, y) {
			f.menu.pick(f.menu.options[row])
		}
		f.menu = nil
		f.Settle()
		return true
	}
	y += f.scroll
	s, ok := api.Find(f.page().spots, func(s spot) bool { return s.Holds(x, y) })
	if ok {
		// Fields act on a press in their own drawing; the label gives the focus.
		at := pointer{x - s.X - s.left, y - s.Y - s.top, s.W - s.left - s.right, s.field == f.focus}
		f.Focus(s.field)
		if at.x >= 0 && at.y >= 0 {
			s.field.click(at)
		}
		f.Settle()
	}
	return ok
}

// Wheel moves in an open list of choices, else scrolls the prompt under the pointer or the form.
func (f *Form) Wheel(y, by int) {
	if y += f.scroll; f.menu != nil {
		f.menu.rows.Move(by)
	} else if !f.page().spots[0].Holds(0, y) || !f.prompt.wheel(by) {
		f.loose = true
		f.scroll += by
	}
	f.fit()
}

// Problem is a finding about one field, in words that say how to put it right.
type Problem struct {
	Field string
	Text  string
	Short string // for where there is one line; "" without one
	// Early problems show at once, late ones when sending was tried, others when the field
	// was left as well.
	Early, Late bool
}

// Field is one thing to fill in.
type Field interface {
	core() *Core
	key(k tea.KeyPressMsg) bool
	paste(s string)
	// click takes a press in the cells of the drawing.
	click(at pointer)
	// draw draws the value in width cells; one line but for prompts and lists.
	draw(look *theme.Theme, width int, focus bool) drawing
	// text reports whether the field takes typed text now.
	text() bool
}

// chip is a value on the ground of elements, with a blank at both ends.
func chip(look *theme.Theme, value string) string { return " " + look.Element.Lay(" "+value+" ") }

// pointer is a press on a field, in the cells of its own drawing.
type pointer struct {
	x, y    int
	width   int  // of the drawing
	focused bool // the field had the focus before
}

// drawing is a field's lines, and the place of the real cursor.
type drawing struct {
	lines     []string
	x, y      int
	cursor    bool
	left, top int // where it begins within a drawing with its label
	right     int // cells behind it that are not its own
}

// Core is the part that all fields have. Form.Settle finds changes of label, note and several;
// of anything else Touch tells.
type Core struct {
	Name  string // as problems name it
	Label string // in the language of the interface
	Note  string // a remark right of the value
	// Several, when set, stands in place of the value while the field has no
	// focus, and next to it while it has: the field stands for several values.
	Several string
	// Show reports whether the field applies now; nil is always.
	Show func() bool

	left    bool // it had the focus once and lost it
	begun   bool // its text was edited since it has the focus
	hidden  bool
	bare    bool      // something else stands right of it
	gap     int       // blank lines before it, if there is room
	history *history  // of its edits; nil: they are not undone
	said    [3]string // its label, note and several as they were last drawn
	version int64     // grows with every change of the drawing
	edits   int64     // grows with every change of the value
	drawn   widget.Memo[blockKey, *drawing]
}

func (c *Core) core() *Core { return c }
func (c *Core) text() bool  { return true }

// Touch says that something about the field has changed.
func (c *Core) Touch() { c.version++ }

// Edited says that the value has changed, or what belongs to it.
func (c *Core) Edited() {
	c.version++
	c.edits++
}

// Bounds of what comes into a field: far more than any request has. An address that is cut is
// another one, and the rules report one that is too long.
const (
	maxPaste   = 1 << 20   // bytes at once
	maxText    = 128 << 10 // characters
	maxEntries = 100
)

func fill(s string, w int) string { return s + theme.Blank(w-theme.Width(s)) }
