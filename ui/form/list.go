package form

import (
	"slices"
	"strings"

	"darkroom/ui/widget"
)

// ListKind is one kind of entry. Entries are numbered from 1 under the label of
// their kind; kinds with the same label count on.
type ListKind struct {
	Label string // "图片"
	// Name is shown in place of label and number, for a kind of one entry.
	Name string
	Sign string // before an entry: "♪"
	Tag  string // a remark behind each entry of the kind
	Max  int    // how many are welcome; more are kept, the rules complain
	// Set is the set that the kind belongs to: the kinds of one set are in use
	// at a time.
	Set int
	// Unused kinds keep their entries and are not shown.
	Unused bool
	// ByHand: no address becomes one of this kind by itself.
	ByHand bool
	// Fits reports whether an address looks like this kind; nil takes what fits
	// no other.
	Fits func(address string) bool
}

// Entry is one address of a list.
type Entry struct {
	Kind    int
	Address string
	Note    string // a remark right of the address
	Tone    Tone   // of the remark
	id      int
}

// Tone is how a remark is meant.
type Tone uint8

// Tones.
const (
	ToneQuiet Tone = iota
	ToneWarn
	ToneBad
)

// Place is what an entry is called: the label of its kind and its number.
type Place struct {
	Label  string
	Number int
}

// Moved is an entry that has another place than before, or with Number 0 none.
type Moved struct{ From, To Place }

// List is a field of addresses in numbered kinds. The last line takes new ones;
// a paste of several lines adds one entry a line.
type List struct {
	Core
	Kinds []ListKind
	// Renumbered is called when entries have other places than before, as a part
	// of the edit that is undone with it.
	Renumbered func([]Moved)
	// Title writes an address short; nil shows it as it is.
	Title func(address string) string
	// Picture is drawn in place of the sign of an entry's kind; "" is none.
	Picture func(address string) string

	set     int
	entries []Entry     // by kind
	ids     int         // given so far
	at      int         // the entry the cursor is on; len(entries): the line for new ones
	edit    int         // the entry under edit, -1: none
	line    widget.Line // of the entry under edit, else of a new one
}

// NewList makes an empty list.
func NewList(name, label string, kinds ...ListKind) *List {
	return &List{Core: Core{Name: name, Label: label, history: &history{}}, Kinds: kinds, edit: -1, line: newLine()}
}

// Values are the addresses of a kind, in order.
func (t *List) Values(kind int) []string {
	var out []string
	for _, e := range t.entries {
		if e.Kind == kind {
			out = append(out, e.Address)
		}
	}
	return out
}

// Drafted is Values with what is typed and not taken over yet.
func (t *List) Drafted(kind int) []string {
	text := strings.TrimSpace(t.line.Text())
	var out []string
	for i, e := range t.entries {
		switch {
		case e.Kind != kind:
		case i == t.edit && text != "":
			out = append(out, text)
		default:
			out = append(out, e.Address)
		}
	}
	if t.edit < 0 && text != "" && t.guess(text) == kind {
		out = append(out, text)
	}
	return out
}

// SetValues replaces all addresses, kind by kind, and forgets what could be
// undone.
func (t *List) SetValues(kinds ...[]string) {
	t.entries, t.edit = nil, -1
	for k, addresses := range kinds {
		for _, a := range addresses {
			t.insert(Entry{Kind: k, Address: a})
		}
	}
	t.at = len(t.entries)
	t.line.Set("")
	t.history.forget()
	t.Edited()
}

// Use takes another set of kinds into use. The entries of the others are kept.
func (t *List) Use(set int) {
	if set != t.set {
		t.set = set
		t.at, t.edit = len(t.entries), -1
		t.line.Set("")
		t.version++
	}
}

// Set is the set of kinds in use.
func (t *List) Set() int { return t.set }

// SetUnused says whether a kind is out of use within its set.
func (t *List) SetUnused(kind int, unused bool) {
	if t.Kinds[kind].Unused != unused {
		t.Kinds[kind].Unused = unused
		t.at, t.edit = len(t.entries), -1
		t.version++
	}
}

// SetEntryNote puts a remark beside the n-th entry of a kind.
func (t *List) SetEntryNote(kind, n int, note string, tone Tone) {
	for i := range t.entries {
		e := &t.entries[i]
		if e.Kind != kind {
			continue
		}
		if n == 0 {
			if e.Note != note || e.Tone != tone {
				e.Note, e.Tone = note, tone
				t.version++
			}
			return
		}
		n--
	}
}

// Shown reports whether entries of a kind are in view.
func (t *List) Shown(kind int) bool { return t.Kinds[kind].Set == t.set && !t.Kinds[kind].Unused }

// rows are the entries in view, by their numbers.
func (t *List) rows() []int {
	out := make([]int, 0, len(t.entries))
	for i := range t.entries {
		if t.Shown(t.entries[i].Kind) {
			out = append(out, i)
		}
	}
	return out
}

// Selected is the address under the cursor; false when that is in the line for
// new ones or in an entry under edit.
func (t *List) Selected() (string, bool) {
	if t.edit >= 0 || t.at >= len(t.entries) {
		return "", false
	}
	return t.entries[t.at].Address, true
}

// beside is the entry that many rows away from i; len(entries) is the line for
// new ones. False: there is none.
func (t *List) beside(i, by int) (int, bool) {
	rows := append(t.rows(), len(t.entries))
	at := slices.Index(rows, i) + by
	if at < 0 || at >= len(rows) {
		return i, false
	}
	return rows[at], true
}

func (t *List) count(kind int) int {
	n := 0
	for i := range t.entries {
		if t.entries[i].Kind == kind {
			n++
		}
	}
	return n
}

// Place is what the n-th entry of a kind is called.
func (t *List) Place(kind, n int) Place {
	label := t.Kinds[kind].Label
	for k := range t.Kinds[:kind] {
		if t.Kinds[k].Label == label && t.Kinds[k].Set == t.Kinds[kind].Set {
			n += t.count(k)
		}
	}
	return Place{label, n + 1}
}

// places are what the entries of the set in use are called, by their ids.
func (t *List) places() map[int]Place {
	out := make(map[int]Place, len(t.entries))
	var last int
	n := 0
	for i, e := range t.entries {
		if i == 0 || e.Kind != last {
			last, n = e.Kind, 0
		}
		if t.Kinds[e.Kind].Set == t.set {
			out[e.id] = t.Place(e.Kind, n)
		}
		n++
	}
	return out
}
