package widget

import (
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/ui/action"
)

// maxLine is how many characters a line takes, unless it says otherwise.
const maxLine = 2000

// Line is one line of typed text: fields of a form, filters, ids, names, the
// key. It is textinput.Model with what that lacks: movements and deletions keep
// grapheme clusters whole and know the words of Chinese, the cursor's column
// counts cells, a pasted line break is one blank, and edits can be undone. The
// zero Line is empty.
type Line struct {
	// Unseen lines show a dot for each character: they hold a key.
	Unseen bool
	// Allow, when set, says which characters it takes.
	Allow func(rune) bool
	// Limit is how many characters it takes; 0 is maxLine.
	Limit int
	input *textinput.Model // nil until something is typed: it is large
	history
}

// lineKeys leaves to Line what it does by clusters, and to the program what it
// does by itself (paste, suggestions).
func lineKeys() textinput.KeyMap {
	k := textinput.DefaultKeyMap()
	none := key.NewBinding(key.WithDisabled())
	k.CharacterBackward, k.CharacterForward = none, none
	k.DeleteCharacterBackward, k.DeleteCharacterForward = none, none
	k.WordBackward, k.WordForward = none, none
	k.DeleteWordBackward, k.DeleteWordForward = none, none
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

// Empty reports whether nothing is typed.
func (l *Line) Empty() bool { return l.Text() == "" }

// Set replaces the text and forgets what could be undone; the cursor goes to
// the end.
func (l *Line) Set(s string) {
	if s == "" && l.input == nil {
		return
	}
	l.model().Reset()
	l.put(s)
	l.forget()
}

// Insert puts text at the cursor, cleaned and without line breaks.
func (l *Line) Insert(s string) {
	l.remember(l, utf8.RuneCountInString(s) > 1)
	l.put(s)
}

func (l *Line) put(s string) {
	if s = api.CleanInput(s, false); l.Allow != nil {
		s = strings.Map(func(r rune) rune {
			if l.Allow(r) {
				return r
			}
			return -1
		}, s)
	}
	limit := l.Limit
	if limit == 0 {
		limit = maxLine
	}
	m := l.model()
	text, at := []rune(m.Value()), m.Position()
	fresh := []rune(s)
	fresh = fresh[:min(len(fresh), max(limit-len(text), 0))]
	m.SetValue(string(text[:at]) + string(fresh) + string(text[at:]))
	m.SetCursor(at + len(fresh))
	l.snap()
}

// snap moves the cursor out of a character that an edit made around it.
func (l *Line) snap() {
	cs, at := l.clusters()
	l.model().SetCursor(runes(cs[:at]))
}

// Edit takes a key and reports whether it was one for a line of text.
func (l *Line) Edit(k tea.KeyPressMsg) bool {
	m := l.model()
	cs, at := l.clusters()
	switch key := k.String(); key {
	case "backspace", "ctrl+h", "shift+backspace":
		l.remove(cs, max(at-1, 0), at)
	case "delete", "ctrl+d":
		l.remove(cs, at, min(at+1, len(cs)))
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		l.remove(cs, WordLeft(cs, at), at)
	case "alt+d", "ctrl+delete", "alt+delete":
		l.remove(cs, at, WordRight(cs, at))
	case "left", "ctrl+b":
		l.move(cs, max(at-1, 0))
	case "right", "ctrl+f":
		l.move(cs, min(at+1, len(cs)))
	case "ctrl+left", "alt+left", "alt+b":
		l.move(cs, WordLeft(cs, at))
	case "ctrl+right", "alt+right", "alt+f":
		l.move(cs, WordRight(cs, at))
	case "ctrl+u":
		l.remember(l, true)
		*m, _ = m.Update(k)
		l.snap()
	case "home", "ctrl+a", "end", "ctrl+e":
		*m, _ = m.Update(k)
		l.stop()
	case "alt+z", "ctrl+_", "ctrl+/":
		l.undo(l)
	case "alt+y", "alt+shift+z", "alt+Z":
		l.redo(l)
	default:
		if !action.Printable(k) {
			return false
		}
		l.Insert(k.Text)
	}
	return true
}

// clusters are the characters, and where the cursor is among them.
func (l *Line) clusters() (cs []Cluster, at int) {
	if l.input == nil {
		return nil, 0
	}
	cs = AppendClusters(nil, l.Text())
	for runes := l.model().Position(); at < len(cs) && runes > 0; at++ {
		runes -= int(cs[at].Runes)
	}
	return cs, at
}

// move puts the cursor before cluster i.
func (l *Line) move(cs []Cluster, i int) {
	l.model().SetCursor(runes(cs[:i]))
	l.stop()
}

func runes(cs []Cluster) int {
	n := 0
	for i := range cs {
		n += int(cs[i].Runes)
	}
	return n
}

// remove deletes the clusters from one to another.
func (l *Line) remove(cs []Cluster, from, to int) {
	if from == to {
		return
	}
	l.remember(l, true)
	m := l.model()
	m.SetValue(JoinClusters(cs[:from]) + JoinClusters(cs[to:]))
	m.SetCursor(runes(cs[:from]))
	l.snap()
}

// shown is the clusters as they are drawn, and where the cursor is among them.
func (l *Line) shown() (cs []Cluster, at int) {
	cs, at = l.clusters()
	if l.Unseen {
		cs = AppendClusters(nil, strings.Repeat("•", len(cs)))
	}
	return cs, at
}

// Column is the cursor's cell from the line's beginning, before any window.
func (l *Line) Column() int {
	if l.input == nil {
		return 0
	}
	cs, at := l.shown()
	return Cells(cs[:at])
}

// Shown is the text as it is drawn.
func (l *Line) Shown() string {
	cs, _ := l.shown()
	return JoinClusters(cs)
}

// Window is the part around the cursor that fits into w cells.
func (l *Line) Window(w int) string {
	from := l.Offset(w)
	return ansi.Cut(l.Shown(), from, from+w)
}

// Offset is how many cells are left of the window: as few as show the cursor,
// up to the border of a character.
func (l *Line) Offset(w int) int {
	cs, at := l.shown()
	least, from := Cells(cs[:at])-w+1, 0
	for i := 0; i < at && from < least; i++ {
		from += int(cs[i].Cells)
	}
	return from
}

// Place puts the cursor at a cell from the line's beginning: the cell of a
// window and what is left of it.
func (l *Line) Place(cell int) {
	cs, _ := l.clusters()
	cells, _ := l.shown()
	i := 0
	for ; i < len(cells); i++ {
		if cell -= int(cells[i].Cells); cell < 0 {
			break
		}
	}
	l.move(cs, i)
}

// maxHistory is how many edits of a line can be undone.
const maxHistory = 200

// moment is a line's text with its cursor.
type moment struct {
	text string
	at   int
}

// history remembers the edits of a Line, so that they can be undone: typing as
// one until a blank or a movement ends it, everything else one by one. What an
// unseen line held is not remembered.
type history struct {
	past, next []moment
	typing     bool
}

func (h *history) forget() { *h = history{} }

// stop ends a run of typing.
func (h *history) stop() { h.typing = false }

// remember keeps what the line is before an edit; alone edits are undone by
// themselves.
func (h *history) remember(l *Line, alone bool) {
	if l.Unseen {
		return
	}
	now := moment{l.Text(), l.model().Position()}
	if alone || !h.typing || now.at > 0 && []rune(now.text)[now.at-1] == ' ' {
		h.past = append(h.past, now)
		if len(h.past) > maxHistory {
			h.past = append(h.past[:0], h.past[maxHistory/4:]...)
		}
	}
	h.typing, h.next = !alone, nil
}

func (h *history) undo(l *Line) { h.past, h.next = h.travel(l, h.past, h.next) }
func (h *history) redo(l *Line) { h.next, h.past = h.travel(l, h.next, h.past) }

// travel takes the last of from that differs from the line's text.
func (h *history) travel(l *Line, from, to []moment) (rest, kept []moment) {
	h.typing = false
	now := moment{l.Text(), l.model().Position()}
	for len(from) > 0 {
		last := from[len(from)-1]
		from = from[:len(from)-1]
		if last.text != now.text {
			l.model().SetValue(last.text)
			l.model().SetCursor(last.at)
			return from, append(to, now)
		}
	}
	return from, to
}
