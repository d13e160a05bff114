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
