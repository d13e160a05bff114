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

// MemoLines is a Memo for each of many lines.
type MemoLines[K comparable, V any] struct {
	keys   []K
	values []V
}

// Get returns what draw made of the key of each of n lines. Lines whose keys stay
// are not drawn again.
func (m *MemoLines[K, V]) Get(n int, key func(i int) K, draw func(K) V) []V {
	keys, values := make([]K, n), make([]V, n)
	for i := range n {
		if keys[i] = key(i); i < len(m.keys) && m.keys[i] == keys[i] {
			values[i] = m.values[i]
		} else {
			values[i] = draw(keys[i])
		}
	}
	m.keys, m.values = keys, values
	return values
}
