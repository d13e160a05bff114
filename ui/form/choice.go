package form

import (
	"math"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Option is one thing that can be chosen.
type Option struct {
	Value string
	Label string // shown; empty: Value
	Note  string // a remark, dimmed
}

func (o Option) shown() string {
	if o.Label != "" {
		return o.Label
	}
	return o.Value
}

// Choice is a value out of a list: ←/→ change it, enter opens the list, a
// letter goes to the next choice that begins with it. Without a list it is a
// field of one line, with the value kept.
type Choice struct {
	Core
	// Empty is shown, dimmed, while there is no value.
	Empty string
	// Free choices also take a typed value.
	Free    bool
	options []Option
	value   string
	line    widget.Line // when there is nothing to choose from, or a value is typed
	typing  bool        // a value is typed in place of the choices
}

// NewChoice makes a choice without options.
func NewChoice(name, label string) *Choice {
	return &Choice{Core: Core{Name: name, Label: label}, line: newLine()}
}

// NewNumber makes a field for a whole number; other characters cannot be
// typed.
func NewNumber(name, label string) *Choice {
	c := NewChoice(name, label)
	c.line.Allow = func(r rune) bool { return r >= '0' && r <= '9' || r == '-' }
	return c
}

// Value returns the chosen or typed value.
func (c *Choice) Value() string { return c.value }

// SetValue chooses, whether or not the list has it.
func (c *Choice) SetValue(v string) {
	if v != c.value {
		c.value = v
		c.line.Set(v)
		c.typing = false
		c.Edited()
	}
}

// SetOptions sets the choices; nil makes it a text field.
func (c *Choice) SetOptions(options []Option) {
	if !slices.Equal(options, c.options) {
		c.options = options
		c.version++
	}
}

// Options returns the choices.
func (c *Choice) Options() []Option { return c.options }

// Choosable reports whether keys step through the choices now.
func (c *Choice) Choosable() bool { return !c.writing() && !c.fixed() }

// fixed reports whether there is nothing to choose: one option, and it is set.
func (c *Choice) fixed() bool { return len(c.options) == 1 && c.options[0].Value == c.value }

func (c *Choice) text() bool { return c.Free || c.writing() }

// writing reports whether keys go to the line.
func (c *Choice) writing() bool { return len(c.options) == 0 || c.typing }

func (c *Choice) index() int { return optionOf(c.options, c.value) }

// optionOf is the place of a value among options, or -1.
func optionOf(options []Option, value string) int {
	return slices.IndexFunc(options, func(o Option) bool { return o.Value == value })
}

// seek is the next option behind a place that begins with s; false when there is
// none.
func seek(options []Option, from int, s string) (int, bool) {
	for n := range options {
		i := (from + 1 + n) % len(options)
		if strings.HasPrefix(strings.ToLower(options[i].shown()), strings.ToLower(s)) {
			return i, true
		}
	}
	return 0, false
}

func (c *Choice) step(by int) {
	n := len(c.options)
	i := c.index()
	if i < 0 && by < 0 {
		i = 0
	}
	c.SetValue(c.options[(i+by+n)%n].Value)
}

func (c *Choice) key(k tea.KeyPressMsg) bool {
	if c.writing() {
		return c.typeKey(k)
	}
	if c.Free && c.begins(k) {
		c.typing = true
		if k.Text != "" {
			c.line.Set("")
		} else {
			c.line.Set(c.value)
		}
		return c.typeKey(k)
	}
	switch k.String() {
	case "right", "l", "+", "space":
		c.step(1)
	case "left", "h", "-":
		c.step(-1)
	case "home":
		c.SetValue(c.options[0].Value)
	case "end":
		c.SetValue(c.options[len(c.options)-1].Value)
	default:
		i, found := seek(c.options, c.index(), k.Text)
		if !found || !typed(k) {
			return false
		}
		c.SetValue(c.options[i].Value)
	}
	return true
}

// begins reports whether a key begins a typed value.
func (c *Choice) begins(k tea.KeyPressMsg) bool {
	key := k.String()
	return typed(k) && key != "space" && key != "+" && key != "-" || key == "backspace" && c.value != ""
}

// typeKey gives a key to the line. Esc and an empty line go back to the choices.
func (c *Choice) typeKey(k tea.KeyPressMsg) bool {
	if c.typing && (k.String() == "esc" || k.String() == "enter") {
		c.typing = false
		c.Touch()
		return k.String() == "esc"
	}
	used, changed := c.write(&c.line, k)
	if changed {
		c.value = strings.TrimSpace(c.line.Text())
		c.typing = c.typing && c.value != ""
		c.Edited()
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

func (c *Choice) paste(s string) bool {
	if !c.writing() {
		s = strings.TrimSpace(s)
		if optionOf(c.options, s) >= 0 {
			c.SetValue(s)
			return true
		}
		if !c.Free || s == "" || strings.Contains(s, "\n") {
			return false
		}
		c.typing = true
		c.line.Set("")
	}
	c.line.Insert(strings.TrimSpace(s))
	c.value = strings.TrimSpace(c.line.Text())
	c.Edited()
	return true
}

func (c *Choice) click(at pointer) {
	switch {
	case c.writing():
		c.begun = true
		placeCursor(&c.line, at.x, at.width, at.focused)
		c.Touch()
	case at.x < 2:
		c.step(-1)
	default:
		c.step(1)
	}
}

func (c *Choice) draw(l *Look, width int, focus bool) drawing {
	if c.writing() {
		s, x := drawText(l, &c.line, c.Empty, width, focus)
		return drawing{lines: []string{s}, x: x, cursor: focus}
	}
	label, known := c.Empty, c.value != ""
	if known {
		label = c.value
	}
	if i := c.index(); i >= 0 {
		label, known = c.options[i].shown(), c.options[i].Value != ""
	}
	style := l.Theme.Text
	if !known {
		style = l.Theme.Faint
	}
	if c.fixed() {
		return drawing{lines: []string{style.Paint(theme.Cut(label, width))}}
	}
	label = theme.Cut(label, width-4)
	if !focus {
		return drawing{lines: []string{l.Theme.Border.Paint("‹ ") + style.Paint(label) + l.Theme.Border.Paint(" ›")}}
	}
	if known {
		style = l.Theme.Strong
	}
	key := l.Theme.Key
	return drawing{lines: []string{key.Paint("‹ ") + style.Paint(label) + key.Paint(" ›")}, x: 2}
}

// newLine is a line without a limit: an address that is cut is another address,
// and the rules report one that is too long.
func newLine() widget.Line { return widget.Line{Limit: math.MaxInt} }

// write gives a key to a line. The first digit after the focus came by a key
// replaces a number.
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

// placeCursor puts a line's cursor where it was pressed, x cells into its
// drawing. The drawing of a line with the focus is a window around the cursor.
func placeCursor(line *widget.Line, x, width int, focused bool) {
	if focused {
		x += line.Offset(width)
	}
	line.Place(x)
}

// drawText draws a line's text in at most width cells, the cursor's included,
// and tells the cursor's column. empty stands for no text.
func drawText(l *Look, line *widget.Line, empty string, width int, focus bool) (string, int) {
	switch {
	case line.Empty():
		return l.Theme.Faint.Paint(theme.Cut(empty, width)), 0
	case !focus:
		return l.Theme.Text.Paint(theme.Cut(line.Text(), width)), 0
	}
	return l.Theme.Text.Paint(line.Window(width)), line.Column() - line.Offset(width)
}

// Radio is a choice of two or three options that are all in view.
type Radio struct{ Choice }

// NewRadio makes a radio field; the first option is chosen.
func NewRadio(name, label string, options ...Option) *Radio {
	return &Radio{Choice{Core: Core{Name: name, Label: label}, options: options, value: options[0].Value}}
}

// Choose is SetValue by a person: it can be undone if the form asks for it.
func (r *Radio) Choose(v string) {
	old := r.value
	if v != old && r.history != nil {
		r.history.cut()
		r.history.add(r, func() { r.value = old }, func() { r.value = v })
	}
	r.SetValue(v)
}

func (r *Radio) paste(string) bool { return false }

func (r *Radio) key(k tea.KeyPressMsg) bool {
	by := 1
	switch k.String() {
	case "right", "l", "space", "enter":
	case "left", "h":
		by = len(r.options) - 1
	default:
		return false
	}
	r.Choose(r.options[(r.index()+by)%len(r.options)].Value)
	return true
}

func (r *Radio) click(at pointer) {
	from := 0
	for _, o := range r.options {
		w := theme.Width(o.shown()) + 2
		if at.x >= from && at.x < from+w {
			r.Choose(o.Value)
			return
		}
		from += w + radioGap
	}
}

const radioGap = 3

func (r *Radio) draw(l *Look, width int, focus bool) drawing {
	var b strings.Builder
	for i, o := range r.options {
		if i > 0 {
			b.WriteString(theme.Blank(radioGap))
		}
		switch {
		case o.Value == r.value && focus:
			l.Theme.Accent.Write(&b, "◉ ")
			l.Theme.Strong.Write(&b, o.shown())
		case o.Value == r.value:
			l.Theme.Text.Write(&b, "◉ "+o.shown())
		default:
			l.Theme.Muted.Write(&b, "○ "+o.shown())
		}
	}
	return drawing{lines: []string{theme.Cut(b.String(), width)}}
}
