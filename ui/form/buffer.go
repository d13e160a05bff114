package form

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/widget"
)

// editKind is the kind of an edit: edits of one kind are undone together.
type editKind uint8

const (
	editOther editKind = iota
	editType
	editErase
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
	field    Field    // that the edits belong to
	run      editKind // of the last edit: edits of one run are undone together
	text     string   // String, made when asked for
	textOf   int64
	wrap     *widget.Lines
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
	b.field.core().history.forget()
	b.run = editOther
	b.splice(0, len(b.clusters), gs)
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
	b.wrap.Wrap(b.clusters, b.wrap.Width())
}

// replace puts text in the place of clusters[from:to] and the cursor behind it.
// Characters that could grow together with it are segmented again: up to a plain
// one on either side.
func (b *buffer) replace(from, to int, text string, kind editKind) {
	lo, hi := from, to
	for plain := false; lo > 0 && !plain; plain = b.clusters[lo].Plain() {
		lo--
	}
	for plain := false; hi < len(b.clusters) && !plain; hi++ {
		plain = b.clusters[hi].Plain()
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

// selection is the selected range, empty when nothing is selected.
func (b *buffer) selection() (from, to int) {
	if b.anchor < 0 {
		return b.at, b.at
	}
	return min(b.anchor, b.at), max(b.anchor, b.at)
}

// insert writes text at the cursor, replacing the selection.
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

// turn puts clusters in the place of n others and the cursor where it was then.
func (b *buffer) turn(from, n int, clusters []widget.Cluster, at int) {
	b.splice(from, from+n, clusters)
	b.at, b.anchor, b.tail, b.run = at, -1, false, editOther
}

// remember makes a replacement so that it can be undone.
func (b *buffer) remember(from, to int, ins []widget.Cluster, after int, kind editKind) {
	h := b.field.core().history
	if kind == editOther || kind != b.run {
		h.cut()
	}
	b.run = kind
	old, before := slices.Clone(b.clusters[from:to]), b.at
	h.add(b.field, func() { b.turn(from, len(ins), old, before) }, func() { b.turn(from, len(old), ins, after) })
	b.splice(from, to, ins)
	b.at, b.anchor, b.tail = after, -1, false
}

// Keys of the prompt; widget.Line has the keys of one line, without a selection:
//
//	←/→, ctrl+←/→ or alt+b/f    by character, by word; with shift: select
//	home/end                    of the visible line
//	ctrl+home/ctrl+end          of the text
//	backspace, delete           the selection, else a character
//	ctrl+w, alt+backspace       the word before;  alt+d the word after
//	ctrl+u                      to the start of the paragraph
//	ctrl+a                      select all
//
// The form takes alt+z or ctrl+_ and alt+y, undo and redo (ctrl+z suspends the
// program).

// motion takes a key that moves the cursor along the text.
func (b *buffer) motion(key string) bool {
	plain := strings.Replace(key, "shift+", "", 1)
	extend := plain != key
	extending := []string{"left", "right", "ctrl+left", "ctrl+right", "alt+left", "alt+right", "ctrl+home", "ctrl+end"}
	if extend && !slices.Contains(extending, plain) {
		return false
	}
	from, to := b.selection()
	switch plain {
	case "left", "ctrl+b":
		if !extend && from != to {
			b.move(from, false)
			return true
		}
		b.move(b.at-1, extend)
	case "right", "ctrl+f":
		if !extend && from != to {
			b.move(to, false)
			return true
		}
		b.move(b.at+1, extend)
	case "ctrl+left", "alt+left", "alt+b":
		b.move(widget.WordLeft(b.clusters, b.at), extend)
	case "ctrl+right", "alt+right", "alt+f":
		b.move(widget.WordRight(b.clusters, b.at), extend)
	case "ctrl+home", "alt+<":
		b.move(0, extend)
	case "ctrl+end", "alt+>":
		b.move(len(b.clusters), extend)
	case "ctrl+a":
		b.anchor, b.at, b.tail, b.run = 0, len(b.clusters), false, editOther
	default:
		return false
	}
	return true
}

// change takes a key that changes the text. unit gives the start of the
// text before cluster i that one backspace takes at once.
func (b *buffer) change(k tea.KeyPressMsg, key string, unit func(i int) int) bool {
	from, to := b.selection()
	none := from == to
	switch key {
	case "backspace", "ctrl+h", "shift+backspace":
		if none && from > 0 {
			from = unit(to)
		}
	case "delete", "ctrl+d":
		if none {
			to = min(to+1, len(b.clusters))
		}
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		if none {
			from = widget.WordLeft(b.clusters, to)
		}
	case "alt+d", "ctrl+delete", "alt+delete":
		if none {
			to = widget.WordRight(b.clusters, from)
		}
	case "ctrl+u":
		for none && from > 0 && b.clusters[from-1].Class != widget.ClassBreak {
			from--
		}
	default:
		if typed(k) {
			b.insert(k.Text, editType)
		}
		return typed(k)
	}
	b.erase(from, to)
	return true
}

// typed reports whether the key is text for a field.
func typed(k tea.KeyPressMsg) bool {
	return k.Text != "" && k.Mod&(tea.ModCtrl|tea.ModAlt|tea.ModMeta|tea.ModSuper|tea.ModHyper) == 0
}
