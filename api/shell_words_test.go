package api

import (
	"slices"
	"testing"
)

func TestShellWords(t *testing.T) {
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
		if got, whole := ShellWords(line); !whole || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %t, want %q", line, got, whole, want)
		}
	}
	for _, line := range []string{`"`, `a 'b`, `a\`} {
		if got, whole := ShellWords(line); whole {
			t.Errorf("%q: %q", line, got)
		}
	}
}
