package store

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"darkroom/api"
)

// rateStore is a store of n finished jobs, the newest with the highest number.
func rateStore(t *testing.T, n int) (*Store, []string) {
	t.Helper()
	s := open(t)
	ids := make([]string, n)
	for i := range n {
		in := Intent{ConfirmID: fmt.Sprint("c", i), Base: "b", Request: api.Request{Kind: api.KindImage, Model: "m", Prompt: "p"},
			Body: fmt.Append(nil, i), Title: fmt.Sprintf("picture %02d", n-i), Now: time.Now().Add(-time.Duration(n-i) * 24 * time.Hour),
			Estimate: api.Estimate{Credits: api.Credits(i) * api.Credit, Source: api.SourceService}}
		j := record(t, s, in)
		must(s.w.Exec(`UPDATE jobs SET phase='done', files=1, sent_at=created_at, ended_at=created_at+1000*? WHERE id=?`, i, j.ID))(t)
		ids[i] = j.ID
	}
	return s, ids
}

func listed(t *testing.T, s *Store, q Query) []string {
	t.Helper()
	p := must(s.List(t.Context(), q))(t)
	ids := make([]string, len(p.Rows))
	for i, r := range p.Rows {
		ids[i] = r.ID
	}
	if p.Total != len(ids) {
		t.Errorf("%+v: total %d for %d rows", q, p.Total, len(ids))
	}
	return ids
}

func TestRatingsAreUndoneNewestFirst(t *testing.T) {
	t.Parallel()
	s, ids := rateStore(t, 7)
	for i, id := range ids {
		if got := must(s.Rate(t.Context(), []Rated{{id, Rating{Pick: 1 - i%3, Stars: i}}}))(t); i != 1 && !slices.Equal(got, []string{id}) {
			t.Fatalf("rating %d changed %v", i, got)
		}
	}
	// Two at once are one step, and out of bounds is brought within.
	must(s.Rate(t.Context(), []Rated{{ids[0], Rating{Pick: -9}}, {ids[1], Rating{Stars: 99}}, {"nobody", Rating{Stars: 1}}}))(t)
	if j := must(s.Job(t.Context(), ids[1]))(t); j.Stars != MaxStars || j.Pick != 0 {
		t.Errorf("%+v", j.Rating)
	}
	if got := must(s.UndoRating(t.Context()))(t); !slices.Equal(got, []string{ids[0], ids[1]}) {
		t.Errorf("undone %v", got)
	}
	for i := 6; i >= 2; i-- {
		if got := must(s.UndoRating(t.Context()))(t); !slices.Equal(got, []string{ids[i]}) {
			t.Errorf("undo %d: %v", i, got)
		}
		if j := must(s.Job(t.Context(), ids[i]))(t); j.Rating != (Rating{}) {
			t.Errorf("%d is still %+v", i, j.Rating)
		}
	}
	if j := must(s.Job(t.Context(), ids[0]))(t); j.Rating != (Rating{Pick: 1}) {
		t.Errorf("the first is %+v", j.Rating)
	}
	must(s.UndoRating(t.Context()))(t)
	must(s.UndoRating(t.Context()))(t)
	if got := must(s.UndoRating(t.Context()))(t); got != nil {
		t.Errorf("undone %v with nothing rated", got)
	}
}

// A window that is killed closes nothing: what it rated is there for the next
// one, and can be undone there.
func TestRatingsOfAKilledWindowAreKept(t *testing.T) {
	t.Parallel()
	s, ids := rateStore(t, 6)
	for i, id := range ids {
		must(s.Rate(t.Context(), []Rated{{id, Rating{Stars: i % 5, Pick: 1}}}))(t)
	}
	next := openAt(t, s.path)
	for i, id := range ids {
		if j := must(next.Job(t.Context(), id))(t); j.Rating != (Rating{Stars: i % 5, Pick: 1}) {
			t.Errorf("%d: %+v", i, j.Rating)
		}
	}
	for i := 5; i > 0; i-- {
		if got := must(next.UndoRating(t.Context()))(t); !slices.Equal(got, ids[i:i+1]) {
			t.Errorf("undo %d: %v", i, got)
		}
	}
}

func TestFilterTermsAndSorts(t *testing.T) {
	t.Parallel()
	s, ids := rateStore(t, 6)
	must(s.Rate(t.Context(), []Rated{{ids[1], Rating{1, 4}}, {ids[2], Rating{0, 5}}, {ids[3], Rating{-1, 2}}}))(t)
	noError(t, s.Annotate(t.Context(), ids[4], "For the Cover"))
	at := func(n ...int) []string {
		var out []string
		for _, i := range n {
			out = append(out, ids[i])
		}
		return out
	}
	for filter, want := range map[string][]string{
		"":                            at(5, 4, 3, 2, 1, 0),
		"stars:>=4":                   at(2, 1),
		"stars:2":                     at(3),
		"is:picked":                   at(1),
		"is:rejected":                 at(3),
		"is:unrated":                  at(5, 4, 0),
		"is:done":                     at(5, 4, 3, 2, 1, 0),
		"is:failed":                   nil,
		"kind:video":                  nil,
		"credits:>3":                  at(5, 4),
		"credits:<=1":                 at(1, 0),
		"since:2d":                    at(5, 4),
		"model:M cover":               at(4),
		"is:noted":                    at(4),
		"stars:abc":                   nil,
		"is:picked stars:>=4 PICTURE": at(1),
	} {
		if got := listed(t, s, Query{Filter: filter}); !slices.Equal(got, want) {
			t.Errorf("%q gives %v, want %v", filter, got, want)
		}
	}
	for sort, want := range map[string][]string{
		"oldest": at(0, 1, 2, 3, 4, 5), "credits": at(5, 4, 3, 2, 1, 0), "title": at(5, 4, 3, 2, 1, 0),
		"stars": at(2, 1, 3, 5, 4, 0), "time": at(5, 4, 3, 2, 1, 0), "nothing": at(5, 4, 3, 2, 1, 0),
	} {
		if got := listed(t, s, Query{Sort: sort}); !slices.Equal(got, want) {
			t.Errorf("sorted by %q: %v, want %v", sort, got, want)
		}
	}
}

func TestHidingKeepsLedgerAndWhatIsOpen(t *testing.T) {
	t.Parallel()
	s, ids := rateStore(t, 5)
	for i, phase := range []api.Phase{api.PhaseUnknown, api.PhaseRunning, api.PhaseUnread} {
		must(s.w.Exec(`UPDATE jobs SET phase=? WHERE id=?`, phase, ids[i]))(t)
	}
	before := must(s.Spent(t.Context(), time.Time{}))(t)
	if moved := must(s.Hide(t.Context(), ids, true))(t); !slices.Equal(moved, ids[3:]) {
		t.Errorf("hidden: %v", moved)
	}
	if got := listed(t, s, Query{}); !slices.Equal(got, []string{ids[2], ids[1], ids[0]}) {
		t.Errorf("the list is %v", got)
	}
	if got := listed(t, s, Query{Filter: "is:hidden"}); len(got) != 2 {
		t.Errorf("hidden are %v", got)
	}
	if after := must(s.Spent(t.Context(), time.Time{}))(t); after != before {
		t.Errorf("the ledger is %+v, was %+v", after, before)
	}
	if moved := must(s.Hide(t.Context(), ids, false))(t); len(moved) != 2 {
		t.Errorf("shown again: %v", moved)
	}
	if got := listed(t, s, Query{}); len(got) != 5 {
		t.Errorf("the list is %v", got)
	}
}

func TestResultsAreUnseenUntilLookedAt(t *testing.T) {
	t.Parallel()
	s, ids := rateStore(t, 3)
	if p := must(s.List(t.Context(), Query{}))(t); p.Unseen != 3 {
		t.Fatalf("%d are unseen", p.Unseen)
	}
	if first := must(s.See(t.Context(), ids[:2]))(t); !first {
		t.Error("looking at them for the first time changed nothing")
	}
	if first := must(s.See(t.Context(), ids[:2]))(t); first {
		t.Error("looking at them again changed something")
	}
	if p := must(s.List(t.Context(), Query{}))(t); p.Unseen != 1 {
		t.Errorf("%d are unseen", p.Unseen)
	}
}

func TestLineageGoesBothWays(t *testing.T) {
	t.Parallel()
	s, ids := rateStore(t, 3)
	use := func(n int, address string) string {
		return record(t, s, Intent{ConfirmID: fmt.Sprint("use", n), Base: "b", Body: fmt.Append(nil, "use", n), Now: time.Now(),
			Request: api.Request{Kind: api.KindVideo, Model: api.Seedance2, Prompt: "p", ImageFiles: []string{address, address}}}).ID
	}
	save := func(id, address string) {
		must(s.w.Exec(`INSERT INTO files (seq, n, path, url, media_type, bytes, sha256)
			SELECT seq, 0, '/f', ?, 'image/png', 1, '' FROM jobs WHERE id=?`, address, id))(t)
	}
	save(ids[0], "https://a")
	save(ids[1], "https://other")
	child := use(1, "https://a")
	save(child, "https://b")
	grandchild := use(2, "https://b")
	for _, id := range []string{ids[0], child, grandchild} {
		list := must(s.Lineage(t.Context(), id))(t)
		if len(list) != 3 || list[0].ID != ids[0] || !slices.Equal(list[1].Sources, []string{ids[0]}) || !slices.Equal(list[2].Sources, []string{child}) {
			t.Errorf("of %s: %+v", id, list)
		}
		if j := must(s.Job(t.Context(), id))(t); !j.Related {
			t.Errorf("%s has relatives, and does not say so", id)
		}
		if !list[0].Charged || list[1].Charged {
			t.Error("what counts as spent is wrong")
		}
	}
	if list := must(s.Lineage(t.Context(), ids[1]))(t); len(list) != 1 {
		t.Errorf("a job alone has %d relatives", len(list))
	}
	for _, related := range []bool{false, true} {
		for _, id := range ids[1:] {
			if j := must(s.Job(t.Context(), id))(t); j.Related != related {
				t.Errorf("%s: related %v", id, j.Related)
			}
		}
		must(s.w.Exec(`UPDATE jobs SET parent=? WHERE id=?`, ids[1], ids[2]))(t)
	}
}

func TestAbsenceIsWhatEndedSinceTheLastLook(t *testing.T) {
	t.Parallel()
	s, ids := rateStore(t, 5)
	now := time.Now()
	if a := must(s.Attend(t.Context(), now))(t); a != (Absence{}) {
		t.Errorf("the first look tells %+v", a)
	}
	end := func(id string, phase api.Phase, at time.Time) {
		must(s.w.Exec(`UPDATE jobs SET phase=?, ended_at=? WHERE id=?`, phase, millis(at), id))(t)
	}
	end(ids[1], api.PhaseDone, now.Add(time.Second))
	end(ids[2], api.PhaseFailed, now.Add(time.Second))
	end(ids[3], api.PhaseDone, now.Add(-time.Second))
	end(ids[4], api.PhaseExpired, now.Add(time.Second))
	if a := must(s.Attend(t.Context(), now.Add(time.Minute)))(t); a != (Absence{Done: 1, Broken: 1, Expired: 1, Credits: 5 * api.Credit}) {
		t.Errorf("%+v", a)
	}
	if a := must(s.Attend(t.Context(), now.Add(time.Hour)))(t); a != (Absence{}) {
		t.Errorf("told twice: %+v", a)
	}
}

func TestUnknownTerms(t *testing.T) {
	t.Parallel()
	for filter, want := range map[string]string{
		"": "", "boat": "", "is": "", "a:b": "", "is:done KIND:Video model:x credits:>1 stars:4 since:7d is:held": "",
		"boat is:pickd kind:vidoe": "is:pickd", "KIND:": "kind:", "model:": "model:", "credits:much": "credits:much", "stars:x": "stars:x", "since:soon": "since:soon",
	} {
		if got := (Query{Filter: filter}).UnknownTerm(); got != want {
			t.Errorf("%q: %q, want %q", filter, got, want)
		}
	}
}
