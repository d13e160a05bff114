package widget

// Memo remembers what was drawn for a key. The key states everything that the
// drawing depends on: the version of the data, the size, the focus, the theme.
// The zero Memo remembers nothing.
type Memo[K comparable, V any] struct {
	key   K
	value V
	known bool
}

// Get returns what draw made for this key: the remembered value, or a new one
// when the key is another than the last.
func (m *Memo[K, V]) Get(key K, draw func() V) V {
	if !m.known || m.key != key {
		m.value, m.key, m.known = draw(), key, true
	}
	return m.value
}

// Memos is a Memo for each of many things, such as the rows of a list.
type Memos[ID, K comparable, V any] struct {
	of map[ID]*Memo[K, V]
}

// Get returns what draw made for this key of the thing with the id.
func (m *Memos[ID, K, V]) Get(id ID, key K, draw func() V) V {
	one := m.of[id]
	if one == nil {
		if m.of == nil {
			m.of = map[ID]*Memo[K, V]{}
		}
		one = &Memo[K, V]{}
		m.of[id] = one
	}
	return one.Get(key, draw)
}

// Len is the number of things remembered.
func (m *Memos[ID, K, V]) Len() int { return len(m.of) }

// Keep forgets all things but those named.
func (m *Memos[ID, K, V]) Keep(ids []ID) {
	kept := make(map[ID]*Memo[K, V], len(ids))
	for _, id := range ids {
		if one, ok := m.of[id]; ok {
			kept[id] = one
		}
	}
	m.of = kept
}

// MemoLines is a Memo for each of many lines, which knows whether any of them
// changed.
type MemoLines[K comparable, V any] struct {
	keys    []K
	values  []V
	version int
}

// Get returns what draw made of the key of each of n lines, and a number that
// grows with every change of one. Lines whose keys stay are not drawn again. The
// values are not written to later.
func (m *MemoLines[K, V]) Get(n int, key func(i int) K, draw func(K) V) ([]V, int) {
	fresh := m.values
	if len(m.keys) != n {
		m.keys, fresh = make([]K, n), make([]V, n)
		for i := range n {
			m.keys[i] = key(i)
			fresh[i] = draw(m.keys[i])
		}
		m.values, m.version = fresh, m.version+1
		return m.values, m.version
	}
	changed := false
	for i := range n {
		k := key(i)
		if k == m.keys[i] {
			continue
		}
		if !changed {
			fresh, changed = append(make([]V, 0, n), m.values...), true
		}
		m.keys[i], fresh[i] = k, draw(k)
	}
	if changed {
		m.values, m.version = fresh, m.version+1
	}
	return m.values, m.version
}

// Latest orders the questions about data that changes by itself. A change while
// one is under way is asked about when that one is answered: so answers are
// shown also when the data changes faster than they come, and never more than
// one read of the same thing runs. A question with other terms (a filter, a
// place in the list) takes the place of the one before.
type Latest struct {
	seq      int
	underway bool
	again    bool
}

// Ask numbers a new question. Answers to those before are dropped.
func (l *Latest) Ask() int {
	l.seq++
	l.underway, l.again = true, false
	return l.seq
}

// Changed reports whether to ask now; if not, Answered will report it.
func (l *Latest) Changed() bool {
	l.again = l.underway
	return !l.underway
}

// Answered reports whether an answer is that to the last question, and whether
// the data has changed since that was asked.
func (l *Latest) Answered(seq int) (last, again bool) {
	if seq != l.seq {
		return false, false
	}
	l.underway = false
	return true, l.again
}
