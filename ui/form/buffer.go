package form

import (
	"strings"
	"unicode/utf8"
)

// buffer is text under a cursor. It is edited by glyphs, so a cursor never
// stands inside a character, and remembers its edits.
type buffer struct {
	glyphs  []glyph
	at      int  // the cursor stands before glyphs[at]
	anchor  int  // other end of the selection; -1: none
	tail    bool // at a soft line end the cursor shows after the line, not before the next
	lines   bool // line feeds are kept
	runes   int
	version int64
	past    []change
	next    []change
	run     deed // what the last edit was: edits of one run are undone together
	group   int
	text    string // String, made when asked for
	textOf  int64
	// moved is told of each replacement, in glyphs.
	moved func(from, oldTo, newTo int)
}

// change is one replacement of glyphs, kept so that it can be turned back.
type change struct {
	from          int
	old, new      []glyph
	before, after int
	group         int
}

// deed is the sort of an edit.
type deed uint8

const (
	deedNone deed = iota
	deedType
	deedErase
)

// maxChanges bounds what is remembered for undoing.
const maxChanges = 4000

func newBuffer(lines bool) buffer {
	return buffer{anchor: -1, lines: lines, textOf: -1}
}

// String is the whole text.
func (b *buffer) String() string {
	if b.textOf != b.version {
		b.text, b.textOf = join(b.glyphs), b.version
	}
	return b.text
}

func join(gs []glyph) string {
	n := 0
	for i := range gs {
		n += len(gs[i].text)
	}
	var s strings.Builder
	s.Grow(n)
	for i := range gs {
		s.WriteString(gs[i].text)
	}
	return s.String()
}

// reset replaces everything and forgets the past.
func (b *buffer) reset(s string) {
	gs := segment(nil, tidy(s, b.lines))
	old := len(b.glyphs)
	b.past, b.next, b.run = nil, nil, deedNone
	b.splice(0, old, gs)
	b.at, b.anchor, b.tail = len(b.glyphs), -1, false
}

// splice puts ins in the place of glyphs[from:to].
func (b *buffer) splice(from, to int, ins []glyph) {
	for _, g := range b.glyphs[from:to] {
		b.runes -= int(g.runes)
	}
	for _, g := range ins {
		b.runes += int(g.runes)
	}
	cut, add := to-from, len(ins)
	switch {
	case add <= cut:
		copy(b.glyphs[from:], ins)
		rest := append(b.glyphs[:from+add], b.glyphs[to:]...)
		clear(b.glyphs[len(rest):])
		b.glyphs = rest
	default:
		n := len(b.glyphs)
		b.glyphs = append(b.glyphs, ins[:add-cut]...)
		copy(b.glyphs[from+add:], b.glyphs[to:n])
		copy(b.glyphs[from:], ins)
	}
	b.version++
	if b.moved != nil {
		b.moved(from, to, from+add)
	}
}

// replace puts text in the place of glyphs[from:to] and the cursor behind it.
// Characters that could grow together with it are segmented again; a plain
// neighbour of plain text cannot.
func (b *buffer) replace(from, to int, text string, d deed) {
	lo, hi := from, to
	if lo > 0 && !(b.glyphs[lo-1].alone() && b.plainAfter(text, to)) {
		for lo--; lo > 0 && !b.glyphs[lo].alone(); lo-- {
		}
	}
	if hi < len(b.glyphs) && !(b.glyphs[hi].alone() && b.plainBefore(text, from)) {
		for hi++; hi < len(b.glyphs) && !b.glyphs[hi-1].alone(); hi++ {
		}
	}
	head, foot := join(b.glyphs[lo:from]), join(b.glyphs[to:hi])
	ins := segment(nil, head+text+foot)
	after, bytes := lo, 0
	for _, g := range ins {
		if bytes >= len(head)+len(text) {
			break
		}
		bytes += len(g.text)
		after++
	}
	b.remember(lo, hi, ins, after, d)
}

func (b *buffer) plainAfter(text string, to int) bool {
	if text == "" {
		return to >= len(b.glyphs) || b.glyphs[to].alone()
	}
	r, _ := utf8.DecodeRuneInString(text)
	return plain(r)
}

func (b *buffer) plainBefore(text string, from int) bool {
	if text == "" {
		return from == 0 || b.glyphs[from-1].alone()
	}
	r, _ := utf8.DecodeLastRuneInString(text)
	return plain(r)
}

func (b *buffer) remember(from, to int, ins []glyph, after int, d deed) {
	if d == deedNone || d != b.run {
		b.group++
	}
	b.run = d
	old := append([]glyph(nil), b.glyphs[from:to]...)
	b.past = append(b.past, change{from, old, ins, b.at, after, b.group})
	if len(b.past) > maxChanges {
		b.past = append(b.past[:0], b.past[maxChanges/4:]...)
	}
	b.next = nil
	b.splice(from, to, ins)
	b.at, b.anchor, b.tail = after, -1, false
}

// undo takes the last run of edits back and reports whether there was one.
func (b *buffer) undo() bool {
	if len(b.past) == 0 {
		return false
	}
	group := b.past[len(b.past)-1].group
	for len(b.past) > 0 && b.past[len(b.past)-1].group == group {
		c := b.past[len(b.past)-1]
		b.past = b.past[:len(b.past)-1]
		b.splice(c.from, c.from+len(c.new), c.old)
		b.at = c.before
		b.next = append(b.next, c)
	}
	b.anchor, b.tail, b.run = -1, false, deedNone
	return true
}

// redo does again what undo took back.
func (b *buffer) redo() bool {
	if len(b.next) == 0 {
		return false
	}
	group := b.next[len(b.next)-1].group
	for len(b.next) > 0 && b.next[len(b.next)-1].group == group {
		c := b.next[len(b.next)-1]
		b.next = b.next[:len(b.next)-1]
		b.splice(c.from, c.from+len(c.old), c.new)
		b.at = c.after
		b.past = append(b.past, c)
	}
	b.anchor, b.tail, b.run = -1, false, deedNone
	return true
}

// selection is the selected range, empty when nothing is selected.
func (b *buffer) selection() (from, to int) {
	if b.anchor < 0 {
		return b.at, b.at
	}
	return min(b.anchor, b.at), max(b.anchor, b.at)
}

// insert writes text at the cursor, in the place of what is selected.
func (b *buffer) insert(text string, d deed) {
	text = tidy(text, b.lines)
	from, to := b.selection()
	if text == "" && from == to {
		return
	}
	if from != to {
		d = deedNone
	}
	if d == deedType && (text == " " || text == "\n") && b.run == deedType {
		// A run of typing ends with a word: the next word is undone by itself.
		b.replace(from, to, text, deedType)
		b.run = deedNone
		return
	}
	b.replace(from, to, text, d)
}

// erase deletes glyphs[from:to].
func (b *buffer) erase(from, to int) {
	if from < to {
		b.replace(from, to, "", deedErase)
	}
}

// move puts the cursor at i; extend keeps or starts a selection.
func (b *buffer) move(i int, extend bool) {
	switch {
	case extend && b.anchor < 0:
		b.anchor = b.at
	case !extend:
		b.anchor = -1
	}
	b.at = min(max(i, 0), len(b.glyphs))
	b.tail, b.run = false, deedNone
}

// wordLeft and wordRight are where a move by words ends. Chinese has no spaces:
// a run of ideographs counts as a word, punctuation ends it.
func (b *buffer) wordLeft(i int) int {
	for i > 0 && !b.glyphs[i-1].sort.inWord() {
		i--
	}
	if i > 0 {
		s := b.glyphs[i-1].sort
		for i > 0 && b.glyphs[i-1].sort == s {
			i--
		}
	}
	return i
}

func (b *buffer) wordRight(i int) int {
	for i < len(b.glyphs) && !b.glyphs[i].sort.inWord() {
		i++
	}
	if i < len(b.glyphs) {
		s := b.glyphs[i].sort
		for i < len(b.glyphs) && b.glyphs[i].sort == s {
			i++
		}
	}
	return i
}

func (s sort) inWord() bool { return s == sortWord || s == sortWide }
