package widget

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/ui/action"
)

const (
	maxLine    = 2000
	maxHistory = 200
)

// Line is one line of typed text: fields of a form, filters, ids, names, the
// key. It is textinput.Model with what that lacks: movements and deletions keep
// grapheme clusters whole and know the words of Chinese, the cursor's column
// counts cells, a pasted line break is one blank, and edits can be undone.
type Line struct {
	Unseen bool            // it holds a key: a dot stands for each character, nothing is remembered
	Allow  func(rune) bool // when set, says which characters it takes
	Limit  int             // how many characters it takes; 0 is maxLine

	input      textinput.Model
	past, next []moment // what can be undone and done again
	typing     bool     // the last edit goes on: it is undone as one with the next
}

type moment struct {
	text string
	at   int
}

func (l *Line) Text() string { return l.input.Value() }
func (l *Line) Empty() bool  { return l.Text() == "" }

// Set replaces the text and forgets what could be undone.
func (l *Line) Set(s string) {
	l.input.Reset()
	l.put(s)
	l.past, l.next, l.typing = nil, nil, false
}

func (l *Line) Insert(s string) {
	l.remember(utf8.RuneCountInString(s) > 1)
	l.put(s)
}

func (l *Line) put(s string) {
	text, at := []rune(l.Text()), l.input.Position()
	fresh := []rune(api.CleanInput(s, false))
	if l.Allow != nil {
		fresh = slices.DeleteFunc(fresh, func(r rune) bool { return !l.Allow(r) })
	}
	fresh = fresh[:min(len(fresh), max(cmp.Or(l.Limit, maxLine)-len(text), 0))]
	l.become(moment{string(slices.Concat(text[:at], fresh, text[at:])), at + len(fresh)})
}

// become sets text and cursor, and moves that out of a character.
func (l *Line) become(m moment) {
	l.input.SetValue(m.text)
	l.input.SetCursor(m.at)
	cs, at := l.clusters()
	l.input.SetCursor(runes(cs[:at]))
}

func (l *Line) Edit(k tea.KeyPressMsg) bool {
	cs, at := l.clusters()
	switch k.String() {
	case "backspace", "ctrl+h", "shift+backspace":
		l.remove(cs, max(at-1, 0), at)
	case "delete", "ctrl+d":
		l.remove(cs, at, min(at+1, len(cs)))
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		l.remove(cs, WordLeft(cs, at), at)
	case "alt+d", "ctrl+delete", "alt+delete":
		l.remove(cs, at, WordRight(cs, at))
	case "ctrl+u":
		l.remove(cs, 0, at)
	case "left", "ctrl+b":
		l.move(cs, max(at-1, 0))
	case "right", "ctrl+f":
		l.move(cs, min(at+1, len(cs)))
	case "ctrl+left", "alt+left", "alt+b":
		l.move(cs, WordLeft(cs, at))
	case "ctrl+right", "alt+right", "alt+f":
		l.move(cs, WordRight(cs, at))
	case "home", "ctrl+a":
		l.move(cs, 0)
	case "end", "ctrl+e":
		l.move(cs, len(cs))
	case "alt+z", "ctrl+_", "ctrl+/":
		l.travel(&l.past, &l.next)
	case "alt+y", "alt+shift+z", "alt+Z":
		l.travel(&l.next, &l.past)
	default:
		if !action.Printable(k) {
			return false
		}
		l.Insert(k.Text)
	}
	return true
}

func (l *Line) clusters() (cs []Cluster, at int) {
	cs = AppendClusters(nil, l.Text())
	for runes := l.input.Position(); at < len(cs) && runes > 0; at++ {
		runes -= int(cs[at].Runes)
	}
	return cs, at
}

func (l *Line) move(cs []Cluster, i int) {
	l.input.SetCursor(runes(cs[:i]))
	l.typing = false
}

func runes(cs []Cluster) int {
	n := 0
	for i := range cs {
		n += int(cs[i].Runes)
	}
	return n
}

func (l *Line) remove(cs []Cluster, from, to int) {
	if from < to {
		l.remember(true)
		l.become(moment{JoinClusters(cs[:from]) + JoinClusters(cs[to:]), runes(cs[:from])})
	}
}

func (l *Line) shown() (cs []Cluster, at int) {
	cs, at = l.clusters()
	if l.Unseen {
		cs = AppendClusters(nil, strings.Repeat("•", len(cs)))
	}
	return cs, at
}

// Column is the cursor's cell from the line's beginning.
func (l *Line) Column() int {
	cs, at := l.shown()
	return Cells(cs[:at])
}

func (l *Line) Shown() string {
	cs, _ := l.shown()
	return JoinClusters(cs)
}

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

// Cursor is the cursor of a line whose window of w cells begins at x, y.
func (l *Line) Cursor(x, y, w int) *tea.Cursor {
	return tea.NewCursor(x+l.Column()-l.Offset(w), y)
}

// Place puts the cursor at a cell from the line's beginning.
func (l *Line) Place(cell int) {
	cs, _ := l.clusters()
	cells, _ := l.shown()
	i := slices.IndexFunc(cells, func(c Cluster) bool {
		cell -= int(c.Cells)
		return cell < 0
	})
	if i < 0 {
		i = len(cs)
	}
	l.move(cs, i)
}

func (l *Line) now() moment { return moment{l.Text(), l.input.Position()} }

// remember keeps the line before an edit. Typing up to a blank is undone as one.
func (l *Line) remember(alone bool) {
	if l.Unseen {
		return
	}
	now := l.now()
	if alone || !l.typing || now.at > 0 && []rune(now.text)[now.at-1] == ' ' {
		l.past = append(l.past, now)
		l.past = l.past[max(len(l.past)-maxHistory, 0):]
	}
	l.typing, l.next = !alone, nil
}

// travel takes the last of from that differs from the text; to gets what it is now.
func (l *Line) travel(from, to *[]moment) {
	l.typing = false
	now := l.now()
	for n, last := range slices.Backward(*from) {
		*from = (*from)[:n]
		if last.text != now.text {
			*to = append(*to, now)
			l.become(last)
			return
		}
	}
}
