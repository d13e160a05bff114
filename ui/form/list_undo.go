package form

import "slices"

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

func (t *List) track(h *history) *history {
	if h != nil {
		t.history = h
	}
	return t.history
}

func (t *List) restored() {
	t.at, t.edit = min(t.at, len(t.entries)), -1
	if t.at < len(t.entries) && !t.Shown(t.entries[t.at].Kind) {
		t.at = len(t.entries)
	}
}
