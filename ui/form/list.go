package form

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/widget"
)

// ListKind is one kind of entry. Entries are numbered from 1 under the label of
// their kind; kinds with the same label count on.
type ListKind struct {
	Label string // "图片"
	Count string // before the number of entries: "images"
	// Name is shown in place of label and number, for a kind of one entry.
	Name string
	Sign string // before an entry: "♪"
	Tag  string // a remark behind each entry of the kind
	Max  int    // how many are welcome; more are kept, the rules complain
	// Unused kinds keep their entries and are not shown.
	Unused bool
	// ByHand: no address becomes one of this kind by itself.
	ByHand bool
	// Fits reports whether an address looks like this kind; nil takes the rest.
	Fits func(address string) bool
}

// Entry is a row of a List: an address of one of its kinds.
type Entry struct {
	Kind    int
	Address string
	Note    string // a remark right of the address
	Warn    bool   // the remark is a warning
	id      int
}

// List is a field of addresses in numbered kinds. The last line takes new ones;
// a paste of several lines adds one entry a line.
type List struct {
	Core
	Kinds []ListKind
	Empty string // in the line for new ones while nothing is typed there
	// Renumbered is called with the new name of each entry whose name has changed, by the old
	// one; an entry that is gone gets number 0. It is a part of the edit, and undone with it.
	Renumbered func(map[string]string)
	// Title writes an address short.
	Title func(address string) string
	// Picture is drawn in place of the sign of an entry's kind; "" is none.
	Picture func(address string) string
	Aside   func(n int) string // says that n entries are of kinds out of use

	entries []Entry     // by kind
	ids     int         // given so far
	at      int         // the entry the cursor is on; len(entries): the line for new ones
	edit    int         // the entry under edit, -1: none
	line    widget.Line // of the entry under edit, else of a new one
	column  int         // how wide the labels of the form are
	alone   string      // the label of the line for new ones if it is the only one
}

func NewList(name, label string, kinds ...ListKind) *List {
	return &List{Core: Core{Name: name, Label: label, history: &history{}}, Kinds: kinds, edit: -1, line: widget.Line{Limit: maxText}}
}

// of are the entries of a kind, by their numbers.
func (t *List) of(kind int) []int { return t.where(func(e Entry) bool { return e.Kind == kind }) }

func (t *List) where(is func(Entry) bool) (out []int) {
	for i, e := range t.entries {
		if is(e) {
			out = append(out, i)
		}
	}
	return out
}

// Values are the addresses of a kind, in the order of the rows.
func (t *List) Values(kind int) []string {
	return api.Pick(t.entries, func(e Entry) (string, bool) { return e.Address, e.Kind == kind })
}

// Drafted is Values with the text that is typed and not taken over yet; too many of a kind of one are the lines of one text.
func (t *List) Drafted(kind int) []string {
	text, out := t.typed(), t.Values(kind)
	switch at := slices.Index(t.of(kind), t.edit); {
	case text == "":
	case at >= 0:
		out[at] = text
	case t.edit < 0 && t.guess(text) == kind:
		out = append(out, text)
	}
	if t.Kinds[kind].Max == 1 && len(out) > 1 {
		out = []string{strings.Join(out, "\n")}
	}
	return out
}

// Unwritten reports whether there is neither an address nor a text that is typed.
func (t *List) Unwritten() bool { return len(t.entries) == 0 && t.typed() == "" }

func (t *List) typed() string { return strings.TrimSpace(t.line.Text()) }

// SetValues replaces all addresses, kind by kind, and forgets the history.
func (t *List) SetValues(kinds ...[]string) {
	t.entries = nil
	for k, addresses := range kinds {
		for _, a := range addresses {
			t.insert(Entry{Kind: k, Address: a})
		}
	}
	t.line.Set("")
	*t.history = history{}
	t.land(len(t.entries))
	t.Edited()
}

// land puts the cursor on an entry in view, else in the line for new ones.
func (t *List) land(i int) {
	t.at, t.edit = i, -1
	if i >= len(t.entries) || !t.Shown(t.entries[i].Kind) {
		t.at = len(t.entries)
	}
	t.Touch()
}

// Use says which kinds are in use.
func (t *List) Use(used func(kind int) bool) {
	for k := range t.Kinds {
		if t.Kinds[k].Unused == used(k) {
			t.Kinds[k].Unused = !used(k)
			t.land(len(t.entries))
		}
	}
}

// SetEntryNote puts a remark next to the n-th entry of a kind.
func (t *List) SetEntryNote(kind, n int, note string, warn bool) {
	if e := &t.entries[t.of(kind)[n]]; e.Note != note || e.Warn != warn {
		e.Note, e.Warn = note, warn
		t.Touch()
	}
}

func (t *List) Shown(kind int) bool { return !t.Kinds[kind].Unused }

// rows are the entries in view, by their numbers, and the line for new ones.
func (t *List) rows() []int {
	return append(t.where(func(e Entry) bool { return t.Shown(e.Kind) }), len(t.entries))
}

// Selected is the address under the cursor, unless it is in a text under edit.
func (t *List) Selected() (string, bool) {
	if t.edit >= 0 || t.at == len(t.entries) {
		return "", false
	}
	return t.entries[t.at].Address, true
}

// beside is the row that many rows away from the cursor; false: there is none.
func (t *List) beside(by int) (int, bool) {
	rows := t.rows()
	at := slices.Index(rows, t.at) + by
	if at < 0 || at >= len(rows) {
		return 0, false
	}
	return rows[at], true
}

// EntryName is the name of the n-th entry of a kind: the label of the kind and a number.
func (t *List) EntryName(kind, n int) string {
	label := t.Kinds[kind].Label
	for k := range t.Kinds[:kind] {
		if t.Kinds[k].Label == label && t.Shown(k) {
			n += len(t.of(k))
		}
	}
	return label + strconv.Itoa(n+1)
}

// entryNames returns the names of the entries in view, by their ids.
func (t *List) entryNames() map[int]string {
	out := make(map[int]string, len(t.entries))
	for k := range t.Kinds {
		for n, i := range t.of(k) {
			if t.Shown(k) {
				out[t.entries[i].id] = t.EntryName(k, n)
			}
		}
	}
	return out
}

// guess is the kind that an address becomes by itself: the first that it looks
// like, one with room before one without.
func (t *List) guess(address string) int {
	best, rank := 0, 0
	for k, kind := range t.Kinds {
		if !t.Shown(k) || kind.ByHand || kind.Fits != nil && !kind.Fits(address) {
			continue
		}
		r, full := 1, len(t.of(k)) >= kind.Max
		if kind.Fits != nil {
			r += 2
		}
		if !full {
			r++
		}
		if r > rank || full && r == rank {
			best, rank = k, r
		}
	}
	return best
}

func (t *List) insert(e Entry) int {
	i, _ := slices.BinarySearchFunc(t.entries, e.Kind+1, func(e Entry, kind int) int { return e.Kind - kind }) // behind its kind
	if e.id == 0 {
		t.ids++
		e.id = t.ids
	}
	t.entries = slices.Insert(t.entries, i, e)
	return i
}

// Put adds an address, in place of the last one if its kind is full.
func (t *List) Put(kind int, address string) {
	t.alter(func() {
		if at := t.of(kind); len(at) >= t.Kinds[kind].Max {
			t.entries[at[len(at)-1]].Address = address
		} else {
			t.insert(Entry{Kind: kind, Address: address})
		}
	})
	t.land(len(t.entries))
}

// Change puts an address in the place of another one, wherever that stands.
func (t *List) Change(from, to string) {
	if at := t.where(func(e Entry) bool { return e.Address == from }); len(at) > 0 {
		t.alter(func() {
			for _, i := range at {
				t.entries[i].Address = to
			}
		})
	}
}

func (t *List) Add(lines string) {
	var addresses []string
	for line := range strings.Lines(api.CleanInput(lines, true)) {
		address := widget.FirstRunes(strings.TrimSpace(line), maxText)
		if address != "" && len(t.entries)+len(addresses) < maxEntries {
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
	t.land(len(t.entries))
}

// commit takes over the text that is typed.
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
		t.alter(func() { t.entries[i].Address = text })
	}
	t.Touch()
}

func (t *List) remove(i int) {
	t.alter(func() { t.entries = slices.Delete(t.entries, i, i+1) })
	t.land(i)
}

// shift exchanges the entry at the cursor with its neighbour of the same label.
func (t *List) shift(by int) {
	i := t.at
	j, ok := t.beside(by)
	if !ok || i == len(t.entries) || j == len(t.entries) {
		return
	}
	a, b := t.entries[i], t.entries[j]
	if t.Kinds[a.Kind].Label == t.Kinds[b.Kind].Label {
		a.Kind, b.Kind = b.Kind, a.Kind
		t.alter(func() { t.entries[i], t.entries[j] = b, a })
		if t.at = j; t.edit >= 0 {
			t.edit = j
		}
	}
}

// changeKind makes the entry at the cursor one of another kind.
func (t *List) changeKind(by int) {
	was, n := t.entries[t.at], len(t.Kinds)
	kind := (was.Kind + by + n) % n
	for !t.Shown(kind) {
		kind = (kind + by + n) % n
	}
	if kind != was.Kind {
		t.alter(func() {
			t.entries = slices.Delete(t.entries, t.at, t.at+1)
			t.at = t.insert(Entry{Kind: kind, Address: was.Address, id: was.id})
		})
	}
}

// alter makes a change and its consequences one step that can be undone.
func (t *List) alter(do func()) {
	before, moved := t.entryNames(), map[string]string{}
	t.history.edit(t, false)
	t.history.joined = true
	do()
	after := t.entryNames()
	for id, from := range before {
		if to := cmp.Or(after[id], strings.TrimRight(from, "0123456789")+"0"); to != from {
			moved[from] = to
		}
	}
	if len(moved) > 0 && t.Renumbered != nil {
		t.Renumbered(moved)
	}
	t.history.joined = false
	t.Edited()
}

func (t *List) keep() func() {
	entries := slices.Clone(t.entries)
	return func() {
		t.entries = entries
		t.land(t.at)
	}
}

// key moves among the rows, changes their order and kinds, or edits the chosen one.
func (t *List) key(k tea.KeyPressMsg) bool {
	key := k.String()
	switch key {
	case "up":
		return t.move(-1)
	case "down":
		return t.move(1)
	case "alt+up", "alt+shift+up", "ctrl+up":
		t.shift(-1)
		return true
	case "alt+down", "alt+shift+down", "ctrl+down":
		t.shift(1)
		return true
	}
	if t.edit >= 0 || t.at == len(t.entries) { // keys go to the line
		return t.typeKey(k, key)
	}
	switch key {
	case "enter":
		t.edit = t.at
		t.line.Set(t.entries[t.at].Address)
		t.Touch()
	case "delete", "backspace", "ctrl+d", "ctrl+w":
		t.remove(t.at)
	case "left":
		t.changeKind(-1)
	case "right":
		t.changeKind(1)
	default:
		if !typed(k) {
			return false
		}
		t.land(len(t.entries))
		return t.typeKey(k, key)
	}
	return true
}

func (t *List) move(by int) bool {
	if t.edit >= 0 {
		t.commit()
	}
	to, ok := t.beside(by)
	if ok {
		t.land(to)
	}
	return ok
}

func (t *List) typeKey(k tea.KeyPressMsg, key string) bool {
	switch {
	case key == "enter":
		t.commit()
		return true
	case key == "esc" && t.edit >= 0:
		t.line.Set("")
		t.land(t.at)
		return true
	}
	used, changed := t.write(&t.line, k)
	if changed {
		t.Edited() // the typed text is part of the draft
	}
	return used
}

// dropped parts files that are dropped on a terminal together, which it writes in one line.
var dropped = regexp.MustCompile(`([^\\]) ('?/|"|[A-Za-z]:\\)`)

func (t *List) paste(s string) {
	s = dropped.ReplaceAllString(strings.TrimSpace(api.CleanInput(s, true)), "$1\n$2")
	if t.edit >= 0 || !t.line.Empty() && !strings.Contains(s, "\n") {
		t.line.Insert(s)
		t.Edited()
	} else {
		t.Add(s)
	}
}

func (t *List) click(at pointer) {
	focused := at.focused && t.atNew()
	if t.edit >= 0 {
		t.commit()
	}
	t.land(t.rows()[at.y])
	if t.atNew() {
		lead := t.lead()
		placeCursor(&t.line, at.x-lead, at.width-lead-2, focused)
	}
}

// atNew reports whether the cursor is in the line for a new entry.
func (t *List) atNew() bool { return t.at == len(t.entries) && t.edit < 0 }
