package history

import (
	"strings"
	"unicode"
)

// difference is a word of a text, with the blank behind it, and whether the
// other text lacks it there.
type difference struct {
	text string
	new  bool
}

// maxDiffWords bounds the work: longer texts are shown unmarked.
const maxDiffWords = 400

// diffWords gives the words of a text and which of them another text does not
// have, by their longest common subsequence. A text that has nothing in common
// with the other is unmarked: marking all of it says nothing.
func diffWords(before, after string) []difference {
	a, b := splitWords(before), splitWords(after)
	out := make([]difference, len(b))
	for i, w := range b {
		out[i].text = w
	}
	if len(a) == 0 || len(a) > maxDiffWords || len(b) > maxDiffWords {
		return out
	}
	same := make([][]int16, len(a)+1) // of the words from i and from j on
	for i := range same {
		same[i] = make([]int16, len(b)+1)
	}
	word := strings.TrimSpace
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if same[i][j] = max(same[i+1][j], same[i][j+1]); word(a[i]) == word(b[j]) {
				same[i][j] = same[i+1][j+1] + 1
			}
		}
	}
	if same[0][0] == 0 {
		return out
	}
	for i, j := 0, 0; j < len(b); {
		switch {
		case i < len(a) && word(a[i]) == word(b[j]):
			i, j = i+1, j+1
		case i < len(a) && same[i+1][j] >= same[i][j+1]:
			i++
		default:
			out[j].new = true
			j++
		}
	}
	return out
}

// splitWords takes a text apart: words with the blanks behind them, and each
// character of scripts without blanks by itself.
func splitWords(text string) []string {
	var out []string
	from := 0
	var last rune
	for i, r := range text {
		if i > from && (unicode.IsSpace(last) && !unicode.IsSpace(r) || unicode.Is(unicode.Han, r) || unicode.Is(unicode.Han, last) && !unicode.IsSpace(r)) {
			out = append(out, text[from:i])
			from = i
		}
		last = r
	}
	if from < len(text) {
		out = append(out, text[from:])
	}
	return out
}
