package api

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in    string
		limit int
		line  string
		lines string
	}{
		{"plain", 10, "plain", "plain"},
		{"plain", 5, "plain", "plain"},
		{"plain", 4, "pla…", "pla…"},
		{"plain", 1, "…", "…"},
		{"plain", 0, "", ""},
		{"船在雨里", 3, "船在…", "船在…"},
		{"a\r\nb\tc\rd\n", 20, "a b c�d ", "a\nb c�d\n"},
		{"\x1b]0;x\x07", 20, "�]0;x�", "�]0;x�"},
		{"\u009b31m\x7f\x00", 20, "�31m��", "�31m��"},
		{"a\u202eb\u2066c\u200fd\u061ce", 20, "a�b�c�d�e", "a�b�c�d�e"},
		{"a\u2028b\u2029c", 20, "a�b�c", "a�b�c"},
		{"\U000E0041\U000E007F", 20, "��", "��"},
		{"\xffa\xc3", 20, "�a�", "�a�"},
		{"e" + strings.Repeat("\u0301", 4), 20, "e" + strings.Repeat("\u0301", 4), "e" + strings.Repeat("\u0301", 4)},
		{"e" + strings.Repeat("\u0301", 900) + "x", 20, "e" + strings.Repeat("\u0301", 4) + "�x", "e" + strings.Repeat("\u0301", 4) + "�x"},
		{"👨\u200d👩\u200d👧", 20, "👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"},
	} {
		if got := Clean(c.in, c.limit).String(); got != c.line {
			t.Errorf("Clean(%q, %d) = %q, want %q", c.in, c.limit, got, c.line)
		}
		if got := CleanLines(c.in, c.limit).String(); got != c.lines {
			t.Errorf("CleanLines(%q, %d) = %q, want %q", c.in, c.limit, got, c.lines)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\r\n\u202e\u0301\u0301\u0301\u0301\u0301\U000E0001\xff", 7)
	f.Add("\r\r\n\n", 3)
	f.Add("船"+strings.Repeat("\u200b", 9), 5)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		for name, clean := range map[string]func(string, int) Text{"Clean": Clean, "CleanLines": CleanLines} {
			got := clean(s, limit).String()
			if again := clean(got, limit).String(); again != got {
				t.Errorf("%s: %q becomes %q", name, got, again)
			}
			if n := utf8.RuneCountInString(got); !utf8.ValidString(got) || n > max(limit, 0) {
				t.Errorf("%s: %q has %d runes of %d", name, got, n, limit)
			}
			zero := 0
			for _, r := range got {
				if forbidden(r) && (r != '\n' || name == "Clean") {
					t.Errorf("%s: %q holds %U", name, got, r)
				}
				if zero++; !zeroWidth(r) {
					zero = 0
				}
				if zero > maxZeroWidth {
					t.Errorf("%s: %q piles up marks", name, got)
				}
			}
		}
	})
}
