package store

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"darkroom/api"
)

// many makes a store with jobs of all phases: every third has files, every fifth
// is of an agreement, every seventh is hidden. Two requests are held.
func many(t testing.TB, n int) *Store {
	t.Helper()
	s := open(t)
	_, err := s.w.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT ?1)
	  INSERT INTO jobs (id, confirm_id, remote_id, base, kind, model, phase, status, error, reason, title, folded, body_hash, credits, source,
	    created_at, ended_at, files, agreement, label, hidden, version)
	  SELECT printf('job%05d', i), i, iif(i % 2, 'r' || i, ''), ?2, 'image', 'acme/paint',
	    json_extract('["queued","running","fetching","done","failed","rejected","unknown","unread","expired"]', printf('$[%d]', i % 9)),
	    iif(i % 4, '', 'PROCESSING'), iif(i % 11, '', 'no <room>'), '', 'pier ' || i, 'pier ' || i, i, 12500000, 'service',
	    1700000000000 + i, iif(i % 2, 1700000009000 + i, 0), i % 3, iif(i % 5, '', 'a' || (i % 10)), iif(i % 5, '', 'seed ' || i), i % 7 = 0, i FROM n`, n, testBase)
	for _, statement := range []string{
		`INSERT INTO details (seq, request, body, estimate) SELECT seq, '{}', CAST('{"n":' || seq || '}' AS BLOB),
		  iif(seq % 3, '{"credits":12.5,"source":"service"}', '{"credits":1,"source":"service","unit":"USD"}') FROM jobs`,
		`INSERT INTO files SELECT seq, 0, '/f' || seq, 'u', 'image/png', seq, '' FROM jobs WHERE files > 0`,
		`INSERT INTO files SELECT seq, 1, '/g' || seq, 'v', 'image/png', seq, '' FROM jobs WHERE files > 1`,
		`INSERT INTO agreements (id, base, pattern, requests, at) VALUES ('a0', '', '{"prompt":"a {pier|boat}"}', 9, 0), ('a5', '', '{"prompt":"a quay"}', 9, 0)`,
		`INSERT INTO held (id, confirm_id, agreement, base, kind, model, title, request, body, estimate, created_at)
		  VALUES ('held1', 'h1', 'a5', '', 'image', 'acme/paint', 'quay 1', '{}', '{}', '{}', 1), ('held2', 'h2', 'a5', '', 'image', 'acme/paint', 'pier 2', '{}', '{}', '{}', 2)`,
	} {
		if err == nil {
			_, err = s.w.Exec(statement)
		}
	}
	if err != nil {
		t.Fatal(err)
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
		rows := must(s.Listing(ctx, list))(t).Rows
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
		if err != nil || n != len(rows) {
			t.Fatalf("%+v: %d of %d, %v", q, n, len(rows), err)
		}
	}
}

// TestEachHoldsNothing: while a job is printed, others are recorded, and no
// transaction keeps the log from being cleared. What is recorded meanwhile is not in the
// list, and nothing is in it twice.
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
	if want := 1 + 2*eachPage - 2*eachPage/7; err != nil || len(seen) != want {
		t.Fatalf("%d of %d jobs, %v", len(seen), want, err)
	}
}

// TestEachNamesTheJobThatItCannotRead instead of leaving it out.
func TestEachNamesTheJobThatItCannotRead(t *testing.T) {
	t.Parallel()
	for _, harm := range []string{`DELETE FROM details WHERE seq = 5`, `UPDATE details SET estimate = '{' WHERE seq = 5`} {
		s, n := many(t, 10), 0
		must(s.w.Exec(harm))(t)
		err := s.Each(context.Background(), Query{}, func(Job) error { n++; return nil })
		if r := api.ReasonOf(err); r.Format() != whyJobUnread || r.Args()[0] != "job00005" {
			t.Errorf("%s: %v", harm, err)
		}
	}
}

// TestKeptAreWhatIsPickedOrStarred, of the jobs that may have been charged.
func TestKeptAreWhatIsPickedOrStarred(t *testing.T) {
	t.Parallel()
	s := many(t, 36) // job 1 runs, 3 is done, 4 failed, 6 is of unknown outcome
	must(s.w.Exec(`UPDATE jobs SET pick = (seq IN (3, 4, 6)) - (seq = 12), stars = 4 * (seq IN (1, 12, 21))`))(t)
	if n := must(s.Kept(context.Background(), time.Time{}))(t); n != 4 {
		t.Errorf("%d kept: want 1, 3, 6 and 21", n)
	}
	if n := must(s.Kept(context.Background(), time.Now()))(t); n != 0 {
		t.Errorf("%d kept of what is not yet made", n)
	}
}
