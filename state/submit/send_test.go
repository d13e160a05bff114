package submit

import (
	"errors"
	"slices"
	"strings"
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

// held makes a session with one intent that waits because of a 429.
func held(t *testing.T, f *fakeService) (*window, store.Job) {
	t.Helper()
	f.create = func(int, client.CreateOptions) api.Outcome {
		return refused(api.PhaseRejected, api.ClassRate, 429, time.Minute)
	}
	s := openWindow(t, f)
	j := must(s.Submit(t.Context(), confirm("x")))(t)
	time.Sleep(time.Second)
	if j = must(s.Find(t.Context(), j.ID))(t); j.Phase != api.PhaseIntent || f.sent() != 1 {
		t.Fatalf("%s after %d POSTs", j.Phase, f.sent())
	}
	return s, j
}

func TestARemovedKeySendsNothingMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeService{}
		s, j := held(t, f)
		noError(t, s.remote.Forget(t.Context()))
		time.Sleep(time.Hour)
		if j = must(s.Find(t.Context(), j.ID))(t); j.Phase != api.PhaseNotSent || j.ErrClass != api.ClassKey || f.sent() != 1 {
			t.Errorf("%s (%s) after %d POSTs", j.Phase, j.Error, f.sent())
		}
	})
}

// TestAWaitingRequestStaysWithItsService: another address in use meanwhile gets
// nothing that was confirmed for the first.
func TestAWaitingRequestStaysWithItsService(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeService{}
		s, j := held(t, f)
		noError(t, s.remote.UseKey(t.Context(), "https://another.test", must(api.ParseKey(testKey))(t), keys.ForSession))
		f.mu.Lock()
		f.create = func(int, client.CreateOptions) api.Outcome { return queued("r1") }
		f.mu.Unlock()
		time.Sleep(time.Hour)
		j = must(s.Find(t.Context(), j.ID))(t)
		if want := []string{"https://service.test", "https://service.test"}; j.Phase != api.PhaseQueued || !slices.Equal(f.at, want) {
			t.Errorf("%s (%s) by connections of %q", j.Phase, j.Error, f.at)
		}
	})
}

// TestNothingWaitingIsSentAfterARefusedKey: a 401 to anything keeps what waits
// from being sent.
func TestNothingWaitingIsSentAfterARefusedKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeService{}
		s, j := held(t, f)
		s.remote.Observe(s.remote.Connection(), &api.Error{Class: api.ClassKey, Status: 401})
		f.mu.Lock()
		f.create = func(int, client.CreateOptions) api.Outcome { return queued("r1") }
		f.mu.Unlock()
		time.Sleep(time.Hour)
		if j = must(s.Find(t.Context(), j.ID))(t); j.Phase != api.PhaseNotSent || j.ErrClass != api.ClassKey || f.sent() != 1 {
			t.Errorf("%s (%s) after %d POSTs", j.Phase, j.Error, f.sent())
		}
	})
}

func TestSendingAgainStaysWithTheService(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeService{}
		f.create = func(int, client.CreateOptions) api.Outcome { return refused(api.PhaseUnknown, api.ClassServer, 500, 0) }
		s := openWindow(t, f)
		j := must(s.Submit(t.Context(), confirm("x")))(t)
		must(s.Sent(t.Context(), j.ID))(t)
		key := must(api.ParseKey(testKey))(t)
		noError(t, s.remote.UseKey(t.Context(), "https://another.test", key, keys.ForSession))
		_, _, err := s.ResendConfirm(t.Context(), j.ID)
		var r *remote.Refusal
		if !errors.As(err, &r) || r.Code != "not_sendable" || !strings.Contains(r.Error(), "service.test") || f.sent() != 1 {
			t.Errorf("%v after %d POSTs", err, f.sent())
		}
	})
}

// TestATurnThatIsOverSendsNothing: a process that was stopped past its turn looks
// again right before the POST, and waits for another turn.
func TestATurnThatIsOverSendsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeService{create: func(int, client.CreateOptions) api.Outcome { return queued("r1") }}
		s := openWindow(t, f)
		s.over.Store(2)
		j := must(s.Submit(t.Context(), confirm("x")))(t)
		time.Sleep(time.Minute)
		if j = must(s.Find(t.Context(), j.ID))(t); j.Phase != api.PhaseQueued || f.sent() != 1 || s.over.Load() >= 0 {
			t.Errorf("%s after %d POSTs; %d turns left", j.Phase, f.sent(), s.over.Load())
		}
	})
}

// TestAnswersAtOnce: a service that answers with the result gets the patience of
// a whole generation, once it showed that or a person said so.
func TestAnswersAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeService{}
		var patient []bool
		f.create = func(n int, o client.CreateOptions) api.Outcome {
			patient = append(patient, o.Sync)
			if n == 2 {
				return queued("r2")
			}
			out := queued("")
			out.Phase, out.Answer.Results, out.Answer.Class = api.PhaseFetching, []api.Result{{URL: "https://cdn.test/a.png"}}, api.StatusSucceeded
			return out
		}
		s := openWindow(t, f)
		send := func(prompt string) {
			t.Helper()
			j := must(s.Submit(t.Context(), confirm(prompt)))(t)
			must(s.Sent(t.Context(), j.ID))(t)
			synctest.Wait()
		}
		send("one")
		if seen := must(s.remote.Profile(t.Context()))(t).Seen; seen.Answers != settings.AnswersResult {
			t.Errorf("%+v", seen)
		}
		send("two") // answered with a job again
		send("three")
		s.settings.Change(func(set *settings.Settings) { set.Ways.Answers = settings.AnswersJob })
		send("four")
		s.settings.Change(func(set *settings.Settings) { set.Ways.Answers = settings.AnswersResult })
		send("five")
		if want := []bool{false, true, false, false, true}; !slices.Equal(patient, want) {
			t.Errorf("%v, want %v", patient, want)
		}
	})
}
