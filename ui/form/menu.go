package form

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/theme"
)

// menu is a list to choose from, drawn over the form.
type menu struct {
	options []Option
	at, top int // the option at the cursor, the first in view
	pick    func(Option)
	// loose menus give way to any key that is not theirs.
	loose bool
	box   menuBox
}

type menuBox struct {
	left, top   int // in the form's cells
	inner, rows int // cells between the edges; lines with the edges
	label       int // cells of the widest label
}

// key takes a key; done says that the menu closes, pass that the key goes on.
func (m *menu) key(k tea.KeyPressMsg) (done, pass bool) {
	n := len(m.options)
	switch key := k.String(); key {
	case "up", "ctrl+p":
		m.at = (m.at + n - 1) % n
	case "down", "ctrl+n":
		m.at = (m.at + 1) % n
	case "pgup", "home":
		m.at = 0
	case "pgdown", "end":
		m.at = n - 1
	case "enter", "tab":
		m.pick(m.options[m.at])
		return true, false
	case "esc":
		return true, false
	default:
		if m.loose {
			return true, true
		}
		if i, found := seek(m.options, m.at, k.Text); found && typed(k) {
			m.at = i
		}
	}
	return false, false
}

// click takes a press in the form's cells.
func (m *menu) click(x, y int) {
	b := m.box
	i := m.top + y - b.top - 1
	if y > b.top && y < b.top+b.rows-1 && x >= b.left && x < b.left+b.inner+2 && i < len(m.options) {
		m.pick(m.options[i])
	}
}

// fit places the menu at a cell of a form of the given size, below it if
// there is room, and scrolls to the option at the cursor.
func (m *menu) fit(x, y, width, height int) {
	label, note := 0, 0
	for _, o := range m.options {
		label = max(label, theme.Width(o.shown()))
		note = max(note, theme.Width(o.Note))
	}
	inner := min(label+3, width-4)
	if note > 0 {
		inner = min(inner+note+2, width-4)
	}
	below := height - y - 1
	rows := min(len(m.options)+2, max(below, y))
	top := y + 1
	if below < rows {
		top = max(y-rows, 0)
	}
	m.box = menuBox{left: max(min(x, width-inner-2), 0), top: top, inner: inner, rows: rows, label: label}
	m.top = min(max(m.top, m.at-max(rows-2, 0)+1), m.at)
}

// draw draws the menu: as many lines as its box has.
func (m *menu) draw(l *Look) []string {
	edge, b := l.Theme.Focus, m.box
	lines := make([]string, b.rows)
	for i := range lines {
		switch i {
		case 0:
			lines[i] = edge.Paint("╭" + m.rule("↑", m.top) + "╮")
		case b.rows - 1:
			lines[i] = edge.Paint("╰" + m.rule("↓", len(m.options)-m.top-(b.rows-2)) + "╯")
		default:
			lines[i] = edge.Paint("│") + m.row(l, m.top+i-1) + edge.Paint("│")
		}
	}
	return lines
}

// rule is the edge above or below the options; it says how many more there are.
func (m *menu) rule(sign string, more int) string {
	text := ""
	if more > 0 {
		text = " " + sign + " " + strconv.Itoa(more) + " "
	}
	return strings.Repeat("─", max(m.box.inner-theme.Width(text)-1, 0)) + theme.Cut(text+"─", m.box.inner)
}

func (m *menu) row(l *Look, i int) string {
	inner := m.box.inner
	if i >= len(m.options) {
		return theme.Blank(inner)
	}
	o, styles, mark := m.options[i], l.Theme.Styles, "  "
	text := styles.Text
	if i == m.at {
		styles, mark = l.Theme.Selected, "▸ "
		text = styles.Strong
	}
	label := min(m.box.label, inner-3)
	s := text.Paint(mark + theme.Fit(o.shown(), label) + " ")
	if room := inner - label - 3; room > 0 {
		s += styles.Muted.Paint(theme.Fit(" "+o.Note, room))
	}
	return s
}
