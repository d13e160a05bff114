package widget

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"

	"darkroom/api"
	"darkroom/ui/action"
)

type Class uint8

const (
	ClassWord   Class = iota // letters, digits, everything that sticks together
	ClassBlank               // a space
	ClassBreak               // a line feed
	ClassWide                // an ideograph, a kana, an emoji: lines may break next to it
	ClassOpener              // must not end a line
	ClassCloser              // must not begin a line
	ClassHyphen              // a word longer than a line breaks behind it
	ClassMark                // other punctuation
)

// Cluster is one grapheme cluster: what a person takes for one character.
type Cluster struct {
	Text  string
	Runes uint16
	Cells uint8
	Class Class
}

// plainRune reports whether segmentation need not look around r, next to others.
func plainRune(r rune) bool {
	return r >= 0x20 && r < 0x7f || r == '\n' ||
		r >= 0x4e00 && r <= 0x9fff || // ideographs
		r >= 0x3001 && r <= 0x3029 || r >= 0x3041 && r <= 0x3096 || r >= 0x30a1 && r <= 0x30fa ||
		r >= 0xff01 && r <= 0xff60 || // wide forms of ASCII
		r >= 0xc0 && r <= 0x24f // Latin letters with marks of their own
}

// Plain reports whether the cluster is one plain rune.
func (c Cluster) Plain() bool {
	r, _ := utf8.DecodeRuneInString(c.Text)
	return c.Runes == 1 && plainRune(r)
}

const (
	openers = "([{（［｛〔〈《「『【〖“‘"
	closers = ")]}）］｝〕〉》」』】〗”’，。、！？；：．…·,.!?;:%％～ー々"
)

func newCluster(s string, r rune) Cluster {
	c := Cluster{Text: s, Runes: uint16(utf8.RuneCountInString(s)), Cells: 1}
	switch {
	case r == '\n':
		c.Class, c.Cells = ClassBreak, 0
	case r == ' ':
		c.Class = ClassBlank
	case r >= 0x4e00 && r <= 0x9fff && c.Runes == 1:
		c.Class, c.Cells = ClassWide, 2
	default:
		if r >= 0x7f || c.Runes > 1 { // such as a keycap
			c.Cells = uint8(min(ansi.StringWidth(s), 8))
		}
		switch {
		case r == '-':
			c.Class = ClassHyphen
		case strings.ContainsRune(openers, r):
			c.Class = ClassOpener
		case strings.ContainsRune(closers, r):
			c.Class = ClassCloser
		case c.Cells == 2:
			c.Class = ClassWide
		case r < 0x80 && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r):
			c.Class = ClassMark
		}
	}
	return c
}

// AppendClusters appends the clusters of s, which begins with a whole one.
func AppendClusters(dst []Cluster, s string) []Cluster {
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		text, rest := s[:size], s[size:]
		next, _ := utf8.DecodeRuneInString(rest)
		if !plainRune(r) || rest != "" && !plainRune(next) {
			text, rest, _, _ = uniseg.FirstGraphemeClusterInString(s, -1)
			text = FirstRunes(text, 24) // not any number of combining marks
		}
		dst = append(dst, newCluster(text, r))
		s = rest
	}
	return dst
}

// FirstRunes returns the first n characters of a text, as Unicode counts them.
func FirstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

func JoinClusters(cs []Cluster) string {
	var s strings.Builder
	s.Grow(total(cs, func(c *Cluster) int { return len(c.Text) }))
	for i := range cs {
		s.WriteString(cs[i].Text)
	}
	return s.String()
}

// Cells is how many cells of the terminal clusters take.
func Cells(cs []Cluster) int { return total(cs, func(c *Cluster) int { return int(c.Cells) }) }

func runes(cs []Cluster) int { return total(cs, func(c *Cluster) int { return int(c.Runes) }) }

func total(cs []Cluster, of func(*Cluster) int) (n int) {
	for i := range cs {
		n += of(&cs[i])
	}
	return n
}

func (c Class) inWord() bool { return c == ClassWord || c == ClassWide }

// WordLeft is where a move by a word ends. A run of ideographs counts as a word.
func WordLeft(cs []Cluster, i int) int {
	for i > 0 && !cs[i-1].Class.inWord() {
		i--
	}
	for word := i - 1; i > 0 && cs[i-1].Class == cs[word].Class; {
		i--
	}
	return i
}

// WordRight is the end of the word at or behind a place.
func WordRight(cs []Cluster, i int) int {
	for i < len(cs) && !cs[i].Class.inWord() {
		i++
	}
	for word := i; i < len(cs) && cs[i].Class == cs[word].Class; {
		i++
	}
	return i
}

// Lines knows where the lines of a text begin when it is wrapped to a width:
// Latin at blanks, Chinese between characters but for punctuation that belongs to
// its neighbour, a cluster never torn.
type Lines struct {
	width  int     // cells a line may take; a blank may stand one cell further
	starts []int32 // first cluster of each line; never empty
}

func (w *Lines) Len() int           { return len(w.starts) }
func (w *Lines) Start(line int) int { return int(w.starts[line]) }
func (w *Lines) Width() int         { return w.width }

// Wrap wraps a text, paragraph by paragraph.
func (w *Lines) Wrap(cs []Cluster, width int) {
	w.width, w.starts = max(width, 1), w.starts[:0]
	from := 0
	for i := range cs {
		if cs[i].Class == ClassBreak {
			w.paragraph(cs, from, i)
			from = i + 1
		}
	}
	w.paragraph(cs, from, len(cs))
}

// paragraph appends the lines of clusters[from:to], without the line feed.
func (w *Lines) paragraph(cs []Cluster, from, to int) {
	w.starts = append(w.starts, int32(from))
	start, brk, hyphen, cells := from, -1, -1, 0
	for i := from; i < to; i++ {
		class, wide := cs[i].Class, int(cs[i].Cells)
		if i > start && mayBreak(cs[i-1].Class, class) {
			brk = i
		}
		if i > start+1 && class == ClassWord && cs[i-1].Class == ClassHyphen && cs[i-2].Class == ClassWord {
			hyphen = i // a word that is longer than a line breaks behind it
		}
		switch {
		case cells+wide <= w.width, i == start: // or wider than a whole line
			cells += wide
		case class == ClassBlank && cells <= w.width:
			cells++
		default:
			if brk <= start {
				brk = hyphen
			}
			if brk <= start {
				brk = i
			}
			w.starts = append(w.starts, int32(brk))
			start, cells, i, brk = brk, 0, brk-1, -1
		}
	}
	if cells > w.width {
		w.starts = append(w.starts, int32(to))
	}
}

func mayBreak(a, b Class) bool {
	switch {
	case a == ClassBlank:
		return true
	case b == ClassBlank, b == ClassCloser, a == ClassOpener:
		return false
	case b == ClassOpener, a == ClassWide, b == ClassWide:
		return true
	}
	return a == ClassCloser && b != ClassWord && b != ClassMark && b != ClassHyphen
}

// LineOf is the line in which a cluster stands.
func (w *Lines) LineOf(i int) int {
	behind, _ := slices.BinarySearch(w.starts, int32(i+1))
	return behind - 1
}

// Span is the range of clusters of a line, without a line feed at its end. Its end is soft if
// there was none.
func (w *Lines) Span(cs []Cluster, line int) (from, to int, soft bool) {
	from, to = int(w.starts[line]), len(cs)
	if line+1 < len(w.starts) {
		to = int(w.starts[line+1])
		if soft = cs[to-1].Class != ClassBreak; !soft {
			to--
		}
	}
	return from, to, soft
}

// Wrap breaks plain text into lines of at most width cells.
func Wrap(text string, width int) []string {
	cs := AppendClusters(make([]Cluster, 0, utf8.RuneCountInString(text)), api.CleanLines(text, len(text)).String())
	var w Lines
	w.Wrap(cs, width)
	out := make([]string, w.Len())
	for i := range out {
		from, to, _ := w.Span(cs, i)
		out[i] = strings.TrimRight(JoinClusters(cs[from:to]), " ")
	}
	return out
}

// WrapTo is Wrap with the first n lines alone; … marks the cut, before a word.
func WrapTo(text string, width, n int) []string {
	lines := Wrap(text, width)
	if len(lines) > n {
		lines = append(lines[:n-1], Wrap(lines[n-1], width-2)[0]+" …")
	}
	return lines
}

const maxLine = 2000 // characters

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

// Insert puts a text at the cursor; several characters are one step of undo.
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

// Window is the part of the line that w cells show, with the cursor in it.
func (l *Line) Window(w int) string {
	cs, _ := l.shown()
	from := l.Offset(w)
	return ansi.Cut(JoinClusters(cs), from, from+w)
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
	i := 0
	for ; i < len(cells) && cell >= int(cells[i].Cells); i++ {
		cell -= int(cells[i].Cells)
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
		l.past = l.past[max(len(l.past)-200, 0):]
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
