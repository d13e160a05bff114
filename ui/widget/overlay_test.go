package widget

import (
	"slices"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestOverlayKeepsTheColumns(t *testing.T) {
	got := Overlay([]string{"abcdefgh", "雪雪雪雪", "", "\x1b[31mabcdefgh\x1b[m", "same"}, []string{"[--]", "[--]", "[--]", "[--]"}, 3, 0)
	plain := make([]string, len(got))
	for i, line := range got {
		plain[i] = ansi.Strip(line)
	}
	want := []string{"abc[--]h", "雪 [--] ", "   [--]", "abc[--]h", "same"}
	if !slices.Equal(plain, want) {
		t.Errorf("%q, want %q", plain, want)
	}
	if out := Overlay([]string{"ab"}, []string{"x", "y"}, 0, -1); out[0] != "yb" {
		t.Errorf("a box that begins above the body gives %q", out[0])
	}
}
