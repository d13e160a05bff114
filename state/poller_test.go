package state

import (
	"fmt"
	"slices"
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
