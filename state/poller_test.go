package state

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/state/media"
)

// submitted sends a request and returns the job with its id "r<n>".
func submitted(t *testing.T, s *Session, prompt string) Job {
	t.Helper()
	j := must(s.Submit(t.Context(), confirm(prompt)))(t)
	return must(s.Sent(t.Context(), j.ID))(t)
}

// counting makes creates that are accepted as r1, r2, …
func counting(f *fakeService) {
	f.create = func(n int, _ client.CreateOptions) api.Outcome { return queued(fmt.Sprint("r", n)) }
}

func running(string, int) (api.JobAnswer, error) { return answer(api.StatusRunning, "PROCESSING"), nil }

func TestOneJobIsPolledByTheTable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		counting(f)
		f.job = running
		o, _ := fakeOptions(t, t.TempDir(), f)
		s := openSession(t, o)
		submitted(t, s, "x")
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
		f := newFake()
		counting(f)
		f.job = running
		o, _ := fakeOptions(t, t.TempDir(), f)
		o.Settings.TimeScale = 1e-6 // seven days are 0.6 s
		s := openSession(t, o)
		submitted(t, s, "x")
		time.Sleep(700 * time.Millisecond)
		before := f.total()
		if j := must(s.Job(t.Context(), "r1"))(t); j.Phase != api.PhaseStale || before == 0 {
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
		f := newFake()
		counting(f)
		f.job = func(id string, n int) (api.JobAnswer, error) {
			time.Sleep(700 * time.Millisecond)
			return running(id, n)
		}
		o, _ := fakeOptions(t, t.TempDir(), f)
		a, b := openSession(t, o), openSession(t, o)
		const jobs = 40
		for n := range jobs {
			submitted(t, []*Session{a, b}[n%2], fmt.Sprint(n))
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

func TestGateHoldsAllWindows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		counting(f)
		var closed atomic.Int64
		f.job = func(id string, n int) (api.JobAnswer, error) {
			if closed.CompareAndSwap(0, time.Now().UnixNano()) {
				return api.JobAnswer{}, failing(api.ClassRate, 429, 90*time.Second)
			}
			return running(id, n)
		}
		o, _ := fakeOptions(t, t.TempDir(), f)
		a, b := openSession(t, o), openSession(t, o)
		submitted(t, a, "1")
		submitted(t, b, "2")
		time.Sleep(30 * time.Second)
		if f.total() != 1 {
			t.Fatalf("%d polls with the gate closed", f.total())
		}
		if at := a.Standing().RetryAt; at.IsZero() && b.Standing().RetryAt.IsZero() {
			t.Error("the rest is not shown")
		}
		// A create waits at the gate as well, and a price is not asked for.
		j := must(a.Submit(t.Context(), confirm("3")))(t)
		time.Sleep(30 * time.Second)
		if f.sent() != 2 {
			t.Errorf("%d creates with the gate closed", f.sent())
		}
		time.Sleep(2 * time.Minute)
		if f.sent() != 3 || f.total() < 3 {
			t.Errorf("after the gate: %d creates, %d polls", f.sent(), f.total())
		}
		opened := time.Unix(0, closed.Load()).Add(90 * time.Second)
		for _, id := range []string{"r1", "r2"} {
			for _, at := range f.polled(id) {
				if at.After(time.Unix(0, closed.Load())) && at.Before(opened) {
					t.Errorf("%s was polled %v before the gate opened", id, opened.Sub(at))
				}
			}
		}
		_ = j
	})
}

func TestLostNetworkRestsAllButOneProbe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		counting(f)
		var lost atomic.Bool
		f.job = func(id string, n int) (api.JobAnswer, error) {
			if lost.Load() {
				return api.JobAnswer{}, failing(api.ClassNetwork, 0, 0)
			}
			return running(id, n)
		}
		o, _ := fakeOptions(t, t.TempDir(), f)
		s := openSession(t, o)
		for n := range 12 {
			submitted(t, s, fmt.Sprint(n))
		}
		time.Sleep(time.Minute)
		lost.Store(true)
		before := f.total()
		time.Sleep(10 * time.Minute)
		// Probes with full jitter up to 60 s: about one each 30 s.
		if n := f.total() - before; n < 8 || n > 70 {
			t.Errorf("%d calls in 10 minutes without a network", n)
		}
		if st := s.Standing(); st.Online || st.Trouble == "" {
			t.Errorf("standing %+v", st)
		}
		lost.Store(false)
		time.Sleep(time.Minute + 12*time.Second)
		for n := range 12 {
			polls := f.polled(fmt.Sprint("r", n+1))
			if time.Since(polls[len(polls)-1]) > 40*time.Second {
				t.Errorf("job %d was not polled again", n)
			}
		}
		if !s.Standing().Online {
			t.Error("still shown as offline")
		}
	})
}

func TestPreferredJobGoesFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		counting(f)
		f.job = running
		o, _ := fakeOptions(t, t.TempDir(), f)
		s := openSession(t, o)
		var last Job
		for n := range 60 {
			last = submitted(t, s, fmt.Sprint(n))
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

func TestDownloads(t *testing.T) {
	t.Parallel()
	broken := errors.New("reset")
	for name, row := range map[string]struct {
		fail  func(w media.Want, call int) error
		phase api.Phase
		calls int
		polls int
	}{
		"at once":        {nil, api.PhaseDone, 2, 1},
		"third try":      {func(_ media.Want, n int) error { return unless(n > 2, broken) }, api.PhaseDone, 4, 1},
		"never":          {func(w media.Want, _ int) error { return unless(w.N == 1, broken) }, api.PhaseFailed, 5, 1},
		"fresh address":  {func(_ media.Want, n int) error { return unless(n > 1, media.ErrExpired) }, api.PhaseDone, 3, 2},
		"short-lived":    {func(w media.Want, n int) error { return unless(n%2 == 0, media.ErrExpired) }, api.PhaseDone, 4, 3},
		"expired":        {func(media.Want, int) error { return media.ErrExpired }, api.PhaseExpired, 3, 2},
		"one is expired": {func(w media.Want, _ int) error { return unless(w.N == 2, media.ErrExpired) }, api.PhaseExpired, 3, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				counting(f)
				f.job = func(string, int) (api.JobAnswer, error) {
					return answer(api.StatusSucceeded, "COMPLETED", "https://cdn.test/1.png", "https://cdn.test/2.png"), nil
				}
				o, fetcher := fakeOptions(t, t.TempDir(), f)
				fetcher.fail = row.fail
				a := openSession(t, o)
				openSession(t, o) // a second window must not fetch as well
				j := submitted(t, a, "x")
				j = must(a.Ended(t.Context(), j.ID))(t)
				if j.Phase != row.phase || fetcher.count() != row.calls || f.total() != row.polls {
					t.Errorf("%s (%s), %d downloads, %d polls", j.Phase, j.Error, fetcher.count(), f.total())
				}
				if done := j.Phase == api.PhaseDone; done != (len(j.Files) == 2) || done != (fetcher.recipes == 1) {
					t.Errorf("%d files, %d recipes", len(j.Files), fetcher.recipes)
				}
				if j.Phase == api.PhaseDone {
					return
				}
				fetcher.mu.Lock()
				fetcher.fail = nil
				fetcher.mu.Unlock()
				if err := a.Fetch(t.Context(), j.ID); err != nil {
					t.Fatal(err)
				}
				if j = must(a.Ended(t.Context(), j.ID))(t); j.Phase != api.PhaseDone || len(j.Files) != 2 || !j.Error.IsZero() {
					t.Errorf("fetched again: %s %q, %d files", j.Phase, j.Error, len(j.Files))
				}
			})
		})
	}
}

func unless(ok bool, err error) error {
	if ok {
		return nil
	}
	return err
}

func TestEstimatesAreKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.price = func(n int) (api.Estimate, error) {
			if n > 2 {
				return api.Estimate{}, failing(api.ClassNetwork, 0, 0)
			}
			return api.Estimate{Credits: api.Credits(n) * api.Credit, Source: api.SourceService}, nil
		}
		o, _ := fakeOptions(t, t.TempDir(), f)
		o.Poll = false
		s := openSession(t, o)
		r := api.Request{Kind: api.KindImage, Model: "acme/paint", Prompt: "a", Size: "1K"}
		for n := range 5 {
			r.Prompt = fmt.Sprint("prompt ", n) // does not change the price
			q := r
			go func() { _, _ = s.Estimate(t.Context(), q) }()
		}
		time.Sleep(2 * time.Second)
		if e, err := s.Estimate(t.Context(), r); err != nil || e.Credits != api.Credit || f.calls(&f.prices) != 1 {
			t.Errorf("%v, %v, %d calls", e.Credits, err, f.calls(&f.prices))
		}
		time.Sleep(time.Minute)
		if e, err := s.Estimate(t.Context(), r); err != nil || e.Credits != 2*api.Credit {
			t.Errorf("%v, %v", e.Credits, err)
		}
		time.Sleep(time.Minute)
		e, err := s.Estimate(t.Context(), r)
		if err == nil || e.Credits != 2*api.Credit || e.Source != api.SourceService || time.Since(e.At) < time.Minute {
			t.Errorf("without a network: %+v, %v", e, err)
		}
	})
}

func TestWaitCoalescesAndNeverBlocksTheTeller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		o, _ := fakeOptions(t, t.TempDir(), f)
		o.Poll = false
		s := openSession(t, o)
		must(s.Wait(t.Context()))(t)
		for n := range 1000 {
			s.changes.report(fmt.Sprint(n % 10)) // nobody listens
		}
		if ids := must(s.Wait(t.Context()))(t); len(ids) != 10 {
			t.Errorf("%d ids", len(ids))
		}
		go func() { time.Sleep(time.Second); s.changes.report("x") }()
		if ids := must(s.Wait(t.Context()))(t); !slices.Equal(ids, []string{"x"}) {
			t.Errorf("%v", ids)
		}
	})
}

func TestReadOnlyStoreShowsAndRefuses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		o, _ := fakeOptions(t, t.TempDir(), f)
		o.Settings.DataDir = filepath.Join(o.Settings.Downloads, "file", "data")
		must(0, writeFile(filepath.Join(o.Settings.Downloads, "file")))(t)
		s := openSession(t, o)
		if s.Standing().ReadOnly == "" {
			t.Fatal("the screen does not say why nothing can be sent")
		}
		var r *Refusal
		if _, err := s.Submit(t.Context(), confirm("x")); !errors.As(err, &r) || r.Code != "store" || f.sent() != 0 {
			t.Errorf("got %v", err)
		}
		must(s.Jobs(t.Context(), Query{}))(t)
	})
}
