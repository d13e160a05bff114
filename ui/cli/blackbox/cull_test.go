//go:build linux

package blackbox

import (
	"fmt"
	"strings"
	"testing"

	"darkroom/api/sim/simtest"
)

// TestCullingOutlivesAKill rates results in the gallery by one key each, undoes the
// last five by keys, and kills the program: what was rated before stays. There are
// 100 in the long form.
func TestCullingOutlivesAKill(t *testing.T) {
	t.Parallel()
	results := times(15, 100)
	service := startService(t, simtest.Options{LongSide: 16})
	h := newHome(t, service.URL())
	h.configure("variations_limit = 1000")
	var words []string
	for n := range results {
		words = append(words, fmt.Sprintf("boat%03d", n))
	}
	h.run("image", "{"+strings.Join(words, "|")+"}", "--expand", "--yes", "--quiet").wantCode(t, 0)

	keys := []string{"f", "x", "5", "3", "1"}
	columns := []string{"1 0", "-1 0", "0 5", "0 3", "0 1"}
	db := openStore(t, h.storePath())
	defer db.Close()
	rated := func() (all []string) {
		rows, err := db.Query(`SELECT pick || ' ' || stars FROM jobs WHERE pick <> 0 OR stars <> 0 ORDER BY seq DESC`)
		must(t, err)
		defer rows.Close()
		for rows.Next() {
			var one string
			must(t, rows.Scan(&one))
			all = append(all, one)
		}
		return all
	}
	s := h.open(120, 40)
	s.waitFor("Prompt")
	s.keys("<alt+2>")
	s.waitFor(words[results-1]) // the newest one
	s.keys("g")
	s.waitFor("Gallery")
	s.keys("") // the screen changed by itself
	for n := range results {
		s.write(keys[n%len(keys)])
	}
	s.waitUntil("all are rated", func(string) bool { return len(rated()) == results })
	s.write(strings.Repeat("U", 5))
	s.waitUntil("five are undone", func(string) bool { return len(rated()) == results-5 })
	s.kill()
	picked := document[struct{ Jobs []job }](t, h.run("jobs", "--filter", "is:picked", "--json").wantCode(t, 0)).Jobs
	if want := results/len(keys) - 1; len(picked) != want {
		t.Errorf("%d favourites, want %d", len(picked), want)
	}
	for n, got := range rated() {
		if want := columns[n%len(columns)]; got != want {
			t.Errorf("result %d has %q, want %q", n, got, want)
		}
	}
	t.Logf("%d results by %d keys, 5 undone, %d kept", results, results, len(rated()))
}
