package form

import "darkroom/ui/widget"

// change is one replacement of clusters, kept so that it can be turned back.
type change struct {
	from          int
	old, new      []widget.Cluster
	before, after int
	group         int
}

// editKind is what an edit does.
type editKind uint8

const (
	editOther editKind = iota
	editType
	editErase
)

// maxChanges bounds what is remembered for undoing.
const maxChanges = 4000

// remember makes a replacement so that it can be undone.
func (b *buffer) remember(from, to int, ins []widget.Cluster, after int, kind editKind) {
	if kind == editOther || kind != b.run {
		b.group++
	}
	b.run = kind
	old := append([]widget.Cluster(nil), b.clusters[from:to]...)
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
	b.anchor, b.tail, b.run = -1, false, editOther
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
	b.anchor, b.tail, b.run = -1, false, editOther
	return true
}
