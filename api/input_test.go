package api

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzCleanInput(f *testing.F) {
	for _, s := range []string{"a", "船\r\n", "\u202e", "\x1b[31m", "\ufeff", "\xff", "a\tb", "one\u2028two", "👨‍👩‍👧"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := CleanInput(s, true)
		bad := func(r rune) bool { return r != '\n' && (forbidden(r) || invisible(r)) }
		if !utf8.ValidString(got) || strings.ContainsFunc(got, bad) {
			t.Fatalf("CleanInput(%q) = %q", s, got)
		}
		if again := CleanInput(got, true); again != got {
			t.Fatalf("cleaned twice %q, once %q", again, got)
		}
		if one := CleanInput(s, false); strings.Contains(one, "\n") {
			t.Fatalf("one line has a line end: %q", one)
		}
	})
}

func TestCleanInputLeavesOutWhatCleanReplaces(t *testing.T) {
	for _, c := range []struct {
		in    string
		lines bool
		want  string
	}{
		{"one\r\ntwo\rthree\x1b[31m\u202efour\tfive\u2028six", true, "one\ntwo\nthree[31mfour five\nsix"},
		{"one\r\ntwo\n", false, "one two "},
		{"👨‍👩‍👧 e\u0301 \ufeff\u200bx\U000E0041", true, "👨‍👩‍👧 e\u0301 x"},
	} {
		if got := CleanInput(c.in, c.lines); got != c.want {
			t.Errorf("CleanInput(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}
