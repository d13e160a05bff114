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
		// Both windows may plan their first poll for one moment: then neither knows of
		// the rest yet. No poll begins after that moment.
		shut := time.Unix(0, closed.Load())
		for _, at := range slices.Concat(f.polled("r1"), f.polled("r2")) {
			if at.After(shut) {
				t.Fatalf("a poll %v after the gate closed", at.Sub(shut))
			}
		}
		if at := a.Health().RetryAt; at.IsZero() && b.Health().RetryAt.IsZero() {
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
		opened := shut.Add(90 * time.Second)
		for _, id := range []string{"r1", "r2"} {
			for _, at := range f.polled(id) {
				if at.After(shut) && at.Before(opened) {
					t.Errorf("%s was polled %v before the gate opened", id, opened.Sub(at))
				}
			}
		}
		_ = j
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
		if s.Health().ReadOnly.IsZero() {
			t.Fatal("the screen does not say why nothing can be sent")
		}
		var r *Refusal
		if _, err := s.Submit(t.Context(), confirm("x")); !errors.As(err, &r) || r.Code != "store" || f.sent() != 0 {
			t.Errorf("got %v", err)
		}
		must(s.Jobs(t.Context(), Query{}))(t)
	})
}
