package form

import (
	"slices"
	"strings"

	"darkroom/api"
)

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
	if a >= 0 && t.count(a) < t.Kinds[a].Max {
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
	for i := len(t.entries) - 1; i >= 0; i-- {
		if t.entries[i].Kind == kind {
			t.alter(func() { t.entries[i].Address = address })
			return
		}
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

// commit takes what stands in the editor over.
func (t *List) commit() {
	text := strings.TrimSpace(t.line.Text())
	t.line.Set("")
	i := t.edit
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

// shift exchanges the entry at the cursor with the one beside it, when they are
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

// alter makes a change of the entries, together with what follows from it, one
// step that can be undone.
func (t *List) alter(do func()) {
	old, before := slices.Clone(t.entries), t.places()
	t.history.asOne(func() {
		do()
		now := slices.Clone(t.entries)
		t.history.add(t, func() { t.entries = slices.Clone(old) }, func() { t.entries = slices.Clone(now) })
		if t.Renumbered == nil {
			return
		}
		if moved := relocated(old, before, t.places()); len(moved) > 0 {
			t.Renumbered(moved)
		}
	})
	t.Edited()
}

// relocated are the entries that have other places than before.
func relocated(entries []Entry, before, after map[int]Place) []Moved {
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
