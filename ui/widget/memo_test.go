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
