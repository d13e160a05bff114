package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"

	"darkroom/api"
)

// line is one line of typed text: what filters, ids and the palette need. It
// keeps grapheme clusters whole and knows where the real cursor stands.
type line struct {
	clusters []string
	at       int
	// unseen lines show a dot for each character: they hold a key.
	unseen bool
}

// maxLine is how many characters a line takes.
const maxLine = 2000

func (l *line) text() string { return strings.Join(l.clusters, "") }

func (l *line) set(s string) {
	l.clusters, l.at = nil, 0
	l.insert(s)
}

// insert puts text at the cursor; controls and line feeds become blanks or go.
func (l *line) insert(s string) {
	s = api.Clean(strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ").Replace(s), maxLine).String()
	var fresh []string
	for g := uniseg.NewGraphemes(s); g.Next(); {
		fresh = append(fresh, g.Str())
	}
	if room := maxLine - len(l.clusters); len(fresh) > room {
		fresh = fresh[:max(room, 0)]
	}
	rest := append(fresh, l.clusters[l.at:]...)
	l.clusters = append(l.clusters[:l.at:l.at], rest...)
	l.at += len(fresh)
}

// edit takes a key and reports whether it was one for a line of text.
func (l *line) edit(m tea.KeyPressMsg) bool {
	switch m.String() {
	case "backspace", "ctrl+h":
		if l.at > 0 {
			l.clusters = append(l.clusters[:l.at-1], l.clusters[l.at:]...)
			l.at--
		}
	case "delete", "ctrl+d":
		if l.at < len(l.clusters) {
			l.clusters = append(l.clusters[:l.at], l.clusters[l.at+1:]...)
		}
	case "left", "ctrl+b":
		l.at = max(l.at-1, 0)
	case "right", "ctrl+f":
		l.at = min(l.at+1, len(l.clusters))
	case "home", "ctrl+a":
		l.at = 0
	case "end", "ctrl+e":
		l.at = len(l.clusters)
	case "ctrl+u":
		l.clusters, l.at = append([]string(nil), l.clusters[l.at:]...), 0
	case "ctrl+w":
		for l.at > 0 && l.clusters[l.at-1] == " " {
			l.clusters = append(l.clusters[:l.at-1], l.clusters[l.at:]...)
			l.at--
		}
		for l.at > 0 && l.clusters[l.at-1] != " " {
			l.clusters = append(l.clusters[:l.at-1], l.clusters[l.at:]...)
			l.at--
		}
	default:
		if !printable(m) {
			return false
		}
		l.insert(m.Text)
	}
	return true
}

// column is the cursor's cell from the line's beginning, before any window.
func (l *line) column() int {
	if l.unseen {
		return l.at
	}
	n := 0
	for _, c := range l.clusters[:l.at] {
		n += ansi.StringWidth(c)
	}
	return n
}

// shown is the text as it is drawn.
func (l *line) shown() string {
	if l.unseen {
		return strings.Repeat("•", len(l.clusters))
	}
	return l.text()
}

// window is the part around the cursor that fits into w cells.
func (l *line) window(w int) string {
	return ansi.Cut(l.shown(), l.offset(w), l.offset(w)+w)
}

// offset is how many cells are left of the window.
func (l *line) offset(w int) int { return max(l.column()-w+1, 0) }

// empty reports whether nothing is typed.
func (l *line) empty() bool { return len(l.clusters) == 0 }
