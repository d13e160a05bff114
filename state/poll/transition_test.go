package poll

import (
	"testing"
	"time"

	"darkroom/api"
	"darkroom/state/store"
)

// TestTransition is the rules of what ends a job, without a clock.
func TestTransition(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	job := store.Job{Row: store.Row{ID: "j", RemoteID: "r", Kind: api.KindImage, Phase: api.PhaseRunning, SentAt: now.Add(-time.Minute)}}
	done := job
	done.Phase, done.EndedAt = api.PhaseDone, now.Add(-time.Second)
	fetching := job
	fetching.Phase = api.PhaseFetching
	early := answer(api.StatusRunning, "PROCESSING", "https://x")
	early.Progress = 0.4
	gone := failing(api.ClassNotFound, 404, 0)
	page := &api.Error{Class: api.ClassNotFound, Status: 404, Raw: []byte("\n<!DOCTYPE html><title>404")}
	failed := job
	failed.Phase, failed.EndedAt, failed.Error = api.PhaseFailed, now.Add(-time.Second), whyUntold.Reason("FAILED")
	forgotten, hollow := failed, failed
	forgotten.Error, hollow.Error = whyForgotten.Reason(), whyNoResult.Reason()
	for name, row := range map[string]struct {
		job   store.Job
		tally store.Tally
		a     api.JobAnswer
		err   error
		want  api.Phase
	}{
		"waiting":               {job, store.Tally{}, answer(api.StatusWaiting, "PENDING"), nil, api.PhaseQueued},
		"running":               {job, store.Tally{}, answer(api.StatusRunning, "PROCESSING"), nil, api.PhaseRunning},
		"unknown word runs on":  {job, store.Tally{}, answer(api.StatusUnlisted, "MARINATING"), nil, api.PhaseRunning},
		"no word":               {job, store.Tally{}, answer(api.StatusNone, ""), nil, api.PhaseRunning},
		"media at 40 %":         {job, store.Tally{}, early, nil, api.PhaseRunning},
		"media, still waiting":  {job, store.Tally{}, answer(api.StatusWaiting, "PENDING", "https://x"), nil, api.PhaseQueued},
		"failed":                {job, store.Tally{}, answer(api.StatusFailed, "FAILED"), nil, api.PhaseFailed},
		"cancelled":             {job, store.Tally{}, answer(api.StatusCancelled, "CANCELED"), nil, api.PhaseFailed},
		"completed":             {job, store.Tally{}, answer(api.StatusSucceeded, "COMPLETED", "https://x"), nil, api.PhaseFetching},
		"hollow, first":         {job, store.Tally{}, answer(api.StatusSucceeded, "COMPLETED"), nil, api.PhaseRunning},
		"hollow, fifth again":   {job, store.Tally{Empty: 4}, answer(api.StatusSucceeded, "COMPLETED"), nil, api.PhaseRunning},
		"hollow, no more":       {job, store.Tally{Empty: 5}, answer(api.StatusSucceeded, "COMPLETED"), nil, api.PhaseFailed},
		"404 once":              {job, store.Tally{}, api.JobAnswer{}, gone, api.PhaseRunning},
		"404 thrice, too soon":  {job, store.Tally{NotFound: 5, NotFoundSince: now.Add(-9 * time.Minute)}, api.JobAnswer{}, gone, api.PhaseRunning},
		"404 twice, long after": {job, store.Tally{NotFound: 1, NotFoundSince: now.Add(-time.Hour)}, api.JobAnswer{}, gone, api.PhaseRunning},
		"404 thrice":            {job, store.Tally{NotFound: 2, NotFoundSince: now.Add(-10 * time.Minute)}, api.JobAnswer{}, gone, api.PhaseFailed},
		"404 of a gateway":      {job, store.Tally{NotFound: 2, NotFoundSince: now.Add(-time.Hour)}, api.JobAnswer{}, page, api.PhaseRunning},
		"404 of it for a day":   {job, store.Tally{NotFound: 2, NotFoundSince: now.Add(-24 * time.Hour)}, api.JobAnswer{}, page, api.PhaseFailed},
		"given up, then known":  {forgotten, store.Tally{NotFound: 3}, answer(api.StatusRunning, "PROCESSING"), nil, api.PhaseRunning},
		"given up, then done":   {forgotten, store.Tally{NotFound: 3}, answer(api.StatusSucceeded, "COMPLETED", "https://x"), nil, api.PhaseFetching},
		"given up, still":       {forgotten, store.Tally{NotFound: 3, NotFoundSince: now.Add(-time.Hour)}, api.JobAnswer{}, gone, api.PhaseFailed},
		"hollow, then a result": {hollow, store.Tally{Empty: 6}, answer(api.StatusSucceeded, "COMPLETED", "https://x"), nil, api.PhaseFetching},
		"failed is failed":      {failed, store.Tally{}, answer(api.StatusRunning, "PROCESSING"), nil, api.PhaseFailed},
		"500":                   {job, store.Tally{}, api.JobAnswer{}, failing(api.ClassServer, 500, 0), api.PhaseRunning},
		"key refused":           {job, store.Tally{}, api.JobAnswer{}, failing(api.ClassKey, 401, 0), api.PhaseRunning},
		"done is done":          {done, store.Tally{}, answer(api.StatusFailed, "FAILED"), nil, api.PhaseDone},
		"done, fresh address":   {done, store.Tally{}, answer(api.StatusSucceeded, "COMPLETED", "https://y"), nil, api.PhaseDone},
		"completed stays":       {fetching, store.Tally{}, answer(api.StatusFailed, "FAILED"), nil, api.PhaseFetching},
	} {
		r := transition(row.job, row.tally, row.a, row.err, now, 1, false)
		if r.Phase != row.want {
			t.Errorf("%s: %s, want %s", name, r.Phase, row.want)
		}
		if r.Phase.Ended() == r.EndedAt.IsZero() {
			t.Errorf("%s: %s with end %v", name, r.Phase, r.EndedAt)
		}
		if r.Phase == api.PhaseFailed && r.Error.IsZero() {
			t.Errorf("%s: failed without a reason", name)
		}
	}
	counted := store.Tally{NotFound: 2, NotFoundSince: now.Add(-time.Hour)}
	if r := transition(job, counted, answer(api.StatusRunning, "PROCESSING"), nil, now, 1, false); r.NotFound != 0 || !r.NotFoundSince.IsZero() {
		t.Errorf("after an answer %d times not found since %v", r.NotFound, r.NotFoundSince)
	}
	if r := transition(job, counted, api.JobAnswer{}, failing(api.ClassServer, 500, 0), now, 1, false); r.NotFound != 2 {
		t.Errorf("a failure changed the count to %d", r.NotFound)
	}
	r := transition(done, store.Tally{}, answer(api.StatusSucceeded, "COMPLETED", "https://y"), nil, now, 1, false)
	if len(r.Results) != 1 || r.Quiet || !r.EndedAt.Equal(done.EndedAt) {
		t.Errorf("fresh address: %+v", r)
	}
	if r := transition(job, store.Tally{Empty: 2}, answer(api.StatusSucceeded, "COMPLETED"), nil, now, 1, false); r.NextPoll.Sub(now) != emptyEvery {
		t.Errorf("a hollow answer is asked again after %v", r.NextPoll.Sub(now))
	}
}
