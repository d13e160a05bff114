package read

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// folds is in how many parts the services are divided.
const folds = 4

// specWords are the spec's own, which no fold takes away.
var specWords = newSet(strings.Fields(`job status result error id pending processing completed failed model models message jobid`))

// wordsOf gathers the folded keys and status words of one service.
func wordsOf(t testing.TB, d dialect) map[string]bool {
	set := map[string]bool{}
	var walk func(n *node)
	walk = func(n *node) {
		set[n.name] = true
		if inner, ok := parseWithin(n); ok {
			walk(inner)
		}
		for c := range n.children {
			walk(c)
		}
	}
	bodies := []json.RawMessage{d.Create, d.Pending, d.Running, d.Image, d.Video, d.Failed, d.Models, d.Estimate}
	for _, e := range d.Errors {
		bodies = append(bodies, e.Body)
	}
	for _, raw := range bodies {
		if !present(raw) {
			continue
		}
		root, err := parseTree(raw)
		if err != nil {
			t.Fatal(err)
		}
		walk(root)
		for _, s := range recorded(t, raw, d.Paths["status"]) {
			set[foldWord(s)] = true
		}
	}
	for _, list := range d.StatusSet {
		for _, s := range list {
			set[foldWord(s)] = true
		}
	}
	return set
}

// without is the vocabulary less the status words and keys that drop picks.
func without(drop func(word string) bool) *vocabulary {
	tables := parseTables(vocabularyText)
	for name, table := range tables {
		if strings.HasPrefix(name, "keys.") || strings.HasPrefix(name, "status.") {
			tables[name] = slices.DeleteFunc(table, func(w string) bool { return !specWords[w] && drop(w) })
		}
	}
	return newVocabulary(tables)
}

// TestFolds measures the reader on services whose words it has not been given:
// each quarter is read with a vocabulary that lacks every word that only that
// quarter uses. The rules by shape stay, and were written with all services in
// view, so the figures are upper bounds.
func TestFolds(t *testing.T) {
	t.Parallel()
	all := dialects(t)
	uses := make([]map[string]bool, len(all))
	for i, d := range all {
		uses[i] = wordsOf(t, d)
	}
	sum := map[string]*tally{}
	for _, c := range concepts {
		sum[c] = &tally{concept: c}
	}
	for fold := range folds {
		l, left := withoutFold(all, uses, fold)
		for name, c := range score(t, l, left) {
			sum[name].right += c.right
			sum[name].all += c.all
			sum[name].misses = append(sum[name].misses, c.misses...)
		}
	}
	right, total := 0, 0
	for _, c := range concepts {
		s := sum[c]
		t.Logf("a quarter left out: %s read right %d of %d (%.1f %%)", c, s.right, s.all, s.percent())
		for _, m := range s.misses {
			t.Logf("  missed %.200s", m)
		}
		right, total = right+s.right, total+s.all
	}
	percent := 100 * float64(right) / float64(total)
	t.Logf("a quarter left out: all concepts read right %d of %d (%.1f %%)", right, total, percent)
	if percent < 95 {
		t.Errorf("%.1f %% is under 95 %%", percent)
	}
}

// withoutFold gives the vocabulary that the other services leave, and the
// services of the fold.
func withoutFold(all []dialect, uses []map[string]bool, fold int) (*vocabulary, []dialect) {
	var left []dialect
	kept, gone := map[string]bool{}, map[string]bool{}
	for i, d := range all {
		set := kept
		if i%folds == fold {
			left, set = append(left, d), gone
		}
		for w := range uses[i] {
			set[w] = true
		}
	}
	return without(func(w string) bool { return gone[w] && !kept[w] }), left
}
