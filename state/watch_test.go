package state

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"darkroom/api"
	"darkroom/state/remote"
	"darkroom/state/store"
)

func TestSleepIsNoticed(t *testing.T) {
	t.Parallel()
	now := time.Now()
	if slept(now, now.Add(time.Hour)) {
		t.Error("a slow loop is no sleep")
	}
	if sleptFor(time.Hour, time.Minute) != true || sleptFor(time.Minute, time.Minute-sleptGap) || !sleptFor(-time.Hour, time.Minute) {
		t.Error("the gap is misjudged")
	}
}

// TestWakingPlansAnew lets every poll become overdue, as a sleep does.
func TestWakingPlansAnew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		counting(f)
		o, _ := fakeOptions(t, t.TempDir(), f)
		o.Poll = false
		s := openSession(t, o)
		var ids []string
		for n := range 40 {
			ids = append(ids, submitted(t, s, fmt.Sprint(n)).ID)
		}
		time.Sleep(time.Hour)
		now := time.Now()
		s.afterSleep(now)
		if n := f.calls(&f.idle); n != 1 {
			t.Errorf("idle connections were dropped %d times", n)
		}
		var after []time.Duration
		for _, id := range ids {
			after = append(after, must(s.Job(t.Context(), id))(t).NextPoll.Sub(now))
		}
		slices.Sort(after)
		if first, last := after[0], after[len(after)-1]; first < -time.Millisecond || last > remote.ReplanSpan {
			t.Errorf("planned from %v to %v", first, last)
		}
		if got := after[30] - after[10]; got < time.Second {
			t.Errorf("the middle half of the polls lies within %v", got)
		}
	})
}

// TestAClockThatWasAheadStopsNothing leaves plans, a download and a rest from
// a time when the clock was hours ahead.
func TestAClockThatWasAheadStopsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		counting(f)
		f.job = func(id string, n int) (api.JobAnswer, error) {
			if n > 2 {
				return answer(api.StatusSucceeded, "COMPLETED", "https://cdn.test/1.png"), nil
			}
			return running(id, n)
		}
		o, _ := fakeOptions(t, t.TempDir(), f)
		o.Poll = false
		s := openSession(t, o)
		var ids []string
		ahead := time.Now().Add(8 * time.Hour)
		for n := range 6 {
			in := store.Intent{ConfirmID: fmt.Sprint(n), Instance: "x", Base: "https://service.test", Request: confirm("x").Request, Body: fmt.Append(nil, n), Now: ahead}
			j, _, err := s.storage.current().Record(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			attempt := must(s.storage.current().MarkSending(t.Context(), j.ID, "x", ahead))(t)
			done := store.Finish{ID: j.ID, Attempt: attempt, Phase: api.PhaseQueued, RemoteID: fmt.Sprint("r", n+1), NextPoll: ahead, Now: ahead}
			if n%2 == 1 {
				done.Phase, done.Completed, done.Results = api.PhaseFetching, true, []api.Result{{URL: "https://cdn.test/1.png"}}
			}
			noError(t, s.storage.current().Finish(t.Context(), done))
			ids = append(ids, j.ID)
		}
		must(s.storage.current().CloseGate(t.Context(), "https://service.test", ahead, 0, time.Minute, time.Hour))(t)
		o.Poll = true
		s = openSession(t, o)
		fresh := must(s.Submit(t.Context(), confirm("fresh")))(t)
		time.Sleep(5 * time.Minute)
		for _, id := range append(ids, fresh.ID) {
			if j := must(s.Job(t.Context(), id))(t); j.Phase != api.PhaseDone {
				t.Errorf("job %s is %s, to be asked for in %v", id, j.Phase, time.Until(j.NextPoll))
			}
		}
	})
}

func TestOtherWindowsChangesArrive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		counting(f)
		f.job = running
		o, _ := fakeOptions(t, t.TempDir(), f)
		a, b := openSession(t, o), openSession(t, o)
		time.Sleep(time.Second)
		j := submitted(t, a, "x")
		time.Sleep(1100 * time.Millisecond)
		if ids := must(b.Wait(t.Context()))(t); !slices.Contains(ids, j.ID) {
			t.Errorf("the other window was told of %v", ids)
		}
	})
}
