package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"modernc.org/sqlite"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// rateStore begins a test next to others: by a store of n finished jobs, the newest with
// the highest number.
func rateStore(t *testing.T, n int) (*Store, []string) {
	t.Helper()
	t.Parallel()
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
	ids := api.Map(p.Rows, func(r Row) string { return r.ID })
	expect.Equal(t, p.Total, len(ids), q, "total")
	return ids
}

func TestRatingsAreUndoneNewestFirst(t *testing.T) {
	s, ids := rateStore(t, 7)
	for i, id := range ids {
		got := must(s.Rate(t.Context(), []Rated{{id, Rating{Pick: 1 - i%3, Stars: i}}}))(t)
		expect.Must(t, i == 1 || slices.Equal(got, []string{id}), "rating", i, "changed", got)
	}
	// Two at once are one step, and out of bounds is brought within.
	got := must(s.Rate(t.Context(), []Rated{{ids[0], Rating{Pick: -9}}, {ids[1], Rating{Stars: 99}}, {"nobody", Rating{Stars: 1}}}))(t)
	j := must(s.Job(t.Context(), ids[1]))(t)
	expect.That(t, j.Stars == 5 && j.Pick == 0 && slices.Equal(got, ids[:2]), j.Rating, "of", got)
	s = openAt(t, s.path) // a window that is killed closes nothing: another one can undo
	expect.List(t, must(s.UndoRating(t.Context()))(t), []string{ids[0], ids[1]}, "undone")
	for i := 6; i >= 2; i-- {
		expect.List(t, must(s.UndoRating(t.Context()))(t), []string{ids[i]}, "undo", i)
		expect.Equal(t, must(s.Job(t.Context(), ids[i]))(t).Rating, Rating{}, i, "still")
	}
	expect.Equal(t, must(s.Job(t.Context(), ids[0]))(t).Rating, Rating{Pick: 1}, "the first")
	must(s.UndoRating(t.Context()))(t)
	must(s.UndoRating(t.Context()))(t)
	expect.That(t, must(s.UndoRating(t.Context()))(t) == nil, "something is undone with nothing rated")
}

func TestFilterTermsAndSorts(t *testing.T) {
	s, ids := rateStore(t, 6)
	must(s.Rate(t.Context(), []Rated{{ids[1], Rating{1, 4}}, {ids[2], Rating{0, 5}}, {ids[3], Rating{-1, 2}}}))(t)
	noError(t, s.Annotate(t.Context(), ids[4], "For the Cover, Über"))
	at := func(n ...int) []string { return api.Map(n, func(i int) string { return ids[i] }) }
	for filter, want := range map[string][]string{
		"": at(5, 4, 3, 2, 1, 0), "stars:>=4": at(2, 1), "stars:2": at(3), "stars:abc": nil,
		"is:picked": at(1), "is:rejected": at(3), "is:disliked": at(3), "is:refused": nil, "is:unrated": at(5, 4, 0), "is:done": at(5, 4, 3, 2, 1, 0), "is:failed": nil, "is:noted": at(4),
		"kind:video": nil, "credits:>3": at(5, 4), "credits:<=1": at(1, 0), "since:2d": at(5, 4), "since:1w": at(5, 4, 3, 2, 1, 0), "since:yesterday": at(5), "since:today": nil, "since:2000-01": at(5, 4, 3, 2, 1, 0), "since:2999-01-01": nil,
		"model:M cover": at(4), "Über": at(4), "über": at(4),
		"is:picked stars:>=4 PICTURE": at(1),
	} {
		expect.List(t, listed(t, s, Query{Filter: filter}), want, filter)
	}
	for sort, want := range map[string][]string{
		"oldest": at(0, 1, 2, 3, 4, 5), "credits": at(5, 4, 3, 2, 1, 0), "title": at(5, 4, 3, 2, 1, 0),
		"stars": at(2, 1, 3, 5, 4, 0), "time": at(5, 4, 3, 2, 1, 0), "nothing": at(5, 4, 3, 2, 1, 0),
	} {
		expect.List(t, listed(t, s, Query{Sort: sort}), want, "sorted by", sort)
	}
	must(s.w.Exec(`UPDATE jobs SET files=0 WHERE id=?`, ids[2]))(t)
	expect.List(t, listed(t, s, Query{Results: true, Filter: "stars:>=2"}), at(3, 1), "with results there")
}

func TestHidingKeepsLedgerAndWhatIsOpen(t *testing.T) {
	s, ids := rateStore(t, 5)
	for i, phase := range []api.Phase{api.PhaseUnknown, api.PhaseRunning, api.PhaseUnread} {
		must(s.w.Exec(`UPDATE jobs SET phase=? WHERE id=?`, phase, ids[i]))(t)
	}
	before := must(s.Spent(t.Context(), time.Time{}))(t)
	moved := must(s.Hide(t.Context(), ids, true))(t)
	got := listed(t, s, Query{})
	expect.That(t, slices.Equal(moved, ids[3:]) && slices.Equal(got, []string{ids[2], ids[1], ids[0]}), "hidden", moved, "the list is", got)
	expect.Len(t, listed(t, s, Query{Filter: "is:hidden"}), 2, "hidden")
	expect.Equal(t, must(s.List(t.Context(), Query{Filter: "is:hidden"}))(t).All, 5, "of all")
	expect.Equal(t, must(s.Spent(t.Context(), time.Time{}))(t), before, "the ledger")
	expect.Len(t, must(s.Hide(t.Context(), ids, false))(t), 2, "shown again")
	expect.Len(t, listed(t, s, Query{}), 5, "the list")
}

func TestResultsAreUnseenUntilLookedAt(t *testing.T) {
	s, ids := rateStore(t, 3)
	expect.Equal(t, must(s.List(t.Context(), Query{}))(t).Unseen, 3, "unseen")
	for _, first := range []bool{true, false} {
		changed, opened := must(s.See(t.Context(), ids[:2]))(t), must(s.MarkOpened(t.Context(), ids[0]))(t)
		expect.That(t, changed == first && opened == first, "looking at them, first", first, "changed something", changed, "opened", opened)
	}
	expect.Equal(t, must(s.List(t.Context(), Query{}))(t).Unseen, 1, "unseen")
	must(s.w.Exec(`CREATE TRIGGER refuses BEFORE UPDATE ON jobs BEGIN SELECT RAISE(FAIL, 'no room'); END`))(t)
	first, err := s.See(t.Context(), ids)
	expect.That(t, err != nil && !first, "a look that was not recorded is the first one, or no error")
}

func TestLineageGoesBothWays(t *testing.T) {
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
		expect.That(t, len(list) == 3 && list[0].ID == ids[0] && slices.Equal(list[1].Sources, []string{ids[0]}) &&
			slices.Equal(list[2].Sources, []string{child}), "of", id, list)
		expect.That(t, must(s.Job(t.Context(), id))(t).Related, id, "has relatives, and does not say so")
	}
	must(s.w.Exec(`UPDATE files SET path = '/f2' WHERE url = 'https://b'`))(t)
	noError(t, errors.Join(s.NoteFrame(t.Context(), "/frame.png", "/f2", 4.96), s.NoteFrame(t.Context(), "https://frame", "/frame.png", 0)))
	next := record(t, s, Intent{ConfirmID: "next", Base: "b", Body: []byte("next"), Now: time.Now(),
		Request: api.Request{Kind: api.KindVideo, Model: api.Seedance2, Prompt: "p", ImageURL: "https://frame"}}).ID
	list := must(s.Lineage(t.Context(), ids[0]))(t)
	begins := Frame{Job: child, Title: list[1].Title, Seconds: 4.96}
	j := must(s.Job(t.Context(), next))(t)
	expect.That(t, len(list) == 4 && slices.Equal(list[3].Sources, []string{child}) && j.Related && list[2].Frame == nil &&
		list[3].Frame != nil && *list[3].Frame == begins && j.Frame != nil && *j.Frame == begins, "of the next shot", list, j.Frame)
	expect.Equal(t, len(must(s.Lineage(t.Context(), ids[1]))(t)), 1, "relatives of a job alone")
	for _, related := range []bool{false, true} {
		for _, id := range ids[1:] {
			expect.Equal(t, must(s.Job(t.Context(), id))(t).Related, related, id, "related")
		}
		must(s.w.Exec(`UPDATE jobs SET parent=? WHERE id=?`, ids[1], ids[2]))(t)
	}
}

// TestAFileWithAnotherNameWasPublished, which both of its names tell.
func TestAFileWithAnotherNameWasPublished(t *testing.T) {
	t.Parallel()
	one := simtest.File(t, filepath.Join(t.TempDir(), "one"), "")
	for names := range uint64(3) {
		if names > 0 && os.Link(one, fmt.Sprint(one, names)) != nil {
			t.Skip("there are no links here")
		}
		expect.Equal(t, FileNames(must(os.Stat(one))(t)), names+1, "names")
	}
}

func TestAbsenceIsWhatEndedSinceTheLastLook(t *testing.T) {
	s, ids := rateStore(t, 5)
	now := time.Now()
	expect.Equal(t, must(s.Attend(t.Context(), now))(t), Absence{}, "told at the first look")
	end := func(id string, phase api.Phase, at time.Time) {
		must(s.w.Exec(`UPDATE jobs SET phase=?, ended_at=?, version=1+`+changeNumber+`, completed=id=? WHERE id=?`, phase, millis(at), ids[2], id))(t)
	}
	end(ids[1], api.PhaseDone, now.Add(time.Second))
	end(ids[2], api.PhaseFailed, now.Add(time.Second)) // it was made and charged
	end(ids[3], api.PhaseDone, now.Add(-time.Second))
	end(ids[4], api.PhaseExpired, now.Add(time.Second))
	a := must(s.Attend(t.Context(), now.Add(time.Minute)))(t)
	expect.That(t, a == (Absence{Done: 1, Broken: 1, Expired: 1, Credits: 7 * api.Credit}) && a.Count() == 3, a)
	expect.Equal(t, must(s.Attend(t.Context(), now.Add(time.Hour)))(t), Absence{}, "told twice")
}

func TestUnknownTerms(t *testing.T) {
	t.Parallel()
	for filter, want := range map[string]string{
		"": "", "boat": "", "is": "", "a:b": "", "is:done KIND:Video model:x credits:>1 stars:4 since:99999d is:held": "",
		"boat is:pickd kind:vidoe": "is:pickd", "KIND:": "kind:", "model:": "model:", "credits:much": "credits:much", "stars:x": "stars:x", "since:soon": "since:soon", "since:xd": "since:xd", "since:-1w": "since:-1w", "since:100000d": "since:100000d",
	} {
		expect.Equal(t, (Query{Filter: filter}).UnknownTerm(), want, filter)
	}
}

// many makes a store with jobs of all phases: every third has files, every fifth
// is of an agreement, every seventh is hidden. Two requests are held.
func many(t testing.TB, n int) *Store {
	t.Helper()
	s := open(t)
	must(s.w.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT ?1)
	  INSERT INTO jobs (id, confirm_id, remote_id, base, kind, model, phase, status, error, reason, title, folded, body_hash, credits, source,
	    created_at, ended_at, files, agreement, label, hidden, version)
	  SELECT printf('job%05d', i), i, iif(i % 2, 'r' || i, ''), ?2, 'image', 'acme/paint',
	    json_extract('["queued","running","fetching","done","failed","rejected","unknown","unread","expired"]', printf('$[%d]', i % 9)),
	    iif(i % 4, '', 'PROCESSING'), iif(i % 11, '', 'no <room>'), '', 'pier ' || i, 'pier ' || i, i, 12500000, 'service',
	    1700000000000 + i, iif(i % 2, 1700000009000 + i, 0), i % 3, iif(i % 5, '', 'a' || (i % 10)), iif(i % 5, '', 'seed ' || i), i % 7 = 0, i FROM n`, n, testBase))(t)
	for _, statement := range []string{
		`INSERT INTO details (seq, request, body, estimate) SELECT seq, '{}', CAST('{"n":' || seq || '}' AS BLOB),
		  iif(seq % 3, '{"credits":12.5,"source":"service"}', '{"credits":1,"source":"service","unit":"USD"}') FROM jobs`,
		`INSERT INTO files SELECT seq, 0, '/f' || seq, 'u', 'image/png', seq, '' FROM jobs WHERE files > 0`,
		`INSERT INTO files SELECT seq, 1, '/g' || seq, 'v', 'image/png', seq, '' FROM jobs WHERE files > 1`,
		`INSERT INTO agreements (id, base, pattern, requests, at) VALUES ('a0', '', '{"prompt":"a {pier|boat}"}', 9, 0), ('a5', '', '{"prompt":"a quay"}', 9, 0)`,
		`INSERT INTO held (id, confirm_id, agreement, base, kind, model, title, request, body, estimate, created_at)
		  VALUES ('held1', 'h1', 'a5', '', 'image', 'acme/paint', 'quay 1', '{}', '{}', '{}', 1), ('held2', 'h2', 'a5', '', 'image', 'acme/paint', 'pier 2', '{}', '{}', '{}', 2)`,
	} {
		must(s.w.Exec(statement))(t)
	}
	return s
}

// TestEachGivesWhatJobGives: over several pages, and at each limit, the jobs are
// those of the list in its order, and as Job reads them.
func TestEachGivesWhatJobGives(t *testing.T) {
	t.Parallel()
	s, ctx := many(t, 2*eachPage+100), context.Background()
	for _, q := range []Query{{}, {Limit: 1}, {Limit: 2}, {Limit: eachPage}, {Limit: eachPage + 2}, {Limit: eachPage + 3}, {Limit: 9 * eachPage},
		{Filter: "pier"}, {Filter: "is:held"}, {Filter: "is:hidden"}, {Filter: "pier is:done", Limit: 9}, {Filter: "nothing"}} {
		list := q
		if list.Limit == 0 {
			list.Limit = 9 * eachPage
		}
		rows := must(s.List(ctx, list))(t).Rows
		n := 0
		err := s.Each(ctx, q, func(j Job) error {
			if n >= len(rows) || j.ID != rows[n].ID {
				return fmt.Errorf("job %d is %s", n, j.ID)
			}
			n++
			want := must(s.Job(ctx, j.ID))(t)
			if d := cmp.Diff(want, j, cmpopts.EquateComparable(api.Text{}, api.Reason{})); d != "" {
				return fmt.Errorf("%s: -want +got\n%s", j.ID, d)
			}
			return nil
		})
		expect.That(t, err == nil && n == len(rows), q, n, "of", len(rows), err)
	}
}

// TestEachHoldsNothing: while a job is printed, others are recorded, and no transaction keeps the log from being
// cleared. What is recorded meanwhile is not in the list, and nothing is in it twice.
func TestEachHoldsNothing(t *testing.T) {
	t.Parallel()
	s, ctx := many(t, 2*eachPage), context.Background()
	seen := map[string]bool{}
	err := s.Each(ctx, Query{Filter: "pier"}, func(j Job) error {
		if seen[j.ID] || len(seen) > 0 && j.ID > "k" {
			return fmt.Errorf("%s comes again, or was not there", j.ID)
		}
		seen[j.ID] = true
		if len(seen)%100 != 1 {
			return nil
		}
		in := intent(len(seen))
		in.Title = "pier"
		record(t, s, in)
		busy, inLog, err := 0, 0, error(nil)
		if err = s.w.QueryRow(`PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &inLog, &inLog); err == nil && busy != 0 && len(seen) > 2*eachPage-200 {
			err = fmt.Errorf("the log cannot be cleared: somebody reads")
		}
		return err
	})
	want := 1 + 2*eachPage - 2*eachPage/7
	expect.Must(t, err == nil && len(seen) == want, len(seen), "of", want, "jobs", err)
}

// TestALongListCostsNoMore: of a store of 12 times the jobs, a page of the list, what a window at rest asks for and
// what is asked of a few days read about as many pages, and no answer takes more memory.
func TestALongListCostsNoMore(t *testing.T) { // not parallel: it counts all that is allocated
	ctx, enough := t.Context(), errors.New("enough")
	questions := map[string]struct {
		ask   func(s *Store) error
		reads bool // all jobs, whose answer is short
	}{
		"a page":         {func(s *Store) error { return expect.Err(s.List(ctx, Query{Base: testBase, Limit: 9})) }, false},
		"a later page":   {func(s *Store) error { return expect.Err(s.List(ctx, Query{Offset: 300, Limit: 9})) }, false},
		"first of all":   {func(s *Store) error { return s.Each(ctx, Query{Filter: "is:done"}, func(Job) error { return enough }) }, true},
		"the ledger":     {func(s *Store) error { return expect.Err(s.Ledger(ctx, time.Time{})) }, true},
		"a day's ledger": {func(s *Store) error { return expect.Err(s.Ledger(ctx, noon)) }, false},
		"at rest": {func(s *Store) error {
			seen, err := s.ChangeNumber(ctx)
			_, _, changes := s.Changes(ctx, seen)
			_, orphans := s.Orphans(ctx)
			_, _, held := s.NextHeld(ctx, "me")
			return errors.Join(err, changes, orphans, held, s.Expire(ctx, noon), expect.Err(s.Attend(ctx, noon)))
		}, false},
		"a round of polls": {func(s *Store) error {
			return errors.Join(expect.Err(s.Fetchable(ctx, testBase, "", noon)), expect.Err(s.Due(ctx, testBase, "", noon, 0, 4)),
				expect.Err(s.NextDue(ctx, testBase)), s.TakeBack(ctx, testBase, "me", noon, Schedule{}))
		}, false},
	}
	small := map[string][2]float64{}
	for i, n := range []int{500, 6_000} {
		s := many(t, n)
		must(s.w.Exec(`UPDATE jobs SET phase = 'done', hidden = 0, version = 0`))(t)
		must(s.w.Exec(`UPDATE jobs SET phase = 'queued', created_at = ? WHERE seq > ?`, millis(noon), n-20))(t)
		for name, q := range questions {
			var cost [2]float64
			cost[0] = testing.AllocsPerRun(1, func() {
				before := pagesRead(t, s)
				err := q.ask(s)
				expect.That(t, err == nil || err == enough, name, err)
				cost[1] = float64(pagesRead(t, s) - before)
			})
			if i == 0 {
				small[name] = cost
			}
			expect.That(t, cost[0] <= 2*small[name][0] && (q.reads || cost[1] <= 2*small[name][1]),
				name, "of", n, "jobs: allocations and pages", cost, "after", small[name])
		}
	}
}

// pagesRead is how many pages of the file were looked at for what was asked so far.
func pagesRead(t *testing.T, s *Store) (pages int) {
	t.Helper()
	conn := must(s.r.Conn(t.Context()))(t)
	defer conn.Close()
	noError(t, conn.Raw(func(driver any) error {
		hit, _, err := driver.(sqlite.DBStatus).Status(sqlite.DBStatusCacheHit, false)
		miss, _, other := driver.(sqlite.DBStatus).Status(sqlite.DBStatusCacheMiss, false)
		pages = hit + miss
		return errors.Join(err, other)
	}))
	return pages
}

// TestEachNamesTheJobThatItCannotRead instead of leaving it out.
func TestEachNamesTheJobThatItCannotRead(t *testing.T) {
	t.Parallel()
	for _, harm := range []string{`DELETE FROM details WHERE seq = 5`, `UPDATE details SET estimate = '{' WHERE seq = 5`} {
		s, n := many(t, 10), 0
		must(s.w.Exec(harm))(t)
		err := s.Each(context.Background(), Query{}, func(Job) error { n++; return nil })
		r := api.ReasonOf(err)
		expect.That(t, r.Format() == "job %v is in the list and cannot be read: %v" && r.Args()[0] == "job00005", harm, err)
	}
}

// TestKeptAreWhatIsPickedOrStarred, of the jobs that may have been charged. Those are all that are not free.
func TestKeptAreWhatIsPickedOrStarred(t *testing.T) {
	t.Parallel()
	s := many(t, 36) // job 1 runs, 3 is done, 4 failed, 6 is of unknown outcome
	must(s.w.Exec(`UPDATE jobs SET pick = (seq IN (3, 4, 6)) - (seq = 12), stars = 4 * (seq IN (1, 12, 21)), dismissed = seq = 15, completed = seq = 13`))(t)
	all, running, charged := 0, api.Credits(0), api.Credits(0)
	for n := range 36 {
		if j := must(s.Job(context.Background(), fmt.Sprintf("job%05d", n+1)))(t); !j.Free() {
			charged += j.Credits
		}
	}
	for _, l := range must(s.Ledger(context.Background(), time.Time{}))(t) {
		all, running, charged = all+l.Kept, running+l.Running, charged-l.Credits-l.Possibly
		expect.That(t, l.Running <= l.Credits, "of", l.Credits, l.Running, "are running")
	}
	expect.That(t, all == 4 && running > 0 && charged == 0, all, "kept: want 1, 3, 6 and 21;", running, "running;", charged, "not counted")
	expect.Len(t, must(s.Ledger(context.Background(), time.Now()))(t), 0, "of what is not yet made")
}

// TestHistoryFindsWholeRequests: by any word of the prompt, since a moment, or with a star; newest first.
func TestHistoryFindsWholeRequests(t *testing.T) {
	s, _ := begin(t)
	start := time.Now().Add(-time.Hour)
	var ids []string
	for i, prompt := range []string{"a paper boat, at the end of a long prompt: KOI", "glass city", "neon koi"} {
		in := intent(i)
		in.Request = api.Request{Kind: api.KindVideo, Model: api.Seedance2, Prompt: prompt, ImageFiles: []string{"https://a.example/1.png"}}
		in.Title, in.Now = "title", start.Add(time.Duration(i)*time.Minute)
		ids = append(ids, record(t, s, in).ID)
	}
	must(s.Rate(t.Context(), []Rated{{ids[1], Rating{Pick: 1}}}))(t)
	for _, c := range []struct {
		q    HistoryQuery
		want string
	}{
		{HistoryQuery{}, "[2 1 0]"}, {HistoryQuery{Contains: " koi "}, "[2 0]"}, {HistoryQuery{Contains: "koi", Limit: 1}, "[2]"},
		{HistoryQuery{Since: start.Add(30 * time.Second)}, "[2 1]"}, {HistoryQuery{Starred: true}, "[1]"},
		{HistoryQuery{Contains: "nothing"}, "[]"}, {HistoryQuery{Contains: `k"%_oi`}, "[]"},
	} {
		found := must(s.History(t.Context(), c.q))(t)
		at := []int{}
		for _, f := range found {
			at = append(at, slices.Index(ids, f.ID))
			expect.That(t, len(f.Request.ImageFiles) == 1 && f.Request.Model == api.Seedance2, c.q, "finds no whole request", f.Request)
		}
		expect.Equal(t, fmt.Sprint(at), c.want, c.q, "finds")
	}
}

// TestHistoryByModel: of each model the job that was accepted last, however old it is.
func TestHistoryByModel(t *testing.T) {
	s, _ := begin(t)
	for i, c := range []struct {
		model, size string
		phase       api.Phase
	}{
		{"acme/brush", "2K", api.PhaseQueued}, {"acme/brush", "4K", api.PhaseQueued}, {"acme/brush", "8K", api.PhaseRejected},
		{"acme/pen", "1K", api.PhaseQueued}, {"acme/typo", "1K", api.PhaseRejected},
	} {
		in := intent(i)
		in.Request.Model, in.Request.Size = c.model, c.size
		accept(t, s, in, c.phase, fmt.Sprint(i))
	}
	found := must(s.History(t.Context(), HistoryQuery{ByModel: true}))(t)
	got := api.Map(found, func(one Sent) string { return one.Request.Model + " " + one.Request.Size })
	expect.List(t, got, []string{"acme/pen 1K", "acme/brush 4K"})
}

// TestHistoryFindsPatterns: a request of an agreement has the pattern, and is found by its words.
func TestHistoryFindsPatterns(t *testing.T) {
	s, _ := begin(t)
	in := intent(1)
	pattern := in.Request
	pattern.Prompt = "a {Red|blue} kite"
	held := Held{ConfirmID: in.ConfirmID, Job: Job{Row: Row{ID: "held1"}, Request: in.Request, Body: in.Body}}
	must(s.Hold(t.Context(), Agreement{ID: "a", Instance: "me", Base: testBase, Pattern: &pattern, Held: []Held{held}, Now: noon}))(t)
	in.Held = "held1"
	record(t, s, in)
	record(t, s, intent(2))
	for text, want := range map[string]int{"{red|": 1, "kite": 1, "harbour at dawn 1": 1, "harbour": 2, "{red|green": 0} {
		found := must(s.History(t.Context(), HistoryQuery{Contains: text}))(t)
		expect.Equal(t, len(found), want, text, "finds")
		for _, one := range found {
			expect.That(t, (one.ID == "held1") == (one.Pattern != nil && one.Pattern.Prompt == pattern.Prompt),
				text, one.ID, "has the pattern", one.Pattern)
		}
	}
}

// TestARowHasTheSeed of a video that was made.
func TestARowHasTheSeed(t *testing.T) {
	s, ctx := begin(t)
	in, seed := intent(1), int64(7)
	in.Request.Kind, in.Request.Seed = api.KindVideo, &seed
	record(t, s, in)
	must(s.w.Exec(`UPDATE jobs SET files = 1`))(t)
	expect.Equal(t, must(s.List(ctx, Query{Limit: 1}))(t).Rows[0].Seed, "7")
}
