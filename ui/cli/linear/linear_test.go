package linear

import (
	"slices"
	"testing"
)

func TestSplitWords(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		``:                                nil,
		`jobs`:                            {"jobs"},
		"  job \t ab  ":                   {"job", "ab"},
		`image --size "2 K"`:              {"image", "--size", "2 K"},
		`job 'a "b" \c' ""`:               {"job", `a "b" \c`, ""},
		`a\ b "c\"d" 纸船`:                  {"a b", `c"d`, "纸船"},
		`--image-files=https://a.b/c"d"e`: {"--image-files=https://a.b/cde"},
	} {
		if got, err := splitWords(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v, want %q", line, got, err, want)
		}
	}
	for _, line := range []string{`"`, `a 'b`, `a\`} {
		if got, err := splitWords(line); err == nil {
			t.Errorf("%q: %q", line, got)
		}
	}
}
