package theme

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestSteadyFramesTakeTheSameCellsHoweverTheyAreCounted(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		"│ 👩‍👩‍👧‍👦 family portrait │", "│ ⚠️ care ❤️ │", "│ 👍🏽 ok │", "│ 1️⃣ first │", "🏳️‍🌈", "\x1b[1m👩‍🚀\x1b[m 纸船", "plain\n👩‍🚀 x\nplain",
	} {
		out := Steady(in)
		for line := range strings.Lines(out) {
			if clusters, points := ansi.StringWidth(line), ansi.StringWidthWc(line); clusters != points {
				t.Errorf("%q: %d cells by signs, %d by code points", line, clusters, points)
			}
		}
		if ansi.StringWidth(in) != ansi.StringWidth(out) {
			t.Errorf("%q became %q, of another width", in, out)
		}
	}
	for _, in := range []string{"", "plain", "纸船 🚋 【@图片1】", "\x1b[38;2;1;2;3m│\x1b[m"} {
		if out := Steady(in); out != in {
			t.Errorf("%q became %q", in, out)
		}
	}
}
