package form

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

type menu struct {
	options []Option
	rows    widget.Picker // of the options
	pick    func(Option)
	// loose menus give way to any key that is not theirs.
	loose bool
	box   widget.Rect // in the form's cells, with its edges
	label int         // cells of the widest label
}

func newMenu(options []Option, at int, pick func(Option)) *menu {
	m := &menu{options: options, pick: pick}
	m.rows.SetRows(len(options))
	m.rows.Select(at)
	return m
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
		if i, found := seek(m.options, at, k.Text); found && typed(k) {
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
	m.label = 0
	for _, o := range m.options {
		m.label = max(m.label, theme.Width(o.shown()))
		note = max(note, theme.Width(o.Note))
	}
	if note > 0 {
		note += 2
	}
	const some = 3 + 2
	w, h, below := min(m.label+3+note, width-4)+2, len(m.options)+2, height-y-1
	if above := y - top; below < min(h, some) && above > below {
		h = min(h, above)
		y -= h + 1
	}
	h = min(h, height-y-1)
	m.box = widget.Rect{X: max(min(x, width-w), 0), Y: y + 1, W: w, H: h}
	m.rows.SetWindow(y+2, h-2)
}

func (m *menu) draw(l *Look) []string {
	t, side := l.Theme, l.Theme.Focus.Paint("│")
	if t.Grounds() && !m.loose { // those lie on the ground of elements
		side = " "
	}
	rows := m.rows.Lines(func(i int, selected bool) string { return t.Element.Lay(side + m.row(l, i, selected) + side) })
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

func (m *menu) row(l *Look, i int, selected bool) string {
	inner := m.box.W - 2
	o, styles, mark := m.options[i], l.Theme.Styles, "  "
	text := styles.Text
	if selected {
		styles, mark = l.Theme.Selected, "▸ "
		text = styles.Strong
	}
	label := min(m.label, inner-3)
	note := inner - label - 3
	s := text.Paint(mark + theme.Fit(o.shown(), label) + " ")
	return s + styles.Muted.Paint(theme.Fit(widget.AlignRight(theme.Cut(o.Note, note-1), note-1), note))
}
