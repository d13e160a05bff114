package form

import (
	"slices"
	"unicode/utf8"

	"darkroom/api"
	"darkroom/ui/widget"
)

// buffer is text under a cursor. It is edited by clusters, so a cursor never
// stands inside a character, and remembers its edits.
type buffer struct {
	clusters []widget.Cluster
	at       int  // the cursor stands before clusters[at]
	anchor   int  // other end of the selection; -1: none
	tail     bool // at a soft line end the cursor shows after the line, not before the next
	runes    int
	version  int64
	history  *history
	field    Field    // that the edits belong to
	run      editKind // what the last edit was: edits of one run are undone together
	text     string   // String, made when asked for
	textOf   int64
	// moved, when set, is called after each replacement of clusters.
	moved func(from, oldTo, newTo int)
}

// String is the whole text.
func (b *buffer) String() string {
	if b.textOf != b.version {
		b.text, b.textOf = widget.JoinClusters(b.clusters), b.version
	}
	return b.text
}

// reset replaces everything and forgets the past.
func (b *buffer) reset(s string) {
	gs := widget.AppendClusters(nil, api.CleanInput(s, true))
	old := len(b.clusters)
	b.history.forget()
	b.run = editOther
	b.splice(0, old, gs)
	b.at, b.anchor, b.tail = len(b.clusters), -1, false
}

// splice puts ins in the place of clusters[from:to].
func (b *buffer) splice(from, to int, ins []widget.Cluster) {
	for _, g := range b.clusters[from:to] {
		b.runes -= int(g.Runes)
	}
	for _, g := range ins {
		b.runes += int(g.Runes)
	}
	b.clusters = slices.Replace(b.clusters, from, to, ins...)
	b.version++
	if b.moved != nil {
		b.moved(from, to, from+len(ins))
	}
}

// replace puts text in the place of clusters[from:to] and the cursor behind it.
// Characters that could grow together with it are segmented again; a plain
// neighbour of plain text cannot.
func (b *buffer) replace(from, to int, text string, kind editKind) {
	lo, hi := from, to
	if lo > 0 && !(b.clusters[lo-1].Plain() && b.plainAfter(text, to)) {
		for lo--; lo > 0 && !b.clusters[lo].Plain(); lo-- {
		}
	}
	if hi < len(b.clusters) && !(b.clusters[hi].Plain() && b.plainBefore(text, from)) {
		for hi++; hi < len(b.clusters) && !b.clusters[hi-1].Plain(); hi++ {
		}
	}
	head, foot := widget.JoinClusters(b.clusters[lo:from]), widget.JoinClusters(b.clusters[to:hi])
	ins := widget.AppendClusters(nil, head+text+foot)
	after, bytes := lo, 0
	for _, g := range ins {
		if bytes >= len(head)+len(text) {
			break
		}
		bytes += len(g.Text)
		after++
	}
	b.remember(lo, hi, ins, after, kind)
}

func (b *buffer) plainAfter(text string, to int) bool {
	if text == "" {
		return to >= len(b.clusters) || b.clusters[to].Plain()
	}
	r, _ := utf8.DecodeRuneInString(text)
	return widget.PlainRune(r)
}

func (b *buffer) plainBefore(text string, from int) bool {
	if text == "" {
		return from == 0 || b.clusters[from-1].Plain()
	}
	r, _ := utf8.DecodeLastRuneInString(text)
	return widget.PlainRune(r)
}

// selection is the selected range, empty when nothing is selected.
func (b *buffer) selection() (from, to int) {
	if b.anchor < 0 {
		return b.at, b.at
	}
	return min(b.anchor, b.at), max(b.anchor, b.at)
}

// insert writes text at the cursor, in the place of what is selected.
func (b *buffer) insert(text string, kind editKind) {
	text = api.CleanInput(text, true)
	from, to := b.selection()
	if text == "" && from == to {
		return
	}
	if from != to {
		kind = editOther
	}
	if kind == editType && (text == " " || text == "\n") && b.run == editType {
		// A run of typing ends with a word: the next word is undone by itself.
		b.replace(from, to, text, editType)
		b.run = editOther
		return
	}
	b.replace(from, to, text, kind)
}

// erase deletes clusters[from:to].
func (b *buffer) erase(from, to int) {
	if from < to {
		b.replace(from, to, "", editErase)
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
	b.at = min(max(i, 0), len(b.clusters))
	b.tail, b.run = false, editOther
}
