package widget

import (
	"maps"
	"slices"
)

// Memo remembers what was drawn for a key, which states everything that the
// drawing depends on. The zero Memo remembers nothing.
type Memo[K comparable, V any] struct {
	key   K
	value V
	known bool
}

// Get returns what draw made for this key, again if the last key was another.
func (m *Memo[K, V]) Get(key K, draw func() V) V {
	if !m.known || m.key != key {
		m.value, m.key, m.known = draw(), key, true
	}
	return m.value
}

// Memos is a Memo for each of many things.
type Memos[ID, K comparable, V any] struct{ of map[ID]*Memo[K, V] }

func (m *Memos[ID, K, V]) Get(id ID, key K, draw func() V) V {
	if m.of == nil {
		m.of = map[ID]*Memo[K, V]{}
	}
	if m.of[id] == nil {
		m.of[id] = new(Memo[K, V])
	}
	return m.of[id].Get(key, draw)
}

func (m *Memos[ID, K, V]) Len() int { return len(m.of) }

// Keep forgets all things but those named.
func (m *Memos[ID, K, V]) Keep(ids []ID) {
	maps.DeleteFunc(m.of, func(id ID, _ *Memo[K, V]) bool { return !slices.Contains(ids, id) })
}

type MemoLines[K comparable, V any] struct {
	keys   []K
	values []V
}

// Get returns what draw made of each of n lines' keys; the same key is drawn once.
func (m *MemoLines[K, V]) Get(n int, key func(i int) K, draw func(K) V) []V {
	values := make([]V, n)
	m.keys = m.keys[:min(n, len(m.keys))]
	for i := range values {
		switch k := key(i); {
		case i == len(m.keys):
			m.keys, values[i] = append(m.keys, k), draw(k)
		case m.keys[i] != k:
			m.keys[i], values[i] = k, draw(k)
		default:
			values[i] = m.values[i]
		}
	}
	m.values = values
	return values
}
