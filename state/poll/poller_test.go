package poll

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"darkroom/api"
	"darkroom/state/store"
)

func TestOneJobIsPolledByTheTable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.job = running
		dir := t.TempDir()
		s := openWindow(t, dir, f, 1)
		accepted(t, s)
		time.Sleep(10 * time.Minute)
		polls := f.polled("r1")
		// 2 min at 8 to 12 s, 8 min at 12 to 18 s.
		if n := len(polls); n < 10+26 || n > 15+40 {
			t.Errorf("%d polls in 10 minutes", n)
		}
		for i := 1; i < len(polls); i++ {
			if gap := polls[i].Sub(polls[i-1]); gap < 8*time.Second || gap > 19*time.Second {
				t.Errorf("poll %d came after %v", i, gap)
			}
		}
	})
}

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

func TestSharedRateAndOnePollPerJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.job = func(id string, n int) (api.JobAnswer, error) {
			time.Sleep(700 * time.Millisecond)
			return running(id, n)
		}
		dir := t.TempDir()
		a, b := openWindow(t, dir, f, 1), openWindow(t, dir, f, 1)
		const jobs = 40
		for n := range jobs {
			accepted(t, []*window{a, b}[n%2])
		}
		time.Sleep(2 * time.Minute)
		var times []time.Time
		for n := range jobs {
			polls := f.polled(fmt.Sprint("r", n+1))
			if len(polls) == 0 {
				t.Errorf("job %d was never polled", n)
			}
			times = append(times, polls...)
		}
		slices.SortFunc(times, time.Time.Compare)
		for i := range times {
			inWindow := 0
			for _, at := range times[i:] {
				if at.Sub(times[i]) < 10*time.Second {
					inWindow++
				}
			}
			if inWindow > 22 {
				t.Fatalf("%d polls within 10 s", inWindow)
			}
		}
		if len(times) < 200 {
			t.Errorf("only %d polls in 2 minutes", len(times))
		}
		if most := f.calls(&f.most); most != 1 {
			t.Errorf("%d polls of one job at a time", most)
		}
	})
}

func TestLostNetworkRestsAllButOneProbe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		var lost atomic.Bool
		f.job = func(id string, n int) (api.JobAnswer, error) {
			if lost.Load() {
				return api.JobAnswer{}, failing(api.ClassNetwork, 0, 0)
			}
			return running(id, n)
		}
		dir := t.TempDir()
		s := openWindow(t, dir, f, 1)
		for range 12 {
			accepted(t, s)
		}
		time.Sleep(time.Minute)
		lost.Store(true)
		before := f.total()
		time.Sleep(10 * time.Minute)
		// Probes with full jitter up to 60 s: about one each 30 s.
		if n := f.total() - before; n < 8 || n > 70 {
			t.Errorf("%d calls in 10 minutes without a network", n)
		}
		if st := s.remote.Health(); st.Online || st.Trouble.IsZero() {
			t.Errorf("health %+v", st)
		}
		lost.Store(false)
		time.Sleep(time.Minute + 12*time.Second)
		for n := range 12 {
			polls := f.polled(fmt.Sprint("r", n+1))
			if time.Since(polls[len(polls)-1]) > 40*time.Second {
				t.Errorf("job %d was not polled again", n)
			}
		}
		if !s.remote.Health().Online {
			t.Error("still shown as offline")
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
