package widget

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"

	"darkroom/api"
	"darkroom/ui/action"
)

// Line is one line of typed text: what filters, ids and the palette need. It
// keeps grapheme clusters whole and knows where the real cursor stands.
type Line struct {
	clusters []string
	at       int
	// Unseen lines show a dot for each character: they hold a key.
	Unseen bool
}

// maxLine is how many characters a line takes.
const maxLine = 2000

func (l *Line) Text() string { return strings.Join(l.clusters, "") }

func (l *Line) Set(s string) {
	l.clusters, l.at = nil, 0
	l.Insert(s)
}

// Insert puts text at the cursor; controls and line feeds become blanks or go.
func (l *Line) Insert(s string) {
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

// Edit takes a key and reports whether it was one for a line of text.
func (l *Line) Edit(m tea.KeyPressMsg) bool {
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
		if !action.Printable(m) {
			return false
		}
		l.Insert(m.Text)
	}
	return true
}

// Column is the cursor's cell from the line's beginning, before any window.
func (l *Line) Column() int {
	if l.Unseen {
		return l.at
	}
	n := 0
	for _, c := range l.clusters[:l.at] {
		n += ansi.StringWidth(c)
	}
	return n
}

// shown is the text as it is drawn.
func (l *Line) Shown() string {
	if l.Unseen {
		return strings.Repeat("•", len(l.clusters))
	}
	return l.Text()
}

// Window is the part around the cursor that fits into w cells.
func (l *Line) Window(w int) string {
	return ansi.Cut(l.Shown(), l.Offset(w), l.Offset(w)+w)
}

// Offset is how many cells are left of the window.
func (l *Line) Offset(w int) int { return max(l.Column()-w+1, 0) }

// Empty reports whether nothing is typed.
func (l *Line) Empty() bool { return len(l.clusters) == 0 }
