package widget

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestWrapKeepsWordsClustersAndPunctuationWhole(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"a paper boat drifts", 10, []string{"a paper", "boat", "drifts"}},
		{"纸船顺流而下，很远。", 12, []string{"纸船顺流而", "下，很远。"}},
		{"（纸船）顺流", 7, []string{"（纸", "船）顺", "流"}},
		{"boat纸船", 6, []string{"boat纸", "船"}},
		{"abcdefghij", 4, []string{"abcd", "efgh", "ij"}},
		{"a wide-angle lens", 10, []string{"a", "wide-angle", "lens"}},
		{"use damaged-20260301", 9, []string{"use", "damaged-", "20260301"}},
		{"use --new-store", 11, []string{"use", "--new-store"}},
		{"one\r\n\ntwo", 8, []string{"one", "", "two"}},
		{"👨‍👩‍👧👨‍👩‍👧", 3, []string{"👨‍👩‍👧", "👨‍👩‍👧"}},
		{"雪", 1, []string{"雪", ""}},
	} {
		if got := Wrap(c.text, c.width); !slices.Equal(got, c.want) {
			t.Errorf("Wrap(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
	for _, line := range Wrap(strings.Repeat("纸船 drifts，（下）。", 30), 17) {
		if n := ansi.StringWidth(line); n > 17 {
			t.Errorf("%d cells in %q", n, line)
		}
	}
}
