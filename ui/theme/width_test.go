package theme

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func FuzzWidth(f *testing.F) {
	for _, s := range []string{"", "plain", "\x1b[1;38;2;1;2;3mred\x1b[m 清晨", "e\u0301 \x1b[4:3mwavy", "\x1b]8;;http://x\x07link", "1\ufe0f\u20e3", "a\x1b", "\x1b[2Jm", "\x9b1m", "\xe6\x1b[m", "\x1b[1 qx"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := Width(s), ansi.StringWidth(s); got != want {
			t.Errorf("%q: %d cells, want %d", s, got, want)
		}
	})
}
