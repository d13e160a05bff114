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
