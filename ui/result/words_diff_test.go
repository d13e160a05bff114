package result

import (
	"strings"
	"testing"
)

// marked writes what is not common in brackets.
func marked(a, b string) string {
	words := wordsOf(a)
	var out strings.Builder
	for i, common := range inCommon(words, wordsOf(b)) {
		if common {
			out.WriteString(words[i])
		} else {
			out.WriteString("[" + words[i] + "]")
		}
	}
	return out.String()
}

func TestWordsThatDifferAreMarked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b, want string }{
		{"a red kite", "a blue kite", "a [red] kite"},
		{"a red kite", "a red kite", "a red kite"},
		{"one two three four", "two four", "[one][ ]two[ ][three] four"},
		{"纸船漂过水沟", "纸船过水沟", "纸船[漂]过水沟"},
		{"", "x", ""},
		{"x", "", "[x]"},
		{"boat, macro", "boat; macro", "boat[,] macro"},
	} {
		if got := marked(c.a, c.b); got != c.want {
			t.Errorf("%q against %q: %q, want %q", c.a, c.b, got, c.want)
		}
	}
}
