package poll

import (
	"testing"
	"testing/synctest"
	"time"

	"darkroom/api"
	"darkroom/state/store"
)

func TestStaleJobsAreOnlyAskedForByHand(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.job = running
		dir := t.TempDir()
		s := openWindow(t, dir, f, 1e-6) // seven days are 0.6 s
		accepted(t, s)
		time.Sleep(700 * time.Millisecond)
		before := f.total()
		if j := must(s.file.Find(t.Context(), "r1"))(t); j.Phase != api.PhaseStale || before == 0 {
			t.Errorf("after seven days it is %s", j.Phase)
		}
		time.Sleep(700 * time.Millisecond)
		if f.total() != before {
			t.Error("a stale job is polled by itself")
		}
		if err := s.Refresh(t.Context(), "r1"); err != nil || f.total() != before+1 {
			t.Errorf("refresh: %v, %d polls", err, f.total()-before)
		}
	})
}

func TestPreferredJobGoesFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.job = running
		dir := t.TempDir()
		s := openWindow(t, dir, f, 1)
		var last store.Job
		for range 60 {
			last = accepted(t, s)
		}
		time.Sleep(4 * time.Minute)
		s.Prefer(last.ID)
		before := len(f.polled("r60"))
		other := len(f.polled("r30"))
		time.Sleep(4 * time.Minute)
		// 60 jobs want twice the 2 polls a second that they get, so all are late;
		// the preferred one is not.
		if n, m := len(f.polled("r60"))-before, len(f.polled("r30"))-other; n < 13 || n < m {
			t.Errorf("the preferred job was polled %d times, another %d", n, m)
		}
	})
}

// A poll that is answered with the result itself takes minutes: its lease is kept
// meanwhile, so that no other window polls, and the answer counts.
func TestALongPollKeepsItsLease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.job = func(_ string, n int) (api.JobAnswer, error) {
			time.Sleep(4 * time.Minute)
			return answer(api.StatusSucceeded, "COMPLETED", "https://cdn.test/1.png"), nil
		}
		dir := t.TempDir()
		w := openWindow(t, dir, f, 1)
		openWindow(t, dir, f, 1)
		j := accepted(t, w)
		time.Sleep(20 * time.Minute)
		j = must(w.file.Job(t.Context(), j.ID))(t)
		if n := f.total(); j.Phase != api.PhaseDone || n != 1 || f.most != 1 {
			t.Errorf("%s after %d polls, %d at a time", j.Phase, n, f.most)
		}
	})
}
