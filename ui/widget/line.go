package widget

import (
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"

	"darkroom/api"
	"darkroom/ui/action"
)

// maxLine is how many characters a line takes.
const maxLine = 2000

// Line is one line of typed text: filters, ids, names, the key. It is
// textinput.Model with what that lacks: cursor movements and deletions keep
// grapheme clusters whole, the cursor's column counts cells, and a pasted line
// break is one blank. The zero Line is empty.
type Line struct {
	// Unseen lines show a dot for each character: they hold a key.
	Unseen bool
	input  *textinput.Model // nil until something is typed: it is large
}

// lineKeys leaves to Line what it does by clusters, and to the program what it
// does by itself (paste, suggestions).
func lineKeys() textinput.KeyMap {
	k := textinput.DefaultKeyMap()
	none := key.NewBinding(key.WithDisabled())
	k.CharacterBackward, k.CharacterForward = none, none
	k.DeleteCharacterBackward, k.DeleteCharacterForward = none, none
	k.Paste, k.AcceptSuggestion, k.NextSuggestion, k.PrevSuggestion = none, none, none, none
	// ctrl+k belongs to the list of all actions.
	k.DeleteAfterCursor = none
	return k
}

func (l *Line) model() *textinput.Model {
	if l.input == nil {
		input := textinput.New()
		l.input = &input
		l.input.Prompt = ""
		l.input.KeyMap = lineKeys()
		l.input.CharLimit = maxLine
		l.input.Focus()
	}
	return l.input
}

// Text is what is typed.
func (l *Line) Text() string {
	if l.input == nil {
		return ""
	}
	return l.input.Value()
}

// LineState is what the drawing of a Line depends on, as a part of a Memo's key.
type LineState struct {
	Text     string
	Position int // of the cursor, in characters
	Unseen   bool
}

// State is what the drawing of the line depends on.
func (l *Line) State() LineState {
	if l.input == nil {
		return LineState{Unseen: l.Unseen}
	}
	return LineState{l.input.Value(), l.input.Position(), l.Unseen}
}

// Empty reports whether nothing is typed.
func (l *Line) Empty() bool { return l.Text() == "" }

// Set replaces the text; the cursor goes to its end.
func (l *Line) Set(s string) {
	if s == "" && l.input == nil {
		return
	}
	l.model().Reset()
	l.Insert(s)
}

// Insert puts text at the cursor, cleaned and without line breaks.
func (l *Line) Insert(s string) {
	s = api.Clean(strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ").Replace(s), maxLine).String()
	m := l.model()
	text, at := []rune(m.Value()), m.Position()
	fresh := []rune(s)
	fresh = fresh[:min(len(fresh), max(maxLine-len(text), 0))]
	m.SetValue(string(text[:at]) + string(fresh) + string(text[at:]))
	m.SetCursor(at + len(fresh))
}

// Edit takes a key and reports whether it was one for a line of text.
func (l *Line) Edit(k tea.KeyPressMsg) bool {
	m := l.model()
	switch k.String() {
	case "backspace", "ctrl+h":
		l.remove(l.before(), m.Position())
	case "delete", "ctrl+d":
		l.remove(m.Position(), l.after())
	case "left", "ctrl+b":
		m.SetCursor(l.before())
	case "right", "ctrl+f":
		m.SetCursor(l.after())
	case "home", "ctrl+a", "end", "ctrl+e", "ctrl+u", "ctrl+w", "alt+backspace", "alt+left", "alt+right", "ctrl+left", "ctrl+right":
		*m, _ = m.Update(k)
	default:
		if !action.Printable(k) {
			return false
		}
		l.Insert(k.Text)
	}
	return true
}

// remove deletes the characters from one position to another.
func (l *Line) remove(from, to int) {
	m := l.model()
	text := []rune(m.Value())
	m.SetValue(string(text[:from]) + string(text[to:]))
	m.SetCursor(from)
}

// before is the position of the cluster left of the cursor.
func (l *Line) before() int {
	at, position := l.model().Position(), 0
	for g := uniseg.NewGraphemes(l.Text()); g.Next(); {
		next := position + len(g.Runes())
		if next >= at {
			break
		}
		position = next
	}
	return position
}

// after is the position behind the cluster right of the cursor.
func (l *Line) after() int {
	at, position := l.model().Position(), 0
	for g := uniseg.NewGraphemes(l.Text()); g.Next(); {
		if position += len(g.Runes()); position > at {
			break
		}
	}
	return position
}

// Column is the cursor's cell from the line's beginning, before any window.
func (l *Line) Column() int {
	if l.input == nil {
		return 0
	}
	text := []rune(l.Text())
	at := min(l.input.Position(), len(text))
	if l.Unseen {
		return uniseg.GraphemeClusterCount(string(text[:at]))
	}
	return ansi.StringWidth(string(text[:at]))
}

// Shown is the text as it is drawn.
func (l *Line) Shown() string {
	if l.Unseen {
		return strings.Repeat("•", uniseg.GraphemeClusterCount(l.Text()))
	}
	return l.Text()
}

// Window is the part around the cursor that fits into w cells.
func (l *Line) Window(w int) string {
	return ansi.Cut(l.Shown(), l.Offset(w), l.Offset(w)+w)
}

// Offset is how many cells are left of the window.
func (l *Line) Offset(w int) int { return max(l.Column()-w+1, 0) }
