package poll

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"darkroom/api"
	"darkroom/state/store"
)

// allPolled fails unless each job was polled within the last d.
func allPolled(t *testing.T, f *fakeService, jobs int, d time.Duration) {
	t.Helper()
	for n := range jobs {
		polls := f.polled(fmt.Sprint("r", n+1))
		if len(polls) == 0 || time.Since(polls[len(polls)-1]) > d {
			t.Errorf("job %d was not polled within the last %v (%d polls before)", n+1, d, len(polls))
		}
	}
}

// A clock that is set back, by a little or much, must not stop the polls until it
// has caught up; nor must a rest that was asked for before.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	for _, back := range []time.Duration{10 * time.Minute, time.Hour, 30 * day} {
		for _, rest := range []time.Duration{0, 20 * time.Second} {
			if rest > 0 && back < time.Hour {
				continue // such a rest can be true
			}
			t.Run(fmt.Sprint(back, " ", rest), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := newFake(t)
					f.job = running
					w := openWindow(t, t.TempDir(), f, 1)
					const jobs = 8
					for range jobs {
						accepted(t, w)
					}
					time.Sleep(3 * time.Minute)
					if rest > 0 {
						must(w.file.CloseGate(t.Context(), testBase, f.now(), rest, rest, rest))(t)
					}
					f.setClock(-back)
					time.Sleep(2 * time.Minute)
					allPolled(t, f, jobs, 90*time.Second)
					before := f.total()
					time.Sleep(2 * time.Minute)
					if n := f.total() - before; n < 8*6 || n > 242 {
						t.Errorf("%d polls in 2 minutes", n)
					}
				})
			})
		}
	}
}

// A job that was made while the clock was ahead is polled, also by a program that
// never saw that clock.
func TestJobMadeByAFastClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.job = running
		dir := t.TempDir()
		w := openWindow(t, dir, f, 1)
		accepted(t, w) // an honest one, which is always due earlier
		f.setClock(time.Hour)
		accepted(t, w)
		f.setClock(-time.Hour)
		time.Sleep(30 * time.Second)
		allPolled(t, f, 2, 20*time.Second)
	})
}

// A clock that is set eight days forward does not age a job.
func TestClockSetForward(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.job = running
		w := openWindow(t, t.TempDir(), f, 1)
		j := accepted(t, w)
		time.Sleep(time.Minute)
		f.setClock(8 * day)
		time.Sleep(5 * time.Hour)
		if j = must(w.file.Job(t.Context(), j.ID))(t); j.Phase != api.PhaseRunning {
			t.Errorf("it is %s: %s", j.Phase, j.Error)
		}
		allPolled(t, f, 1, 20*time.Minute)
		f.setClock(-8 * day)
		time.Sleep(30 * time.Minute)
		allPolled(t, f, 1, 3*time.Minute)
	})
}

// A program that finds an old job asks several times before it gives up.
func TestOldJobIsAskedForBeforeItIsStale(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.job = func(id string, n int) (api.JobAnswer, error) {
			if n < 20 {
				return api.JobAnswer{}, failing(api.ClassServer, 500, 0)
			}
			return running(id, n)
		}
		dir := t.TempDir()
		f.setClock(-8 * day)
		file := must(store.Open(t.Context(), dir+"/darkroom.db"))(t)
		defer func() { _ = file.Close() }()
		j := accepted(t, &window{Poller: &Poller{scale: 1, o: Options{Instance: "gone"}}, f: f, file: file})
		f.setClock(8 * day)
		w := openWindow(t, dir, f, 1)
		time.Sleep(3 * time.Hour)
		if j = must(w.file.Job(t.Context(), j.ID))(t); j.Phase == api.PhaseStale || f.total() > 19 {
			t.Fatalf("it is %s after %d polls without an answer", j.Phase, f.total())
		}
		if j = w.ended(t, j.ID); j.Phase != api.PhaseStale || f.total() != 19+lateAnswers {
			t.Errorf("it is %s after %d polls", j.Phase, f.total())
		}
	})
}
