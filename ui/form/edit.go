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

func (p *Prompt) splice(from, to int, ins []widget.Cluster) {
	p.clusters = slices.Replace(p.clusters, from, to, ins...)
	p.wrap.Wrap(p.clusters, p.wrap.Width())
	p.Edited()
}

func (p *Prompt) put(text string, at int) {
	p.splice(0, len(p.clusters), widget.AppendClusters(nil, text))
	p.move(at, false)
	p.moved()
}

func (p *Prompt) keep() func() {
	text, at := p.Value(), p.at
	return func() { p.put(text, at) }
}

// replace puts text in the place of clusters[from:to] and the cursor behind it.
// Characters that could grow together with it are segmented again.
func (p *Prompt) replace(from, to int, text string, kind editKind) {
	p.history.edit(p, kind != editOther && kind == p.run)
	lo, hi := from, to
	for plain := false; lo > 0 && !plain; plain = p.clusters[lo].Plain() {
		lo--
	}
	for plain := false; hi < len(p.clusters) && !plain; hi++ {
		plain = p.clusters[hi].Plain()
	}
	head, foot := widget.JoinClusters(p.clusters[lo:from]), widget.JoinClusters(p.clusters[to:hi])
	ins := widget.AppendClusters(nil, head+text+foot)
	after := lo
	for bytes := len(head) + len(text); bytes > 0 && after < lo+len(ins); after++ {
		bytes -= len(ins[after-lo].Text)
	}
	p.splice(lo, hi, ins)
	p.move(after, false)
	p.run = kind
	p.moved()
}

// selection is the selected range, empty when nothing is selected.
func (p *Prompt) selection() (from, to int) { return min(p.anchor, p.at), max(p.anchor, p.at) }

// insert writes text at the cursor, replacing the selection.
func (p *Prompt) insert(text string, kind editKind) {
	from, to := p.selection()
	text = widget.FirstRunes(api.CleanInput(text, true), maxText-len(p.clusters)+to-from)
	if text == "" && from == to {
		return
	}
	if from != to {
		kind = editOther
	}
	ends := kind == editType && kind == p.run && (text == " " || text == "\n")
	p.replace(from, to, text, kind)
	if ends { // the next word is undone by itself
		p.run = editOther
	}
}

// move puts the cursor at i; extend keeps or starts a selection.
func (p *Prompt) move(i int, extend bool) {
	if p.at = min(max(i, 0), len(p.clusters)); !extend {
		p.anchor = p.at
	}
	p.tail, p.run = false, editOther
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
// The form takes alt+z or ctrl+_ and alt+y, undo and redo.
func (p *Prompt) key(k tea.KeyPressMsg) bool {
	key := k.String()
	used := p.vertical(key)
	if !used {
		p.goal = -1
		used = p.motion(key) || p.change(k, key)
	}
	if used {
		p.follow()
		p.version++
	}
	return used
}

// vertical takes keys that move by visible lines. Above the first and below the last line they
// go to an end of the text; there they are handed back.
func (p *Prompt) vertical(key string) bool {
	extend := strings.HasPrefix(key, "shift+")
	line, last, end := p.line(), p.wrap.Len()-1, 0
	switch strings.TrimPrefix(key, "shift+") {
	case "up", "ctrl+p":
		line--
	case "down", "ctrl+n":
		line, end = line+1, len(p.clusters)
	case "pgup":
		line = max(line-p.height+1, 0)
	case "pgdown":
		line = min(line+p.height-1, last)
	default:
		return false
	}
	switch {
	case line >= 0 && line <= last:
		p.jump(line, extend)
	case p.at == end && !extend:
		return false
	default:
		p.move(end, extend)
	}
	return true
}

func (p *Prompt) motion(key string) bool {
	plain := strings.Replace(key, "shift+", "", 1)
	extend := plain != key
	left, right := p.selection()
	if extend || left == right {
		left, right = p.at-1, p.at+1
	}
	switch plain {
	case "left", "ctrl+b":
		p.move(left, extend)
	case "right", "ctrl+f":
		p.move(right, extend)
	case "ctrl+left", "alt+left", "alt+b":
		p.move(widget.WordLeft(p.clusters, p.at), extend)
	case "ctrl+right", "alt+right", "alt+f":
		p.move(widget.WordRight(p.clusters, p.at), extend)
	case "home":
		p.place(p.line(), 0, extend)
	case "end":
		p.place(p.line(), 1<<20, extend)
	case "ctrl+home", "alt+<":
		p.move(0, extend)
	case "ctrl+end", "alt+>":
		p.move(len(p.clusters), extend)
	case "ctrl+a":
		p.SelectAll()
	default:
		return false
	}
	return true
}

// change edits the text as a key asks for, the selection in place of a character if there
// is one.
func (p *Prompt) change(k tea.KeyPressMsg, key string) bool {
	from, to := p.at, p.at
	switch key {
	case "enter", "shift+enter", "alt+enter", "ctrl+j":
		p.insert("\n", editType)
		return true
	case "backspace", "ctrl+h", "shift+backspace":
		from = max(from-1, 0)
		token, ok := api.Find(p.marks(max(to-maxToken, 0), to), func(m marked) bool { return m.to == to })
		if ok && p.clusters[from].Text == "】" { // a whole token at once
			from = token.from
		}
	case "delete", "ctrl+d":
		to = min(to+1, len(p.clusters))
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		from = widget.WordLeft(p.clusters, to)
	case "alt+d", "ctrl+delete", "alt+delete":
		to = widget.WordRight(p.clusters, from)
	case "ctrl+u":
		for from > 0 && p.clusters[from-1].Class != widget.ClassBreak {
			from--
		}
	default:
		if typed(k) {
			p.insert(k.Text, editType)
		}
		return typed(k)
	}
	if first, last := p.selection(); first < last {
		from, to = first, last
	}
	if from < to {
		p.replace(from, to, "", editErase)
	}
	return true
}

func typed(k tea.KeyPressMsg) bool {
	return k.Text != "" && k.Mod&(tea.ModCtrl|tea.ModAlt|tea.ModMeta|tea.ModSuper|tea.ModHyper) == 0
}

type undoable interface {
	Field
	// keep returns what gives the field back the value that it has now.
	keep() func()
}

// memory is what a field was before an edit.
type memory struct {
	field   undoable
	restore func()
}

// history holds what fields were before their edits, which are undone by groups.
type history struct {
	past, next [][]memory
	joined     bool // edits belong to the last group
}

// edit remembers what a field is, before an edit of it. An edit that goes on with
// the last one is undone with it.
func (h *history) edit(field undoable, goesOn bool) {
	h.next = nil
	last := len(h.past) - 1
	switch {
	case h.joined:
		h.past[last] = append(h.past[last], memory{field, field.keep()})
	case !goesOn || last < 0 || h.past[last][0].field != field:
		h.past = append(h.past[max(len(h.past)-999, 0):], []memory{{field, field.keep()}})
	}
}

func (f *Form) ForgetUndo() { f.history = history{} }

// travel takes a key for undo or redo: the last group of edits is taken back, and what makes
// it again is noted. A line that is typed in has its own.
func (f *Form) travel(key string) bool {
	if choice, ok := f.focus.(*Choice); ok && choice.writing() {
		return false
	}
	from, to := &f.history.past, &f.history.next
	switch key {
	case "alt+z", "ctrl+_", "ctrl+/":
	case "alt+y", "alt+shift+z", "alt+Z":
		from, to = to, from
	default:
		return false
	}
	last := len(*from) - 1
	if last < 0 {
		return true
	}
	var back []memory
	var show Field // that says most about what was undone: a list rather than the text that follows it
	for _, m := range slices.Backward((*from)[last]) {
		back = append(back, memory{m.field, m.field.keep()})
		m.restore()
		m.field.core().Edited()
		if _, list := m.field.(*List); list || show == nil {
			show = m.field
		}
	}
	*from, *to = (*from)[:last], append(*to, back)
	if f.revalidate(); !hidden(show) {
		f.Focus(show)
	}
	return true
}
