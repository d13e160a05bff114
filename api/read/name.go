package read

import (
	"slices"
	"strings"
	"unicode"
)

// fold makes task_id, taskId and Task-ID equal: lower case, letters and digits
// only.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// maxWord is how long a text may be that is one of a few known words, with all
// that folding takes off it.
const maxWord = 200

// foldWord is fold for values: a long text is no word, and is not folded.
func foldWord(s string) string {
	if len(s) > maxWord {
		return ""
	}
	return fold(s)
}

// terms is a set of terms that folded names are compared with.
type terms struct {
	whole                  map[string]bool
	prefix, suffix, within []string
}

// newTerms reads a table of terms: ^word$ is the whole name, ^word its beginning,
// word$ its end, and word a part of it.
func newTerms(table []string) *terms {
	t := &terms{whole: map[string]bool{}}
	for _, term := range table {
		word, first := strings.CutPrefix(term, "^")
		word, last := strings.CutSuffix(word, "$")
		switch {
		case first && last:
			t.whole[word] = true
		case first:
			t.prefix = append(t.prefix, word)
		case last:
			t.suffix = append(t.suffix, word)
		default:
			t.within = append(t.within, word)
		}
	}
	return t
}

// match reports whether one of the terms fits the name.
func (t *terms) match(name string) bool {
	return t.whole[name] ||
		slices.ContainsFunc(t.prefix, func(w string) bool { return strings.HasPrefix(name, w) }) ||
		slices.ContainsFunc(t.suffix, func(w string) bool { return strings.HasSuffix(name, w) }) ||
		slices.ContainsFunc(t.within, func(w string) bool { return strings.Contains(name, w) })
}

// nameSet is a table as a set of whole names.
type nameSet map[string]bool

func newSet(table []string) nameSet {
	set := nameSet{}
	for _, w := range table {
		set[w] = true
	}
	return set
}
