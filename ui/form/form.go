package form

import (
	"iter"
	"slices"

	"darkroom/ui/widget"
)

// row holds fields that stand side by side if there is room.
type row struct {
	fields []Field
	gap    bool // a blank line before it, if there is room
}

// Form is rows of fields, of which one has the focus.
type Form struct {
	look    *Look
	rows    []row
	focus   Field
	derive  func()
	rules   func() []Problem
	found   []Problem
	tried   bool
	menu    *menu
	tail    int      // rows that Tail made
	history *history // of the fields that are undone together; nil: each has its own

	width, height int
	idle          bool // the keys are elsewhere: no field shows the focus
	scroll        int
	loose         bool // the wheel moved the view away from the focus
	version       int64
	drawn         widget.Memo[pageKey, *page]
}

// New makes a form; the first field has the focus.
func New(look *Look) *Form {
	return &Form{look: look, width: 60, height: 20}
}

// Add appends a row. gap asks for a blank line before it if there is room.
func (f *Form) Add(gap bool, fields ...Field) {
	f.rows = append(f.rows, row{fields, gap})
	if f.focus == nil {
		f.focus = fields[0]
	}
	f.version++
}

// Tail replaces the rows after the added ones: fields that come and go with other
// values. Fields that stay keep their focus and state.
func (f *Form) Tail(fields ...Field) {
	f.rows = f.rows[:len(f.rows)-f.tail]
	for _, field := range fields {
		f.Add(false, field)
	}
	f.tail = len(fields)
	if !slices.Contains(slices.Collect(f.fields()), f.focus) {
		f.focus = f.rows[0].fields[0]
	}
}

// Rules sets the function that finds problems after every change. It must be pure.
func (f *Form) Rules(rules func() []Problem) { f.rules = rules }

// Derive sets the function called before visibility and problems are computed: it
// brings options and notes up to date with the values.
func (f *Form) Derive(derive func()) { f.derive = derive }

// fields walks over all fields, also over ones that do not apply.
func (f *Form) fields() iter.Seq[Field] {
	return func(yield func(Field) bool) {
		for _, row := range f.rows {
			for _, field := range row.fields {
				if !yield(field) {
					return
				}
			}
		}
	}
}

// Edits grows whenever the value of a field changes.
func (f *Form) Edits() int64 {
	var n int64
	for field := range f.fields() {
		n += field.core().edits
	}
	return n
}

// Version grows whenever the form may look different.
func (f *Form) Version() int64 {
	n := f.version
	for field := range f.fields() {
		n += field.core().version
	}
	return n
}

// Restyle takes another look.
func (f *Form) Restyle(look *Look) {
	f.look = look
	f.version++
	f.fit()
}

// Resize gives the form its cells.
func (f *Form) Resize(width, height int) {
	if width != f.width || height != f.height {
		f.width, f.height = max(width, 20), max(height, 3)
		f.loose = false
		f.version++
	}
	f.fit()
}

// Settle brings visibility, problems and sizes up to date after values changed.
func (f *Form) Settle() {
	f.revalidate()
	f.fit()
}

// revalidate brings visibility and problems up to date after values changed.
func (f *Form) revalidate() {
	if f.derive != nil {
		f.derive()
	}
	for field := range f.fields() {
		c := field.core()
		c.hidden = c.Show != nil && !c.Show()
	}
	if f.focus != nil && f.focus.core().hidden {
		f.focusNear(f.focus)
	}
	if f.rules != nil {
		f.found = f.rules()
	}
	f.version++
}

// Problems returns all problems, shown or not, in the order of the rules.
func (f *Form) Problems() []Problem { return f.found }

// Try says that sending was tried: every problem shows, and the first field
// that has one gets the focus. It reports whether there is none.
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

// Fresh forgets that fields were left and sending was tried, as for a new
// request.
func (f *Form) Fresh() {
	f.tried = false
	for field := range f.fields() {
		field.core().left = false
	}
	f.version++
	f.fit()
}

// visible is the fields that apply, in order.
func (f *Form) visible() []Field {
	var out []Field
	for field := range f.fields() {
		if !field.core().hidden {
			out = append(out, field)
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
	f.focusOn(to)
	f.fit()
}

func (f *Form) focusOn(to Field) {
	if to != f.focus {
		f.leave()
		f.focus = to
	}
	f.loose = false
	f.version++
}

// Leave tells the focused field that it is left: it shows its problems from now on.
func (f *Form) Leave() {
	f.leave()
	f.fit()
}

func (f *Form) leave() {
	f.commit()
	if f.focus != nil {
		c := f.focus.core()
		c.left, c.begun = true, false
		f.version++
	}
}

// Rest takes over half-typed values, as when the whole form goes out of sight.
// Nobody has left a field then, so no problem shows.
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
		field.commitTyped()
		if field.edits != before {
			field.left = true
			f.revalidate()
		}
	}
}

// focusNear gives the focus to the field before one that does not apply, else to
// the first.
func (f *Form) focusNear(from Field) {
	all := slices.Collect(f.fields())
	slices.Reverse(all[:slices.Index(all, from)])
	for _, field := range all {
		if !field.core().hidden {
			f.focus, f.loose = field, false
			return
		}
	}
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
