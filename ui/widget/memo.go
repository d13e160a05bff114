package widget

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/env"
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

// Memos remembers what was drawn for each of many keys.
type Memos[K comparable, V any] struct{ of map[K]V }

// Get returns what draw made for this key. Where most are remembered, it forgets them first.
func (m *Memos[K, V]) Get(key K, most int, draw func() V) V {
	value, known := m.of[key]
	if !known {
		if m.of == nil || len(m.of) >= most {
			m.of = make(map[K]V, most)
		}
		value = draw()
		m.of[key] = value
	}
	return value
}

// MemoLines is a Memo for each of many lines.
type MemoLines[K comparable, V any] struct{ lines []Memo[K, V] }

// Get returns what draw made of each of n lines' keys; the same key is drawn once.
func (m *MemoLines[K, V]) Get(n int, key func(i int) K, draw func(K) V) []V {
	m.lines = append(m.lines, make([]Memo[K, V], max(n-len(m.lines), 0))...)[:n]
	values := make([]V, n)
	for i := range values {
		k := key(i)
		values[i] = m.lines[i].Get(k, func() V { return draw(k) })
	}
	return values
}

// Latest orders the questions about data that changes by itself: a change while
// one is under way is asked about when that one is answered, so that answers are
// shown however fast the data changes, and one read of the same thing runs.
type Latest struct {
	seq      int
	underway bool
	again    bool
	wait     time.Duration // before what could not be read is asked for again, from a second on
}

// Ask begins a question, and returns the number that its answer has to bear.
func (l *Latest) Ask() int {
	l.seq++
	l.underway, l.again = true, false
	return l.seq
}

// Changed reports whether to ask now; if not, Again will.
func (l *Latest) Changed() bool {
	l.again = l.underway
	return !l.underway
}

// Answered reports whether an answer is the last question's.
func (l *Latest) Answered(seq int, err error) bool {
	if seq != l.seq {
		return false
	}
	l.underway, l.wait = false, min(max(2*l.wait, time.Second), 32*time.Second)
	if err == nil {
		l.wait = 0
	}
	l.again = l.again || err != nil
	return true
}

// Again asks again if the data has changed since it was asked for, or could not be read.
func (l *Latest) Again(ctx context.Context, ask func() tea.Cmd) tea.Cmd {
	if l.underway || !l.again {
		return nil
	}
	wait, again := l.wait, ask()
	return func() tea.Msg {
		env.Pause(ctx, wait)
		return again()
	}
}
