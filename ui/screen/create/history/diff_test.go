package history

import (
	"strings"
	"testing"
)

func TestDiffMarksTheWordsThatTheOtherTextLacks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, after, want string }{
		{"a paper boat at dawn", "a red paper boat at dusk", "a [red ]paper boat at [dusk]"},
		{"same", "same", "same"},
		{"", "all new", "all new"},
		{"one two", "three four", "three four"},
		{"纸船漂流", "纸船快速漂流", "纸船[快][速]漂流"},
		{"a boat\nat dawn", "a boat at dawn", "a boat at dawn"},
		{strings.Repeat("a ", 1000), "a b", "a b"},
	} {
		var b strings.Builder
		for _, d := range diffWords(c.before, c.after) {
			if d.new {
				b.WriteString("[" + d.text + "]")
			} else {
				b.WriteString(d.text)
			}
		}
		if b.String() != c.want {
			t.Errorf("%.20q to %q gives %q, want %q", c.before, c.after, b.String(), c.want)
		}
	}
}
