package form

import (
	"strings"

	"darkroom/api"
	"darkroom/ui/widget"
)

// ListKind is one kind of entry; entries of a kind are numbered from 1.
type ListKind struct {
	Label string // "图片"
	Max   int    // how many are welcome; more are kept, the rules complain
	// Fits reports whether an address looks like this kind.
	Fits func(address string) bool
	// First is the number of the first entry, less one.
	First int
}

// Entry is one address of a list.
type Entry struct {
	Kind    int
	Address string
	Note    string // a remark right of the address
	Stray   bool   // the remark is a complaint
}

// List is a field of addresses in numbered kinds. The last line takes new ones;
// a paste of several lines adds one entry a line.
type List struct {
	Core
	Kinds []ListKind
	// Renumbered is called before entries of a kind get other numbers: to[i] is
	// where the entry at i goes, -1 when it is removed.
	Renumbered func(kind int, to []int)

	entries []Entry     // by kind
	at      int         // the entry the cursor is on; len(entries): the line for new ones
	edit    int         // the entry under edit, -1: none
	line    widget.Line // of the entry under edit, else of a new one
}

// NewList makes an empty list.
func NewList(name, label string, kinds ...ListKind) *List {
	return &List{Core: Core{Name: name, Label: label}, Kinds: kinds, edit: -1, line: newLine()}
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

// SetValues replaces all addresses, kind by kind.
func (t *List) SetValues(kinds ...[]string) {
	var entries []Entry
	for k, addresses := range kinds {
		for _, a := range addresses {
			entries = append(entries, Entry{Kind: k, Address: a})
		}
	}
	t.entries, t.at, t.edit = entries, len(entries), -1
	t.line.Set("")
	t.edited()
}

// SetEntryNote puts a remark beside the n-th entry of a kind.
func (t *List) SetEntryNote(kind, n int, note string, stray bool) {
	for i := range t.entries {
		e := &t.entries[i]
		if e.Kind != kind {
			continue
		}
		if n == 0 {
			if e.Note != note || e.Stray != stray {
				e.Note, e.Stray = note, stray
				t.version++
			}
			return
		}
		n--
	}
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

// number is the place of entry i among its kind, from 0.
func (t *List) number(i int) int {
	n := 0
	for j := range t.entries[:i] {
		if t.entries[j].Kind == t.entries[i].Kind {
			n++
		}
	}
	return n
}

// guess is the kind an address looks like, the first kind in doubt.
func (t *List) guess(address string) int {
	for k, kind := range t.Kinds {
		if kind.Fits != nil && kind.Fits(address) {
			return k
		}
	}
	return 0
}

func (t *List) insert(e Entry) int {
	i := len(t.entries)
	for i > 0 && t.entries[i-1].Kind > e.Kind {
		i--
	}
	t.entries = append(t.entries, Entry{})
	copy(t.entries[i+1:], t.entries[i:])
	t.entries[i] = e
	return i
}

// add adds an address, unless it is empty.
func (t *List) add(address string) {
	address = strings.TrimSpace(address)
	if address == "" {
		return
	}
	t.insert(Entry{Kind: t.guess(address), Address: address})
	t.at = len(t.entries)
	t.edited()
}

// AddTo adds an address to a kind, whatever it looks like.
func (t *List) AddTo(kind int, address string) {
	t.insert(Entry{Kind: kind, Address: address})
	t.at = len(t.entries)
	t.edited()
}

// Add adds addresses, one a line.
func (t *List) Add(lines string) {
	for line := range strings.Lines(api.CleanInput(lines, true)) {
		t.add(line)
	}
}

// commit takes what stands in the editor over.
func (t *List) commit() {
	text := strings.TrimSpace(t.line.Text())
	t.line.Set("")
	i := t.edit
	t.edit = -1
	switch {
	case i < 0:
		t.add(text)
	case text == "":
		t.remove(i)
	case text != t.entries[i].Address:
		t.entries[i].Address, t.entries[i].Note, t.entries[i].Stray = text, "", false
		t.edited()
	}
	t.Touch()
}

// renumber says how a change moves the entries of a kind.
func (t *List) renumber(kind int, change func(to []int)) {
	if t.Renumbered == nil {
		return
	}
	to := make([]int, t.count(kind))
	for i := range to {
		to[i] = i
	}
	change(to)
	t.Renumbered(kind, to)
}

func (t *List) remove(i int) {
	n, kind := t.number(i), t.entries[i].Kind
	t.renumber(kind, func(to []int) {
		to[n] = -1
		for j := n + 1; j < len(to); j++ {
			to[j]--
		}
	})
	t.entries = append(t.entries[:i], t.entries[i+1:]...)
	t.at = min(t.at, len(t.entries))
	t.edited()
}

// shift moves the entry at the cursor among its kind.
func (t *List) shift(by int) {
	i, j := t.at, t.at+by
	if i >= len(t.entries) || j < 0 || j >= len(t.entries) || t.entries[i].Kind != t.entries[j].Kind {
		return
	}
	n := t.number(i)
	t.renumber(t.entries[i].Kind, func(to []int) { to[n], to[n+by] = n+by, n })
	t.entries[i], t.entries[j] = t.entries[j], t.entries[i]
	t.at = j
	t.edited()
}

// changeKind makes the entry at the cursor one of another kind.
func (t *List) changeKind(by int) {
	e := t.entries[t.at]
	t.remove(t.at)
	e.Kind = (e.Kind + by + len(t.Kinds)) % len(t.Kinds)
	e.Note, e.Stray = "", false
	t.at = t.insert(e)
	t.edited()
}
