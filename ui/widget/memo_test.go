package widget

import "testing"

func TestMemoDrawsOncePerKey(t *testing.T) {
	type key struct{ version, width int }
	var m Memo[key, int]
	draws := 0
	get := func(k key) int { return m.Get(k, func() int { draws++; return draws }) }
	for _, c := range []struct {
		key  key
		want int
	}{
		{key{}, 1}, {key{}, 1}, {key{1, 0}, 2}, {key{1, 0}, 2}, {key{1, 80}, 3}, {key{}, 4},
	} {
		if got := get(c.key); got != c.want {
			t.Errorf("%v: drawing %d, want %d", c.key, got, c.want)
		}
	}
}

func TestMemosRememberEachThing(t *testing.T) {
	var m Memos[string, int, int]
	draws := 0
	get := func(id string, key int) int { return m.Get(id, key, func() int { draws++; return draws }) }
	for _, c := range []struct {
		id        string
		key, want int
	}{{"a", 1, 1}, {"b", 1, 2}, {"a", 1, 1}, {"a", 2, 3}, {"b", 1, 2}} {
		if got := get(c.id, c.key); got != c.want {
			t.Errorf("%s %d: drawing %d, want %d", c.id, c.key, got, c.want)
		}
	}
	m.Keep([]string{"b", "c"})
	if m.Len() != 1 || get("b", 1) != 2 || get("a", 2) != 4 {
		t.Errorf("%d are kept, after %d drawings", m.Len(), draws)
	}
}
