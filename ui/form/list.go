package form

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/theme"
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
	// Renumbered is told before entries of a kind get other numbers: to[i] is
	// where the entry at i goes, -1 when it is removed.
	Renumbered func(kind int, to []int)

	entries []Entry // by kind
	at      int     // the entry the cursor is on; len(entries): the line for new ones
	edit    int     // the entry under edit, -1: none
	e       lineEditor
}

// NewList makes an empty list.
func NewList(name, label string, kinds ...ListKind) *List {
	return &List{Core: Core{Name: name, Label: label}, Kinds: kinds, edit: -1, e: newLineEditor()}
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
	t.e.b.reset("")
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
	for line := range strings.Lines(tidy(lines, true)) {
		t.add(line)
	}
}

// commit takes what stands in the editor over.
func (t *List) commit() {
	text := strings.TrimSpace(t.e.b.String())
	t.e.b.reset("")
	t.e.from = 0
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

func (t *List) tell(kind int, change func(to []int)) {
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
	t.tell(kind, func(to []int) {
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
	t.tell(t.entries[i].Kind, func(to []int) { to[n], to[n+by] = n+by, n })
	t.entries[i], t.entries[j] = t.entries[j], t.entries[i]
	t.at = j
	t.edited()
}

// turn makes the entry at the cursor one of another kind.
func (t *List) turn(by int) {
	e := t.entries[t.at]
	t.remove(t.at)
	e.Kind = (e.Kind + by + len(t.Kinds)) % len(t.Kinds)
	e.Note, e.Stray = "", false
	t.at = t.insert(e)
	t.edited()
}

func (t *List) text() bool { return true }

// writing reports whether keys go to the line editor.
func (t *List) writing() bool { return t.edit >= 0 || t.at == len(t.entries) }

func (t *List) key(k tea.KeyPressMsg) bool {
	key := k.String()
	switch key {
	case "up", "down":
		if t.edit >= 0 {
			t.commit()
		}
		to := t.at + 1
		if key == "up" {
			to = t.at - 1
		}
		if to < 0 || to > len(t.entries) {
			return false
		}
		t.at = to
		t.Touch()
		return true
	case "alt+up", "alt+shift+up", "ctrl+up":
		t.shift(-1)
		return true
	case "alt+down", "alt+shift+down", "ctrl+down":
		t.shift(1)
		return true
	}
	if t.writing() {
		return t.write(k, key)
	}
	return t.onEntry(k, key)
}

func (t *List) write(k tea.KeyPressMsg, key string) bool {
	switch {
	case key == "enter":
		t.commit()
		return true
	case key == "esc" && t.edit >= 0:
		t.edit = -1
		t.e.b.reset("")
		t.Touch()
		return true
	}
	used, _ := t.e.key(k, nil)
	if used {
		t.Touch()
	}
	return used
}

func (t *List) onEntry(k tea.KeyPressMsg, key string) bool {
	switch key {
	case "enter":
		t.edit = t.at
		t.e.b.reset(t.entries[t.at].Address)
		t.e.from = 0
		t.Touch()
	case "delete", "backspace", "ctrl+d", "ctrl+w":
		t.remove(t.at)
	case "left":
		t.turn(-1)
	case "right":
		t.turn(1)
	default:
		if !typed(k) {
			return false
		}
		t.at = len(t.entries)
		return t.write(k, key)
	}
	return true
}

func (t *List) paste(s string) bool {
	s = strings.TrimSpace(tidy(s, true))
	if t.edit >= 0 || len(t.e.b.glyphs) > 0 && !strings.Contains(s, "\n") {
		t.e.b.insert(s, deedNone)
		t.Touch()
		return true
	}
	t.Add(s)
	t.at = len(t.entries)
	return true
}

// leave takes over what was typed when the field loses the focus.
func (t *List) leave() {
	if t.edit >= 0 || len(t.e.b.glyphs) > 0 {
		t.commit()
	}
}

func (t *List) click(x, y int) {
	if t.edit >= 0 {
		t.commit()
	}
	t.at = min(max(y, 0), len(t.entries))
	if t.at == len(t.entries) {
		t.e.place(x - entryLead)
	}
	t.Touch()
}

func (t *List) fit(int) {}

func (t *List) heading(l *Look, width int, focus bool) string {
	var b strings.Builder
	for k, kind := range t.Kinds {
		n := t.count(k)
		ink := l.Theme.Muted
		if n > kind.Max {
			ink = l.Theme.Bad
		}
		if k > 0 {
			b.WriteString("   ")
		}
		ink.Write(&b, kind.Label+" "+strconv.Itoa(n)+"/"+strconv.Itoa(kind.Max))
	}
	return b.String()
}

// entryLead is how many cells stand before an address.
const entryLead = 9

func (t *List) draw(l *Look, width int, focus bool) drawing {
	d := drawing{}
	for i, e := range t.entries {
		on := focus && i == t.at
		name := t.Kinds[e.Kind].Label + strconv.Itoa(t.Kinds[e.Kind].First+t.number(i)+1)
		lead := l.Theme.Muted.Paint("  " + fill(name, 6) + " ")
		if on {
			lead = l.Theme.Accent.Paint("▸ " + fill(name, 6) + " ")
		}
		used := entryLead
		if i == t.edit {
			s, x := t.e.draw(l, width-used, true)
			d.lines = append(d.lines, lead+s)
			d.x, d.y, d.cursor = used+x, i, focus
			continue
		}
		d.lines = append(d.lines, lead+t.entryLine(l, e, width-used, on))
		if on {
			d.y = i
		}
	}
	return t.drawNew(l, width, focus, d)
}

func (t *List) entryLine(l *Look, e Entry, width int, on bool) string {
	ink, noteInk := l.Theme.Text, l.Theme.Faint
	if on {
		ink = l.Theme.Strong
	}
	if e.Stray {
		noteInk = l.Theme.Warn
	}
	note := theme.Cut(e.Note, width/2)
	room := width
	if note != "" {
		room -= theme.Width(note) + 2
	}
	address := theme.CutLeft(e.Address, room)
	if note == "" {
		return ink.Paint(address)
	}
	return ink.Paint(fill(address, room)) + "  " + noteInk.Paint(note)
}

func (t *List) drawNew(l *Look, width int, focus bool, d drawing) drawing {
	on := focus && t.at == len(t.entries) && t.edit < 0
	s, x := t.e.draw(l, width-entryLead, on)
	if len(t.e.b.glyphs) == 0 {
		s = l.Theme.Faint.Paint(theme.Cut(l.Say("add an address, or paste one a line"), width-entryLead))
	}
	lead := l.Theme.Faint.Paint("  " + fill("+", entryLead-2))
	if on {
		lead = l.Theme.Accent.Paint("▸ " + fill("+", entryLead-2))
		d.x, d.y, d.cursor = entryLead+x, len(t.entries), true
	}
	d.lines = append(d.lines, lead+s)
	return d
}
