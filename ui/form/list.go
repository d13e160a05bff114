package form

import (
	"slices"
	"strings"

	"darkroom/api"
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
	// Fits reports whether an address looks like this kind; nil takes
	// addresses that fit no other.
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

// EntryName is the name of an entry: the label of its kind and its number.
type EntryName struct {
	Label  string
	Number int
}

// Moved is an entry that has another name than before, or with Number 0 none.
type Moved struct{ From, To EntryName }

// List is a field of addresses in numbered kinds. The last line takes new ones;
// a paste of several lines adds one entry a line.
type List struct {
	Core
	Kinds []ListKind
	// Renumbered is called when entries have other names than before, as a part
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

// of are the entries of a kind, by their numbers.
func (t *List) of(kind int) []int {
	var out []int
	for i := range t.entries {
		if t.entries[i].Kind == kind {
			out = append(out, i)
		}
	}
	return out
}

// Values are the addresses of a kind, in order.
func (t *List) Values(kind int) []string {
	var out []string
	for _, i := range t.of(kind) {
		out = append(out, t.entries[i].Address)
	}
	return out
}

// Drafted is Values with the text that is typed and not taken over yet.
func (t *List) Drafted(kind int) []string {
	text, out := t.typed(), t.Values(kind)
	switch at := slices.Index(t.of(kind), t.edit); {
	case text == "":
	case at >= 0:
		out[at] = text
	case t.edit < 0 && t.guess(text) == kind:
		out = append(out, text)
	}
	return out
}

// typed returns the text of the line.
func (t *List) typed() string { return strings.TrimSpace(t.line.Text()) }

// SetValues replaces all addresses, kind by kind, and forgets the history.
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

// SetEntryNote puts a remark next to the n-th entry of a kind.
func (t *List) SetEntryNote(kind, n int, note string, tone Tone) {
	if at := t.of(kind); n < len(at) {
		if e := &t.entries[at[n]]; e.Note != note || e.Tone != tone {
			e.Note, e.Tone = note, tone
			t.version++
		}
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

// beside returns the entry that many rows away from i; len(entries) is the line for
// new ones. False: there is none.
func (t *List) beside(i, by int) (int, bool) {
	rows := append(t.rows(), len(t.entries))
	at := slices.Index(rows, i) + by
	if at < 0 || at >= len(rows) {
		return i, false
	}
	return rows[at], true
}

// EntryName returns the name of the n-th entry of a kind.
func (t *List) EntryName(kind, n int) EntryName {
	label := t.Kinds[kind].Label
	for k := range t.Kinds[:kind] {
		if t.Kinds[k].Label == label && t.Kinds[k].Set == t.Kinds[kind].Set {
			n += len(t.of(k))
		}
	}
	return EntryName{label, n + 1}
}

// entryNames returns the names of the entries of the set in use, by their ids.
func (t *List) entryNames() map[int]EntryName {
	out := make(map[int]EntryName, len(t.entries))
	for k, kind := range t.Kinds {
		for n, i := range t.of(k) {
			if kind.Set == t.set {
				out[t.entries[i].id] = t.EntryName(k, n)
			}
		}
	}
	return out
}

// guess is the kind that an address becomes by itself: the first that it looks
// like, one with room before one without.
func (t *List) guess(address string) int {
	fits, rest := -1, -1
	for k, kind := range t.Kinds {
		switch {
		case !t.Shown(k) || kind.ByHand:
		case kind.Fits != nil && kind.Fits(address):
			fits = t.roomier(fits, k)
		case kind.Fits == nil:
			rest = t.roomier(rest, k)
		}
	}
	if fits >= 0 {
		return fits
	}
	return max(rest, 0)
}

// roomier is the first of two kinds that has room for one more, else the second.
func (t *List) roomier(a, b int) int {
	if a >= 0 && len(t.of(a)) < t.Kinds[a].Max {
		return a
	}
	return b
}

func (t *List) insert(e Entry) int {
	i := len(t.entries)
	for i > 0 && t.entries[i-1].Kind > e.Kind {
		i--
	}
	if e.id == 0 {
		t.ids++
		e.id = t.ids
	}
	t.entries = slices.Insert(t.entries, i, e)
	return i
}

// AddTo adds an address to a kind, whatever it looks like.
func (t *List) AddTo(kind int, address string) {
	t.alter(func() { t.insert(Entry{Kind: kind, Address: address}) })
	t.at = len(t.entries)
}

// Replace puts an address in the place of the last of its kind.
func (t *List) Replace(kind int, address string) {
	if at := t.of(kind); len(at) > 0 {
		t.alter(func() { t.entries[at[len(at)-1]].Address = address })
	}
}

// Change puts an address in the place of another one, wherever that stands.
func (t *List) Change(from, to string) {
	if !slices.ContainsFunc(t.entries, func(e Entry) bool { return e.Address == from }) {
		return
	}
	t.alter(func() {
		for i := range t.entries {
			if t.entries[i].Address == from {
				t.entries[i].Address = to
			}
		}
	})
}

// Add adds addresses, one a line.
func (t *List) Add(lines string) {
	var addresses []string
	for line := range strings.Lines(api.CleanInput(lines, true)) {
		if address := strings.TrimSpace(line); address != "" {
			addresses = append(addresses, address)
		}
	}
	if len(addresses) > 0 {
		t.alter(func() {
			for _, a := range addresses {
				t.insert(Entry{Kind: t.guess(a), Address: a})
			}
		})
	}
	t.at = len(t.entries)
}

// commit takes over the text under edit.
func (t *List) commit() {
	text, i := t.typed(), t.edit
	t.line.Set("")
	t.edit = -1
	switch {
	case i < 0 && text != "":
		t.Add(text)
	case i < 0:
	case text == "":
		t.remove(i)
	case text != t.entries[i].Address:
		t.alter(func() {
			e := &t.entries[i]
			e.Address, e.Note, e.Tone = text, "", ToneQuiet
		})
	}
	t.Touch()
}

func (t *List) remove(i int) {
	t.alter(func() { t.entries = slices.Delete(t.entries, i, i+1) })
	if t.at = min(i, len(t.entries)); t.at < len(t.entries) && !t.Shown(t.entries[t.at].Kind) {
		t.at = len(t.entries)
	}
}

// shift exchanges the entry at the cursor with its neighbour, if they are
// numbered together.
func (t *List) shift(by int) {
	i := t.at
	j, ok := t.beside(i, by)
	if !ok || i >= len(t.entries) || j >= len(t.entries) || t.Kinds[t.entries[i].Kind].Label != t.Kinds[t.entries[j].Kind].Label {
		return
	}
	t.alter(func() {
		a, b := t.entries[i], t.entries[j]
		a.Kind, b.Kind = b.Kind, a.Kind
		t.entries[i], t.entries[j] = b, a
	})
	t.at = j
}

// changeKind makes the entry at the cursor one of another kind.
func (t *List) changeKind(by int) {
	e := t.entries[t.at]
	for n := len(t.Kinds); n > 0; n-- {
		e.Kind = (e.Kind + by + len(t.Kinds)) % len(t.Kinds)
		if t.Shown(e.Kind) {
			break
		}
	}
	if e.Kind == t.entries[t.at].Kind {
		return
	}
	e.Note, e.Tone = "", ToneQuiet
	t.alter(func() {
		t.entries = slices.Delete(t.entries, t.at, t.at+1)
		t.at = t.insert(e)
	})
}

// alter makes a change of the entries, together with its consequences, one step
// that can be undone.
func (t *List) alter(do func()) {
	old, before := slices.Clone(t.entries), t.entryNames()
	t.history.asOne(func() {
		do()
		now := slices.Clone(t.entries)
		t.history.add(t, func() { t.entries = slices.Clone(old) }, func() { t.entries = slices.Clone(now) })
		if t.Renumbered == nil {
			return
		}
		if moved := relocated(old, before, t.entryNames()); len(moved) > 0 {
			t.Renumbered(moved)
		}
	})
	t.Edited()
}

// relocated are the entries that have other names than before.
func relocated(entries []Entry, before, after map[int]EntryName) []Moved {
	var out []Moved
	for _, e := range entries {
		from, had := before[e.id]
		if to := after[e.id]; had && to != from {
			if to.Number == 0 {
				to.Label = from.Label
			}
			out = append(out, Moved{from, to})
		}
	}
	return out
}

func (t *List) restored() {
	t.at, t.edit = min(t.at, len(t.entries)), -1
	if t.at < len(t.entries) && !t.Shown(t.entries[t.at].Kind) {
		t.at = len(t.entries)
	}
}
