package form

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Option is a value that can be chosen.
type Option struct {
	Value string
	Label string // shown; empty: Value
	Note  string // a remark, dimmed
}

func (o Option) shown() string { return cmp.Or(o.Label, api.Clean(o.Value, maxText).String()) }

// Choice is a value out of a list: ←/→ change it, enter opens the list, a
// letter goes to the next choice that begins with it. Without a list it is a
// field of one line, with the value kept.
type Choice struct {
	Core
	Empty string
	Must  bool // it cannot be left empty: Empty is a warning
	// Free choices also take a typed value.
	Free    bool
	Undoes  bool // what a person chooses is undone with the edits of text
	options []Option
	value   string
	line    widget.Line // when there is nothing to choose from, or a value is typed
	typing  bool        // a value is typed in place of the choices
}

func NewChoice(name, label string) *Choice {
	return &Choice{Core: Core{Name: name, Label: label}, line: widget.Line{Limit: maxText}}
}

// NewNumber makes a field for a whole number.
func NewNumber(name, label string) *Choice {
	c := NewChoice(name, label)
	c.line.Allow = func(r rune) bool { return r >= '0' && r <= '9' || r == '-' }
	return c
}

func (c *Choice) Value() string { return c.value }

// SetValue chooses a value, which need not be one of the options.
func (c *Choice) SetValue(v string) {
	if v != c.value {
		c.value = v
		c.line.Set(v)
		c.typing = false
		c.Edited()
	}
}

// Choose is SetValue by a person.
func (c *Choice) Choose(v string) {
	if c.Undoes && v != c.value {
		c.history.edit(c, false)
	}
	c.SetValue(v)
}

func (c *Choice) keep() func() {
	value := c.value
	return func() { c.value = value }
}

func (c *Choice) SetOptions(options []Option) {
	if !slices.Equal(options, c.options) {
		c.options = options
		c.version++
	}
}

func (c *Choice) Options() []Option { return c.options }

// Choosable reports whether keys step through the choices now.
func (c *Choice) Choosable() bool { return !c.writing() && !c.fixed() }

// fixed reports whether there is nothing to choose: one option, and it is set.
func (c *Choice) fixed() bool { return len(c.options) == 1 && c.index(c.value) == 0 }

func (c *Choice) text() bool { return c.Free || c.writing() }

func (c *Choice) writing() bool { return len(c.options) == 0 || c.typing }

// index is the place of a value among the options, or -1.
func (c *Choice) index(value string) int {
	return slices.IndexFunc(c.options, func(o Option) bool { return o.Value == value })
}

// seek is the next option behind a place that begins with s, or -1.
func seek(options []Option, from int, s string) int {
	for n := range options {
		i := (from + 1 + n) % len(options)
		if strings.HasPrefix(strings.ToLower(options[i].shown()), strings.ToLower(s)) {
			return i
		}
	}
	return -1
}

func (c *Choice) step(by int) {
	n, i := len(c.options), c.index(c.value)
	if by < 0 {
		i = max(i, 0)
	}
	c.Choose(c.options[(i+by+n)%n].Value)
}

func (c *Choice) key(k tea.KeyPressMsg) bool {
	if c.writing() {
		return c.typeKey(k)
	}
	key := k.String()
	if c.Free && (typed(k) && key != "space" && key != "+" && key != "-" || key == "backspace" && c.value != "") { // it is typed
		c.typing = true
		if c.line.Set(c.value); k.Text != "" {
			c.line.Set("")
		}
		return c.typeKey(k)
	}
	switch key {
	case "right", "l", "+", "space":
		c.step(1)
	case "left", "h", "-":
		c.step(-1)
	case "home":
		c.Choose(c.options[0].Value)
	case "end":
		c.Choose(c.options[len(c.options)-1].Value)
	default:
		i := seek(c.options, c.index(c.value), k.Text)
		if i < 0 || !typed(k) {
			return false
		}
		c.Choose(c.options[i].Value)
	}
	return true
}

// typeKey gives a key to the line. Esc and an empty line go back to the choices.
func (c *Choice) typeKey(k tea.KeyPressMsg) bool {
	if c.typing && (k.String() == "esc" || k.String() == "enter") {
		c.rest()
		return k.String() == "esc"
	}
	used, changed := c.write(&c.line, k)
	if changed {
		c.take()
		c.typing = c.typing && c.value != ""
	}
	return used
}

// rest ends typing, as when the field loses the focus.
func (c *Choice) rest() {
	if c.typing {
		c.typing = false
		c.Touch()
	}
}

func (c *Choice) take() {
	c.value = strings.TrimSpace(c.line.Text())
	c.Edited()
}

func (c *Choice) paste(s string) {
	switch s = strings.TrimSpace(s); {
	case c.writing():
	case c.index(s) >= 0:
		c.Choose(s)
		return
	case !c.Free || s == "" || strings.Contains(s, "\n"):
		return
	default:
		c.typing = true
		c.line.Set("")
	}
	c.line.Insert(s)
	c.take()
}

func (c *Choice) click(at pointer) {
	line, n := c.beside(at.width)
	switch i := under(line, at.x-1, len(choiceGap)); {
	case c.writing():
		c.begun = true
		placeCursor(&c.line, at.x-2, at.width-4, at.focused)
		c.Touch()
	case i == n && at.x < 2:
		c.step(-1)
	case i == n:
		c.step(1)
	case i >= 0:
		c.Choose(line[i].Value)
	}
}

func (c *Choice) draw(look *theme.Theme, width int, focus bool) drawing {
	empty := look.Warn.If(c.Must, look.Faint)
	if c.writing() {
		s, x := drawText(look, &c.line, empty.Paint(c.Empty), width-4, focus)
		if focus { // else it is as wide as its text
			s = fill(s, max(x+1, min(18, width)-3))
		}
		return drawing{lines: []string{chip(look, s)}, x: x + 2, cursor: focus}
	}
	line, at := c.beside(width)
	on := focus && !c.fixed()
	edge := look.Accent.If(on, look.Muted)
	value := empty.If(c.value == "", look.Strong.If(on || !look.Grounds(), look.Text)).Paint(theme.Cut(line[at].shown(), width-4))
	if c.fixed() {
		return drawing{lines: []string{"  " + value}}
	}
	if value = " " + value + " "; on || c.Must || c.value != "" { // else nothing is filled in
		value = look.Element.Lay(value)
	}
	names := api.Map(line, func(o Option) string { return look.Muted.Paint(o.shown()) })
	if len(names) > 1 && line[len(line)-1] != c.options[len(c.options)-1] {
		names = append(names, look.Muted.Paint("…"))
	}
	value = edge.Paint("‹") + value + edge.Paint("›")
	if at < len(names)-1 {
		value += " " + strings.Join(names[at+1:], choiceGap)
	}
	if at > 0 {
		value = "  " + strings.Join(names[:at], choiceGap) + " " + value
	}
	return drawing{lines: []string{value}, x: 2}
}

const choiceGap = "   " // the edges and the blanks at the ends of two choices

// beside are the value and the choices around it that have room, and the value's place among them.
func (c *Choice) beside(width int) (line []Option, at int) {
	line = api.Pick(c.options, func(o Option) (Option, bool) { return o, o.Value != "" || c.value == "" })
	if at = slices.IndexFunc(line, func(o Option) bool { return o.Value == c.value }); at < 0 {
		at, line = 0, slices.Insert(line, 0, Option{Value: c.value, Label: cmp.Or(Option{Value: c.value}.shown(), c.Empty)})
	}
	n := len(line)
	if c.bare && n > 2 || c.Several != "" || n > 13 {
		return line[at : at+1], 0
	}
	for len(line) > 1 && total(line, len(choiceGap))+min(n-len(line), 1)*len(choiceGap) >= width {
		if at > (len(line)-1)/2 {
			line, at = line[1:], at-1
		} else {
			line = line[:len(line)-1]
		}
	}
	return line, at
}

// total is how wide options are, each with a gap.
func total(options []Option, gap int) int {
	return theme.Width(strings.Join(api.Map(options, Option.shown), "")) + gap*len(options)
}

// under is the option at a column of a line of them, or -1.
func under(options []Option, x, gap int) int {
	return slices.IndexFunc(options, func(o Option) bool {
		x -= theme.Width(o.shown()) + gap
		return x < 0
	})
}

// write gives a key to a line. The first digit after the focus came replaces a number.
func (c *Core) write(line *widget.Line, k tea.KeyPressMsg) (used, changed bool) {
	before := line.Text()
	if !c.begun && number(k.Text) && number(before) {
		line.Set("")
	}
	c.begun = true
	used = line.Edit(k)
	if used {
		c.version++
	}
	return used, line.Text() != before
}

func number(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// placeCursor puts a line's cursor x cells into its drawing.
func placeCursor(line *widget.Line, x, width int, focused bool) {
	if focused {
		x += line.Offset(width)
	}
	line.Place(x)
}

// drawText draws a line in at most width cells, and tells the cursor's column.
func drawText(look *theme.Theme, line *widget.Line, empty string, width int, focus bool) (string, int) {
	switch {
	case line.Empty(): // the cursor lies on its first cell
		return theme.Cut(empty, width), 0
	case !focus:
		return look.Text.Paint(theme.Cut(line.Text(), width)), 0
	}
	return look.Text.Paint(line.Window(width)), line.Column() - line.Offset(width)
}

type menu struct {
	options []Option
	rows    widget.Picker // of the options
	pick    func(Option)
	// loose menus give way to any key that is not theirs.
	loose bool
	box   widget.Rect // in the form's cells, with its edges
	label int         // cells of the widest label
}

// key takes a key; done says that the menu closes, pass that the key goes on.
func (m *menu) key(k tea.KeyPressMsg) (done, pass bool) {
	n := len(m.options)
	at, _ := m.rows.Selected()
	switch key := k.String(); key {
	case "up", "ctrl+p":
		at = (at + n - 1) % n
	case "down", "ctrl+n":
		at = (at + 1) % n
	case "pgup", "home":
		at = 0
	case "pgdown", "end":
		at = n - 1
	case "enter", "tab":
		m.pick(m.options[at])
		return true, false
	case "esc":
		return true, false
	default:
		if m.loose {
			return true, true
		}
		if i := seek(m.options, at, k.Text); i >= 0 && typed(k) {
			at = i
		}
	}
	m.rows.Select(at)
	return false, false
}

// fit places the menu at a cell of a form of the given size, below it if there is room
// for some options, else above it but below the line top, and scrolls to the option at
// the cursor.
func (m *menu) fit(x, y, top, width, height int) {
	note := 0
	for _, o := range m.options {
		m.label = max(m.label, theme.Width(o.shown()))
		note = max(note, theme.Width(o.Note))
	}
	if note > 0 {
		note += 2
	}
	w, h, below := min(m.label+3+note, width-4)+2, len(m.options)+2, height-y-1
	if above := y - top; below < min(h, 3+2) && above > below { // three options, and the edges
		h = min(h, above)
		y -= h + 1
	}
	if !m.loose { // rather over the field than with options out of view
		y = max(min(y, height-h-1), top-1)
	}
	h = min(h, height-y-1)
	m.box = widget.Rect{X: max(min(x, width-w), 0), Y: y + 1, W: w, H: h}
	m.rows.SetWindow(y+2, h-2)
}

func (m *menu) draw(t *theme.Theme) []string {
	side := t.Focus.Paint("│")
	if t.Grounds() && !m.loose { // those lie on the ground of elements
		side = " "
	}
	rows := m.rows.Lines(func(i int, selected bool) string {
		o := m.options[i]
		in, mark := t.Row(selected)
		label := min(m.label, m.box.W-5)
		note := m.box.W - 5 - label
		s := in.Strong.If(selected, in.Text).Paint(mark+theme.Fit(o.shown(), label)+" ") +
			in.Muted.Paint(theme.Fit(widget.AlignRight(theme.Cut(o.Note, note-1), note-1), note))
		return t.Element.Lay(side + s + side)
	})
	below := m.rows.Below()
	above := len(m.options) - len(rows) - below
	return append(append([]string{m.rule(t, "╭", "↑", "╮", above)}, rows...), m.rule(t, "╰", "↓", "╯", below))
}

// rule is the edge above or below the options; it says how many more there are.
func (m *menu) rule(t *theme.Theme, from, sign, to string, more int) string {
	text := ""
	if more > 0 {
		text = " " + sign + " " + strconv.Itoa(more) + " "
	}
	switch {
	case m.loose || !t.Grounds():
		inner := m.box.W - 3
		return t.Focus.Paint(from + strings.Repeat("─", max(inner-theme.Width(text), 0)) + theme.Cut(text, inner) + "─" + to)
	case more > 0:
		return t.Element.Lay(t.Muted.Paint(widget.AlignRight(text, m.box.W)))
	case sign == "↑":
		return t.Element.Edge(t.Panel, m.box.W)
	}
	return t.Panel.Edge(t.Element, m.box.W)
}

// Fold is a line that shows and hides the fields behind it: their Show asks Open.
type Fold struct {
	Core
	// Closed describes the hidden fields while it is closed.
	Closed string
	open   bool
}

func (f *Fold) Open() bool { return f.open }

func (f *Fold) SetOpen(open bool) {
	if open != f.open {
		f.open = open
		f.Edited() // other fields apply now
	}
}

func (f *Fold) text() bool    { return false }
func (f *Fold) paste(string)  {}
func (f *Fold) click(pointer) { f.SetOpen(!f.open) }

func (f *Fold) key(k tea.KeyPressMsg) bool {
	turns := slices.Contains([]string{"enter", "space", "right", "left", "l", "h"}, k.String())
	if turns {
		f.SetOpen(!f.open)
	}
	return turns
}

func (f *Fold) draw(look *theme.Theme, width int, focus bool) drawing {
	sign, text := "▾ ", f.Closed
	if f.open {
		sign, text = "▴ ", ""
	}
	return drawing{lines: []string{look.Strong.If(focus, look.Muted).Paint(theme.Cut(sign+text, width))}}
}
