package widget

import (
	"fmt"
	"strings"
	"testing"
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
}
