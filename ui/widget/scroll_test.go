package widget

import (
	"fmt"
	"strings"
	"testing"

	"darkroom/ui/action"
)

func TestScrollStaysWithinItsText(t *testing.T) {
	var lines []string
	for i := range 10 {
		lines = append(lines, fmt.Sprintf("line %d 雪", i))
	}
	var s Scroll
	if s.Lines() != nil || s.Below() != 0 || s.By(3) {
		t.Error("an empty text has lines")
	}
	s.SetSize(12, 4)
	s.SetLines(lines)
	shown := func() string { return strings.TrimSpace(strings.Split(strings.Join(s.Lines(), "|"), "|")[0]) }
	for _, c := range []struct {
		by     int
		moved  bool
		first  string
		below  int
		height int
	}{
		{0, false, "line 0 雪", 6, 4}, {2, true, "line 2 雪", 4, 4}, {100, true, "line 6 雪", 0, 4}, {1, false, "line 6 雪", 0, 4},
		{-100, true, "line 0 雪", 6, 4}, {-1, false, "line 0 雪", 6, 4}, {5, true, "line 5 雪", 1, 4},
	} {
		if moved := s.By(c.by); moved != c.moved || shown() != c.first || s.Below() != c.below || len(s.Lines()) != c.height {
			t.Errorf("by %d: moved %t, first %q, %d below, %d lines; want %+v", c.by, moved, shown(), s.Below(), len(s.Lines()), c)
		}
	}
	s.SetLines(lines[:5])
	if s.Offset() != 1 || s.Below() != 0 {
		t.Errorf("a shorter text: %d above, %d below", s.Offset(), s.Below())
	}
	s.SetSize(12, 5)
	if s.Offset() != 0 {
		t.Errorf("a higher window: %d above", s.Offset())
	}
	if s.SetSize(12, 9); len(s.Lines()) != 5 {
		t.Errorf("a window higher than the text: %d lines", len(s.Lines()))
	}
}

func TestScrollActionsMoveTheWindow(t *testing.T) {
	t.Parallel()
	var s Scroll
	s.SetSize(10, 4)
	s.SetLines(make([]string, 20))
	for i, c := range []struct {
		key string
		top int
	}{{"j", 1}, {"down", 2}, {"pgdown", 5}, {"k", 4}, {"up", 3}, {"pgup", 0}, {"G", 16}, {"home", 0}, {"end", 16}, {"g", 0}, {"space", 3}} {
		action.Find(s.Actions(), c.key).Handler()
		if s.Offset() != c.top {
			t.Errorf("%d: after %s %d lines are above, want %d", i, c.key, s.Offset(), c.top)
		}
	}
	if s.SetLines(make([]string, 3)); s.Actions()[0].Offered() {
		t.Error("a text that fits is said to scroll")
	}
}
