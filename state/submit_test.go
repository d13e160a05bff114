package state

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/state/store"
)

// TestOutcomes is the outcome table: the phase, and how many POSTs may leave.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		out   api.Outcome
		phase api.Phase
		posts int
	}{
		"queued":      {queued("r1"), api.PhaseQueued, 1},
		"not sent":    {refused(api.PhaseNotSent, api.ClassNetwork, 0, time.Second), api.PhaseNotSent, 4},
		"certificate": {refused(api.PhaseNotSent, api.ClassNetwork, 0, 0), api.PhaseNotSent, 1},
		"rejected":    {refused(api.PhaseRejected, api.ClassInvalid, 422, 0), api.PhaseRejected, 1},
		"credits":     {refused(api.PhaseRejected, api.ClassCredits, 402, 0), api.PhaseRejected, 1},
		"key":         {refused(api.PhaseRejected, api.ClassKey, 401, 0), api.PhaseRejected, 1},
		"rate":        {refused(api.PhaseRejected, api.ClassRate, 429, 30*time.Second), api.PhaseRejected, 4},
		"server":      {refused(api.PhaseUnknown, api.ClassServer, 500, 0), api.PhaseUnknown, 1},
		"unavailable": {refused(api.PhaseUnknown, api.ClassServer, 503, time.Second), api.PhaseUnknown, 1},
		"time-out":    {refused(api.PhaseUnknown, api.ClassNetwork, 0, time.Second), api.PhaseUnknown, 1},
		"unread":      {refused(api.PhaseUnread, api.ClassUnreadable, 200, 0), api.PhaseUnread, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				f.create = func(int, client.CreateOptions) api.Outcome { return row.out }
				o, _ := fakeOptions(t, t.TempDir(), f)
				o.Poll = false
				s := openSession(t, o)
				j := must(s.Submit(t.Context(), confirm(name)))(t)
				j = must(s.Sent(t.Context(), j.ID))(t)
				if j.Phase != row.phase || f.sent() != row.posts {
					t.Errorf("%s after %d POSTs (%q), want %s after %d", j.Phase, f.sent(), j.Error, row.phase, row.posts)
				}
				if row.out.Err != nil && j.Error.IsZero() {
					t.Error("the job does not say why")
				}
				time.Sleep(time.Hour)
				if f.sent() != row.posts {
					t.Errorf("%d POSTs an hour later", f.sent())
				}
			})
		})
	}
}

func TestUnsentIsSentOnceItCan(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.create = func(n int, _ client.CreateOptions) api.Outcome {
			if n < 3 {
				return refused(api.PhaseNotSent, api.ClassNetwork, 0, time.Second)
			}
			return queued("r1")
		}
		o, _ := fakeOptions(t, t.TempDir(), f)
		o.Poll = false
		s := openSession(t, o)
		began := time.Now()
		j := must(s.Submit(t.Context(), confirm("x")))(t)
		if s.Standing().Sending != 1 {
			t.Error("the send is not shown")
		}
		j = must(s.Sent(t.Context(), j.ID))(t)
		if j.Phase != api.PhaseQueued || f.sent() != 3 {
			t.Fatalf("%s after %d POSTs", j.Phase, f.sent())
		}
		if took := time.Since(began); took < 4*time.Second || took > 6*time.Second {
			t.Errorf("waited %v for 1 and 4 s with jitter", took)
		}
	})
}

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

func TestRefusals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.create = func(n int, _ client.CreateOptions) api.Outcome {
			return refused(api.PhaseUnknown, api.ClassServer, 500, 0)
		}
		o, _ := fakeOptions(t, t.TempDir(), f)
		o.Poll, o.Settings.Budget = false, 500*api.Credit
		s := openSession(t, o)
		want := func(code string, c Confirmed) {
			t.Helper()
			_, err := s.Submit(t.Context(), c)
			var r *Refusal
			if !errors.As(err, &r) || r.Code != code || r.Text == "" {
				t.Errorf("got %v, want a refusal %q", err, code)
			}
		}
		bad := confirm("x")
		bad.Request.Resolution = "1080p" // not for fast
		want("problems", bad)
		dear := confirm("x")
		dear.MaxCredits = 424 * api.Credit
		want("max_credits", dear)
		dear.Estimate.Source = api.SourceNone
		dear.MaxCredits = 1000 * api.Credit
		want("max_credits", dear)
		want("not_sendable", Confirmed{Request: confirm("x").Request, Estimate: confirm("x").Estimate})

		j := must(s.Submit(t.Context(), confirm("x")))(t)
		must(s.Sent(t.Context(), j.ID))(t)
		want("again", confirm("x"))
		want("budget", confirm("y"))
		if sp := must(s.Today(t.Context()))(t); sp.Possibly != 425*api.Credit || !sp.Near() {
			t.Errorf("today %+v", sp)
		}
		if err := s.Dismiss(t.Context(), j.ID); err != nil {
			t.Fatal(err)
		}
		if f.sent() != 1 {
			t.Errorf("%d POSTs", f.sent())
		}
		must(s.Submit(t.Context(), confirm("x")))(t)
	})
}

func TestKeyRefusedStopsEverything(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.create = func(n int, _ client.CreateOptions) api.Outcome { return queued("r1") }
		var good atomic.Bool
		f.job = func(id string, n int) (api.JobAnswer, error) {
			if !good.Load() {
				return api.JobAnswer{}, failing(api.ClassKey, 401, 0)
			}
			return answer(api.StatusSucceeded, "COMPLETED", "https://cdn.test/1.png"), nil
		}
		o, _ := fakeOptions(t, t.TempDir(), f)
		s := openSession(t, o)
		j := must(s.Submit(t.Context(), confirm("x")))(t)
		j, err := s.Ended(t.Context(), j.ID)
		if !errors.Is(err, ErrKeyRefused) || j.Phase != api.PhaseQueued || !s.Standing().KeyRefused {
			t.Fatalf("%s, %v", j.Phase, err)
		}
		time.Sleep(2 * time.Minute)
		if f.total() != 1 {
			t.Errorf("%d polls with a refused key", f.total())
		}
		var r *Refusal
		if _, err := s.Submit(t.Context(), confirm("y")); !errors.As(err, &r) || r.Code != "key_refused" {
			t.Errorf("got %v", err)
		}
		good.Store(true)
		key := must(api.ParseKey("ak_another-key"))(t)
		if err := s.UseKey(t.Context(), "https://service.test", key, 0); err != nil {
			t.Fatal(err)
		}
		if j = must(s.Ended(t.Context(), j.ID))(t); j.Phase != api.PhaseDone {
			t.Errorf("%s %q", j.Phase, j.Error)
		}
	})
}

func TestCreditsWaitForThePerson(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.create = func(n int, _ client.CreateOptions) api.Outcome {
			time.Sleep(time.Second)
			return refused(api.PhaseRejected, api.ClassCredits, 402, 0)
		}
		o, _ := fakeOptions(t, t.TempDir(), f)
		o.Poll = false
		s := openSession(t, o)
		first := must(s.Submit(t.Context(), confirm("1")))(t)
		second := must(s.Submit(t.Context(), confirm("2")))(t)
		if j := must(s.Sent(t.Context(), first.ID))(t); j.Phase != api.PhaseRejected {
			t.Errorf("first: %s", j.Phase)
		}
		if j := must(s.Sent(t.Context(), second.ID))(t); j.Phase != api.PhaseNotSent || f.sent() != 1 {
			t.Errorf("second: %s after %d POSTs", j.Phase, f.sent())
		}
		var r *Refusal
		if _, err := s.Submit(t.Context(), confirm("3")); !errors.As(err, &r) || r.Code != "credits" {
			t.Errorf("got %v", err)
		}
		again := confirm("3")
		again.Again = true
		must(s.Submit(t.Context(), again))(t)
		time.Sleep(time.Minute)
		if f.sent() != 2 {
			t.Errorf("%d POSTs", f.sent())
		}
	})
}

func TestStoreThatRefusesTheOutcome(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.create = func(int, client.CreateOptions) api.Outcome { return queued("r1") }
		f.job = func(string, int) (api.JobAnswer, error) { return answer(api.StatusRunning, "PROCESSING"), nil }
		o, _ := fakeOptions(t, t.TempDir(), f)
		var mu sync.Mutex
		asked, broken := 0, true
		o.refuse = func() error {
			mu.Lock()
			defer mu.Unlock()
			asked++
			if broken {
				return errors.New("disk full")
			}
			return nil
		}
		s := openSession(t, o)
		j := must(s.Submit(t.Context(), confirm("x")))(t)
		time.Sleep(10500 * time.Millisecond)
		got := must(s.Job(t.Context(), j.ID))(t)
		if st := s.Standing(); st.Unsaved != 1 || got.RemoteID != "r1" || got.Phase != api.PhaseQueued {
			t.Errorf("unsaved %d, shown %s %q", st.Unsaved, got.Phase, got.RemoteID)
		}
		stored := must(s.storage.current().Job(t.Context(), j.ID))(t)
		rows := must(s.Jobs(t.Context(), Query{Limit: 1}))(t).Rows
		if got.Version == stored.Version || rows[0].Version == stored.Version {
			t.Errorf("the unsaved outcome has the version of the stored job, so a screen would not show it")
		}
		mu.Lock()
		if asked != 11 {
			t.Errorf("the store was asked %d times in 10 s", asked)
		}
		broken = false
		mu.Unlock()
		time.Sleep(time.Second)
		if st := s.Standing(); st.Unsaved != 0 || f.sent() != 1 {
			t.Errorf("unsaved %d, %d POSTs", st.Unsaved, f.sent())
		}
		if kept := must(s.storage.current().Job(t.Context(), j.ID))(t); kept.RemoteID != "r1" {
			t.Errorf("kept %q", kept.RemoteID)
		}
	})
}

func TestMediaInTheAnswerIsDoneAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.create = func(_ int, o client.CreateOptions) api.Outcome {
			if err := o.Media("image/png", 3, nil); err != nil {
				t.Error(err)
			}
			return api.Outcome{Phase: api.PhaseFetching, HTTPStatus: 200, Answer: api.JobAnswer{Binary: true, HasResult: true, Progress: -1}}
		}
		o, fetcher := fakeOptions(t, t.TempDir(), f)
		s := openSession(t, o)
		j := must(s.Submit(t.Context(), confirm("x")))(t)
		j = must(s.Ended(t.Context(), j.ID))(t)
		if j.Phase != api.PhaseDone || len(j.Files) != 1 || fetcher.count() != 1 {
			t.Fatalf("%s, %d files, %d downloads", j.Phase, len(j.Files), fetcher.count())
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

func TestResendAndCancel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.create = func(n int, _ client.CreateOptions) api.Outcome {
			switch n {
			case 1:
				return refused(api.PhaseUnknown, api.ClassServer, 500, 0)
			case 2:
				return queued("r2")
			}
			return refused(api.PhaseRejected, api.ClassRate, 429, time.Minute)
		}
		o, _ := fakeOptions(t, t.TempDir(), f)
		o.Poll = false
		s := openSession(t, o)
		a := must(s.Submit(t.Context(), confirm("x")))(t)
		must(s.Sent(t.Context(), a.ID))(t)
		confirmID := NewConfirmID()
		b := must(s.Resend(t.Context(), a.ID, confirmID))(t)
		if twice := must(s.Resend(t.Context(), a.ID, confirmID))(t); twice.ID != b.ID {
			t.Error("one key press, two jobs")
		}
		if b = must(s.Sent(t.Context(), b.ID))(t); b.Phase != api.PhaseQueued || string(b.Body) != string(a.Body) {
			t.Errorf("%s", b.Phase)
		}
		if _, err := s.Resend(t.Context(), b.ID, NewConfirmID()); err == nil {
			t.Error("an accepted job was sent again")
		}
		held := must(s.Submit(t.Context(), confirm("z")))(t)
		time.Sleep(time.Second)
		if err := s.Dismiss(t.Context(), held.ID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if held = must(s.Job(t.Context(), held.ID))(t); held.Phase != api.PhaseNotSent || f.sent() != 3 {
			t.Errorf("cancelled job: %s after %d POSTs", held.Phase, f.sent())
		}
		if err := s.Attach(t.Context(), a.ID, "r2"); !errors.Is(err, store.ErrTaken) {
			t.Errorf("an id was attached twice: %v", err)
		}
		if err := s.Attach(t.Context(), a.ID, "r9"); err != nil {
			t.Error(err)
		}
	})
}

// abandon ends a session as a kill does: nothing is written, its lock is free.
func (s *Session) abandon() {
	s.closed.Store(true)
	_ = s.instance.file.Close()
	_ = s.storage.current().Close()
	s.poller.Close()
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
		first, err := Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
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
		s, err := Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		a := must(s.Submit(t.Context(), confirm("a")))(t)
		synctest.Wait()
		b := must(s.Submit(t.Context(), confirm("b")))(t)
		began := time.Now()
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
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
