package submit

import (
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/state/keys"
	"darkroom/state/remote"
	"darkroom/state/settings"
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
				f := &fakeService{}
				f.create = func(int, client.CreateOptions) api.Outcome { return row.out }
				s := openWindow(t, f)
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
		f := &fakeService{}
		f.create = func(n int, _ client.CreateOptions) api.Outcome {
			if n < 3 {
				return refused(api.PhaseNotSent, api.ClassNetwork, 0, time.Second)
			}
			return queued("r1")
		}
		s := openWindow(t, f)
		began := time.Now()
		j := must(s.Submit(t.Context(), confirm("x")))(t)
		if sending, _ := s.Pending(); sending != 1 {
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

func TestRefusals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeService{}
		f.create = func(n int, _ client.CreateOptions) api.Outcome {
			return refused(api.PhaseUnknown, api.ClassServer, 500, 0)
		}
		s := openWindow(t, f, func(set *settings.Settings) { set.Budget = 500 * api.Credit })
		want := func(code string, c Confirmed) {
			t.Helper()
			_, err := s.Submit(t.Context(), c)
			var r *remote.Refusal
			if !errors.As(err, &r) || r.Code != code || r.Error() == "" {
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
		sp := must(s.file.Spent(t.Context(), store.DayStart(time.Now())))(t)
		sp.Budget = s.settings.Budget()
		if sp.Possibly != 425*api.Credit || !sp.Near() {
			t.Errorf("today %+v", sp)
		}
		noError(t, s.Dismiss(t.Context(), j.ID))
		if f.sent() != 1 {
			t.Errorf("%d POSTs", f.sent())
		}
		must(s.Submit(t.Context(), confirm("x")))(t)
	})
}

func TestCreditsWaitForThePerson(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeService{}
		f.create = func(n int, _ client.CreateOptions) api.Outcome {
			time.Sleep(time.Second)
			return refused(api.PhaseRejected, api.ClassCredits, 402, 0)
		}
		s := openWindow(t, f)
		first := must(s.Submit(t.Context(), confirm("1")))(t)
		synctest.Wait() // it has its turn: which of two goes first is nobody's promise
		second := must(s.Submit(t.Context(), confirm("2")))(t)
		if j := must(s.Sent(t.Context(), first.ID))(t); j.Phase != api.PhaseRejected {
			t.Errorf("first: %s", j.Phase)
		}
		if j := must(s.Sent(t.Context(), second.ID))(t); j.Phase != api.PhaseNotSent || f.sent() != 1 {
			t.Errorf("second: %s after %d POSTs", j.Phase, f.sent())
		}
		var r *remote.Refusal
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

// TestAnotherKeyHasItsOwnCredits takes another key into use after one without
// credits.
func TestAnotherKeyHasItsOwnCredits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeService{}
		f.create = func(n int, _ client.CreateOptions) api.Outcome {
			if n == 1 {
				return refused(api.PhaseRejected, api.ClassCredits, 402, 0)
			}
			return queued("r2")
		}
		s := openWindow(t, f)
		j := must(s.Submit(t.Context(), confirm("1")))(t)
		must(s.Sent(t.Context(), j.ID))(t)
		if _, err := s.Submit(t.Context(), confirm("2")); err == nil {
			t.Error("sent with a key without credits")
		}
		key := must(api.ParseKey("ak_another-key"))(t)
		noError(t, s.remote.UseKey(t.Context(), "https://service.test", key, keys.ForSession))
		j = must(s.Submit(t.Context(), confirm("2")))(t)
		if j = must(s.Sent(t.Context(), j.ID))(t); j.Phase != api.PhaseQueued || f.sent() != 2 {
			t.Errorf("%s (%s) after %d POSTs", j.Phase, j.Error, f.sent())
		}
	})
}

func TestStoreThatRefusesTheOutcome(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeService{}
		s := openWindow(t, f)
		path, told := s.file.Health().Path, 0
		f.create = func(int, client.CreateOptions) api.Outcome {
			s.mu.Lock()
			told = s.told
			s.mu.Unlock()
			if err := os.Rename(path, path+".moved"); err != nil {
				t.Error(err)
			}
			return queued("r1")
		}
		j := must(s.Submit(t.Context(), confirm("x")))(t)
		time.Sleep(10500 * time.Millisecond)
		got := must(s.Find(t.Context(), j.ID))(t)
		if _, unsaved := s.Pending(); unsaved != 1 || got.RemoteID != "r1" || got.Phase != api.PhaseQueued {
			t.Errorf("unsaved %d, shown %s %q", unsaved, got.Phase, got.RemoteID)
		}
		stored := must(s.file.Job(t.Context(), j.ID))(t)
		rows := must(s.file.List(t.Context(), store.Query{Limit: 1}))(t).Rows
		s.OverlayRow(&rows[0])
		if got.Version == stored.Version || rows[0].Version == stored.Version {
			t.Errorf("the unsaved outcome has the version of the stored job, so a screen would not show it")
		}
		s.mu.Lock()
		if s.told-told != 11 {
			t.Errorf("the store has refused %d times in 10 s", s.told-told)
		}
		s.mu.Unlock()
		noError(t, os.Rename(path+".moved", path))
		time.Sleep(time.Second)
		if _, unsaved := s.Pending(); unsaved != 0 || f.sent() != 1 {
			t.Errorf("unsaved %d, %d POSTs", unsaved, f.sent())
		}
		if kept := must(s.file.Job(t.Context(), j.ID))(t); kept.RemoteID != "r1" {
			t.Errorf("kept %q", kept.RemoteID)
		}
	})
}

func TestMediaInTheAnswerIsDoneAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeService{}
		f.create = func(_ int, o client.CreateOptions) api.Outcome {
			if err := o.Media("image/png", 3, nil); err != nil {
				t.Error(err)
			}
			return api.Outcome{Phase: api.PhaseFetching, HTTPStatus: 200, Answer: api.JobAnswer{Binary: true, HasResult: true, Progress: -1}}
		}
		s := openWindow(t, f)
		j := must(s.Submit(t.Context(), confirm("x")))(t)
		j = must(s.Sent(t.Context(), j.ID))(t)
		if j.Phase != api.PhaseDone || len(j.Files) != 1 || s.fetcher.saved != 1 {
			t.Fatalf("%s, %d files, %d downloads", j.Phase, len(j.Files), s.fetcher.saved)
		}
	})
}

func TestResendAndCancel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeService{}
		f.create = func(n int, _ client.CreateOptions) api.Outcome {
			switch n {
			case 1:
				return refused(api.PhaseUnknown, api.ClassServer, 500, 0)
			case 2:
				return queued("r2")
			}
			return refused(api.PhaseRejected, api.ClassRate, 429, time.Minute)
		}
		s := openWindow(t, f)
		a := must(s.Submit(t.Context(), confirm("x")))(t)
		must(s.Sent(t.Context(), a.ID))(t)
		confirmID, _, _ := s.ResendConfirm(t.Context(), a.ID)
		b := must(s.Resend(t.Context(), a.ID, confirmID))(t)
		if twice := must(s.Resend(t.Context(), a.ID, confirmID))(t); twice.ID != b.ID {
			t.Error("one key press, two jobs")
		}
		if b = must(s.Sent(t.Context(), b.ID))(t); b.Phase != api.PhaseQueued || string(b.Body) != string(a.Body) {
			t.Errorf("%s", b.Phase)
		}
		if id, _, err := s.ResendConfirm(t.Context(), b.ID); err == nil || id != "" {
			t.Error("an accepted job was sent again")
		}
		held := must(s.Submit(t.Context(), confirm("z")))(t)
		time.Sleep(time.Second)
		noError(t, s.Dismiss(t.Context(), held.ID))
		time.Sleep(time.Hour)
		if held = must(s.Find(t.Context(), held.ID))(t); held.Phase != api.PhaseNotSent || f.sent() != 3 {
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
