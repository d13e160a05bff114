package form

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"darkroom/ui/theme"
)

// menu is a list to choose from, drawn over the form.
type menu struct {
	options []Option
	at, top int
	x, y    int // where it hangs from, in the form's cells
	pick    func(Option)
	// loose menus give way to any key that is not theirs.
	loose bool
	rows  int // of the last drawing
	left  int
	upper int
	width int
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
		if typed(k) {
			m.seek(k.Text)
		}
	}
	return false, false
}

func (m *menu) seek(s string) {
	for n := range m.options {
		i := (m.at + 1 + n) % len(m.options)
		if strings.HasPrefix(strings.ToLower(m.options[i].shown()), strings.ToLower(s)) {
			m.at = i
			return
		}
	}
}

// click takes a press in the form's cells; done says that the menu closes.
func (m *menu) click(x, y int) {
	if i := m.top + y - m.upper - 1; y > m.upper && y < m.upper+m.rows-1 && x >= m.left && x < m.left+m.width && i < len(m.options) {
		m.pick(m.options[i])
	}
}

// over draws the menu over lines of the given width.
func (m *menu) over(l *Look, lines []string, width int) {
	label, note := 0, 0
	for _, o := range m.options {
		label = max(label, theme.Width(o.shown()))
		note = max(note, theme.Width(o.Note))
	}
	inner := min(label+3, width-4)
	if note > 0 {
		inner = min(inner+note+2, width-4)
	}
	m.width = inner + 2
	below := len(lines) - m.y - 1
	rows := min(len(m.options)+2, max(below, m.y))
	m.upper = m.y + 1
	if below < rows {
		m.upper = max(m.y-rows, 0)
	}
	m.rows, m.left = rows, max(min(m.x, width-m.width), 0)
	show := max(rows-2, 0)
	m.top = min(max(m.top, m.at-show+1), m.at)
	edge := l.Theme.Focus
	for i := range rows {
		var s string
		switch {
		case i == 0:
			s = edge.Paint("╭" + strings.Repeat("─", inner) + "╮")
		case i == rows-1:
			s = edge.Paint("╰" + strings.Repeat("─", inner) + "╯")
		default:
			s = edge.Paint("│") + m.row(l, m.top+i-1, label, inner) + edge.Paint("│")
		}
		if y := m.upper + i; y >= 0 && y < len(lines) {
			lines[y] = overlay(lines[y], s, m.left, m.width)
		}
	}
}

func (m *menu) row(l *Look, i, label, inner int) string {
	if i >= len(m.options) {
		return theme.Blank(inner)
	}
	o, inks, mark := m.options[i], l.Theme.Inks, "  "
	text := inks.Text
	if i == m.at {
		inks, mark = l.Theme.Selected, "▸ "
		text = inks.Strong
	}
	label = min(label, inner-3)
	s := text.Paint(mark + theme.Fit(o.shown(), label) + " ")
	if room := inner - label - 3; room > 0 {
		s += inks.Muted.Paint(theme.Fit(" "+o.Note, room))
	}
	return s
}

// overlay puts s, which is w cells wide, over line at column x.
func overlay(line, s string, x, w int) string {
	left := ansi.Truncate(line, x, "")
	right := ansi.TruncateLeft(line, x+w, "")
	return left + theme.Blank(x-ansi.StringWidth(left)) + s + right
}
