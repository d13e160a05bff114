package poll

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"darkroom/api"
	"darkroom/state/media"
	"darkroom/state/store"
)

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
				f := newFake(t)
				f.job = func(string, int) (api.JobAnswer, error) {
					return answer(api.StatusSucceeded, "COMPLETED", "https://cdn.test/1.png", "https://cdn.test/2.png"), nil
				}
				dir := t.TempDir()
				fetcher := &f.fetcher
				fetcher.fail = row.fail
				a := openWindow(t, dir, f, 1)
				openWindow(t, dir, f, 1) // a second window must not fetch as well
				j := accepted(t, a)
				j = a.ended(t, j.ID)
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
				if j = a.ended(t, j.ID); j.Phase != api.PhaseDone || len(j.Files) != 2 || !j.Error.IsZero() {
					t.Errorf("fetched again: %s %q, %d files", j.Phase, j.Error, len(j.Files))
				}
			})
		})
	}
}

// Downloads that hardly come give up their places: two of them do not hold up the
// others, and are tried again as often as any.
func TestSlowDownloadsAreNotInTheWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.job = func(id string, _ int) (api.JobAnswer, error) {
			return answer(api.StatusSucceeded, "COMPLETED", "https://cdn.test/"+id+".png"), nil
		}
		tries := map[string]int{}
		f.fetcher.fail = func(w media.Want, _ int) error {
			if !strings.HasSuffix(w.Result.URL, "/r1.png") && !strings.HasSuffix(w.Result.URL, "/r2.png") {
				return nil
			}
			f.fetcher.mu.Lock()
			tries[w.Result.URL]++
			f.fetcher.mu.Unlock()
			time.Sleep(30 * time.Second)
			return &media.Error{Reason: api.ReasonText.Reason("hardly anything came"), Cause: media.ErrSlow}
		}
		w := openWindow(t, t.TempDir(), f, 1)
		a, b := accepted(t, w), accepted(t, w)
		time.Sleep(20 * time.Second) // both are being downloaded
		began := time.Now()
		for range 4 {
			if j := w.ended(t, accepted(t, w).ID); j.Phase != api.PhaseDone {
				t.Errorf("a quick one is %s: %s", j.Phase, j.Error)
			}
		}
		// A first poll takes 12 s at most, and both places are taken for 30 s.
		if took := time.Since(began); took > 4*12*time.Second+30*time.Second {
			t.Errorf("four quick downloads took %v", took)
		}
		for _, j := range []store.Job{a, b} {
			if j = w.ended(t, j.ID); j.Phase != api.PhaseFailed || !strings.Contains(j.Error.String(), "hardly anything") {
				t.Errorf("a slow one is %s: %s", j.Phase, j.Error)
			}
		}
		for address, n := range tries {
			if n != 1+len(fetchWaits) {
				t.Errorf("%s: %d tries", address, n)
			}
		}
	})
}

// The wait for a window that does not go on has a limit: the job says until when,
// and the file is then taken over, once.
func TestDownloadIsTakenOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.job = func(string, int) (api.JobAnswer, error) {
			return answer(api.StatusSucceeded, "COMPLETED", "https://cdn.test/1.png"), nil
		}
		var began, over time.Time
		f.fetcher.fail = func(w media.Want, n int) error {
			if n == 1 {
				began = time.Now()
			}
			if w.TakeOver {
				over = time.Now()
			}
			return unless(w.TakeOver, media.ErrBusy)
		}
		w := openWindow(t, t.TempDir(), f, 1)
		j := accepted(t, w)
		time.Sleep(time.Minute)
		if now := must(w.file.Job(t.Context(), j.ID))(t); now.Phase != api.PhaseFetching || !strings.Contains(now.Error.String(), began.Add(busyLimit).Format("15:04:05")) {
			t.Errorf("%s: %s; it began at %v", now.Phase, now.Error, began)
		}
		if j = w.ended(t, j.ID); j.Phase != api.PhaseDone || !j.Error.IsZero() || over.Sub(began).Round(time.Second) != busyLimit {
			t.Errorf("%s (%s), taken over after %v", j.Phase, j.Error, over.Sub(began))
		}
	})
}

// Among downloads that are due the one whose link expires first goes first; links
// of which that is not known come last.
func TestExpiringLinksGoFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		expiries := map[string]time.Duration{"r4": 3 * time.Hour, "r5": 2 * time.Hour, "r6": time.Hour}
		f.job = func(id string, _ int) (api.JobAnswer, error) {
			a := answer(api.StatusSucceeded, "COMPLETED", "https://cdn.test/"+id)
			if d := expiries[id]; d > 0 {
				a.Results[0].ExpiresAt = time.Now().Add(d)
			}
			return a, nil
		}
		free := make(chan struct{})
		var order []string
		f.fetcher.fail = func(w media.Want, n int) error {
			if n <= fetchWorkers { // the places are taken until all others are due
				<-free
				return nil
			}
			f.fetcher.mu.Lock()
			order = append(order, strings.TrimPrefix(w.Result.URL, "https://cdn.test/"))
			f.fetcher.mu.Unlock()
			time.Sleep(time.Second)
			return nil
		}
		w := openWindow(t, t.TempDir(), f, 1)
		var jobs []store.Job
		for range fetchWorkers {
			jobs = append(jobs, accepted(t, w))
		}
		time.Sleep(20 * time.Second)
		for range 4 {
			jobs = append(jobs, accepted(t, w))
			time.Sleep(20 * time.Second)
		}
		close(free)
		for _, j := range jobs {
			w.ended(t, j.ID)
		}
		first := order[:fetchWorkers] // in any order: they begin at the same time
		if slices.Sort(first); strings.Join(first, " ") != "r5 r6" {
			t.Errorf("downloaded first: %v", first)
		}
	})
}

func unless(ok bool, err error) error {
	if ok {
		return nil
	}
	return err
}
