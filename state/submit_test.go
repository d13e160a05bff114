package state

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"darkroom/api"
	"darkroom/api/client"
)

func TestDoubleConfirmFromTwoWindows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.create = func(int, client.CreateOptions) api.Outcome { time.Sleep(time.Second); return queued("r1") }
		dir := t.TempDir()
		o, _ := fakeOptions(t, dir, f)
		o.Poll = false
		windows := []*Session{openSession(t, o), openSession(t, o)}
		c := confirm("x")
		var ids sync.Map
		var wg sync.WaitGroup
		for n := range 8 {
			wg.Go(func() {
				j, err := windows[n%2].Submit(t.Context(), c)
				if err != nil {
					t.Error(err)
				}
				ids.Store(j.ID, true)
			})
		}
		wg.Wait()
		time.Sleep(time.Minute)
		different := 0
		ids.Range(func(any, any) bool { different++; return true })
		if different != 1 || f.sent() != 1 {
			t.Fatalf("%d jobs, %d POSTs", different, f.sent())
		}
	})
}

func TestCreatesAreSerialOverWindows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		var mu sync.Mutex
		flying, most := 0, 0
		f.create = func(n int, _ client.CreateOptions) api.Outcome {
			mu.Lock()
			flying++
			most = max(most, flying)
			mu.Unlock()
			time.Sleep(3 * time.Second)
			mu.Lock()
			flying--
			mu.Unlock()
			return queued(string(rune('a' + n)))
		}
		o, _ := fakeOptions(t, t.TempDir(), f)
		o.Poll = false
		windows := []*Session{openSession(t, o), openSession(t, o)}
		var last Job
		for n := range 6 {
			last = must(windows[n%2].Submit(t.Context(), confirm(string(rune('p'+n)))))(t)
		}
		time.Sleep(2500 * time.Millisecond)
		if last = must(windows[0].Job(t.Context(), last.ID))(t); last.Phase == api.PhaseIntent && !strings.Contains(last.Error.String(), "waits for its turn") {
			t.Errorf("it waits and says %q", last.Error)
		}
		time.Sleep(time.Minute)
		mu.Lock()
		defer mu.Unlock()
		if most != 1 || f.sent() != 6 {
			t.Fatalf("%d creates at a time, %d in all", most, f.sent())
		}
	})
}

func TestCandidatesAreProbed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.create = func(int, client.CreateOptions) api.Outcome {
			out := queued("wrong")
			out.Answer.Candidates = []string{"right", "other"}
			return out
		}
		f.job = func(id string, _ int) (api.JobAnswer, error) {
			if id != "right" {
				return api.JobAnswer{}, failing(api.ClassNotFound, 404, 0)
			}
			return answer(api.StatusRunning, "PROCESSING"), nil
		}
		o, _ := fakeOptions(t, t.TempDir(), f)
		s := openSession(t, o)
		j := must(s.Submit(t.Context(), confirm("x")))(t)
		time.Sleep(time.Minute)
		if j = must(s.Job(t.Context(), j.ID))(t); j.RemoteID != "right" || j.Phase != api.PhaseRunning {
			t.Fatalf("%q %s", j.RemoteID, j.Phase)
		}
	})
}

// abandon ends a session as a kill does: nothing is written, its lock is free.
func (s *Session) abandon() {
	s.closed.Store(true)
	_ = s.instance.file.Close()
	_ = s.storage.current().Close()
	s.stop()
	at, now := context.WithCancel(context.Background())
	now()
	s.submitter.Close(at) // without patience
	s.tasks.group.Wait()
}

func TestKilledWindowIsTakenOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		block := make(chan struct{})
		f.create = func(n int, _ client.CreateOptions) api.Outcome {
			if n == 1 {
				return queued("r1")
			}
			<-block
			return queued("late")
		}
		var hung atomic.Bool // no sync.Once: a lock would stop the bubble's clock
		f.job = func(string, int) (api.JobAnswer, error) {
			if hung.CompareAndSwap(false, true) {
				<-block
			}
			return answer(api.StatusRunning, "PROCESSING"), nil
		}
		dir := t.TempDir()
		o, _ := fakeOptions(t, dir, f)
		first := must(Open(t.Context(), o))(t)
		a := must(first.Submit(t.Context(), confirm("polled")))(t)
		must(first.Sent(t.Context(), a.ID))(t)
		b := must(first.Submit(t.Context(), confirm("sending")))(t)
		synctest.Wait()
		c := must(first.Submit(t.Context(), confirm("waiting")))(t)
		second := openSession(t, o)
		time.Sleep(15500 * time.Millisecond) // the first poll hangs in the first window
		if n := len(f.polled("r1")); n != 1 {
			t.Fatalf("%d polls", n)
		}
		go func() { time.Sleep(time.Nanosecond); close(block) }()
		first.abandon()
		time.Sleep(2 * time.Second)
		for id, want := range map[string]api.Phase{b.ID: api.PhaseUnknown, c.ID: api.PhaseNotSent} {
			if j := must(second.Job(t.Context(), id))(t); j.Phase != want || j.Error.IsZero() {
				t.Errorf("%s is %s (%s), want %s", j.Title, j.Phase, j.Error, want)
			}
		}
		time.Sleep(12 * time.Second)
		if j := must(second.Job(t.Context(), a.ID))(t); j.Phase != api.PhaseRunning {
			t.Errorf("the polled job is %s", j.Phase)
		}
		if f.sent() != 2 {
			t.Errorf("%d POSTs", f.sent())
		}
	})
}

func TestCloseLeavesNothingHalf(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.create = func(int, client.CreateOptions) api.Outcome { time.Sleep(4 * time.Second); return queued("r1") }
		dir := t.TempDir()
		o, _ := fakeOptions(t, dir, f)
		s := must(Open(t.Context(), o))(t)
		a := must(s.Submit(t.Context(), confirm("a")))(t)
		synctest.Wait()
		b := must(s.Submit(t.Context(), confirm("b")))(t)
		began := time.Now()
		noError(t, s.Close(t.Context()))
		if took := time.Since(began); took != 4*time.Second {
			t.Errorf("Close took %v", took)
		}
		o.Poll = false
		again := openSession(t, o)
		if j := must(again.Job(context.Background(), a.ID))(t); j.Phase != api.PhaseQueued {
			t.Errorf("a is %s", j.Phase)
		}
		if j := must(again.Job(context.Background(), b.ID))(t); j.Phase != api.PhaseNotSent {
			t.Errorf("b is %s", j.Phase)
		}
	})
}
