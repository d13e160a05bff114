package submit

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/state/remote"
	"darkroom/state/settings"
	"darkroom/state/store"
)

// unknownThenQueued makes the first create unknown and every other one queued.
func unknownThenQueued() *fakeService {
	f := &fakeService{}
	f.create = func(n int, _ client.CreateOptions) api.Outcome {
		if n == 1 {
			return refused(api.PhaseUnknown, api.ClassServer, 500, 0)
		}
		return queued("r2")
	}
	return f
}

// image is a request without a price in the table.
func image(prompt string, credits api.Credits) Confirmed {
	return Confirmed{ConfirmID: NewConfirmID(), Request: api.Request{Kind: api.KindImage, Model: "acme/paint", Prompt: prompt},
		Estimate: api.Estimate{Credits: credits, Source: api.SourceService, At: time.Now()}}
}

func TestAResendNeedsItsQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := unknownThenQueued()
		s := openWindow(t, f)
		a := must(s.Submit(t.Context(), confirm("x")))(t)
		must(s.Sent(t.Context(), a.ID))(t)
		_, err := s.Resend(t.Context(), a.ID, a.ID+"#0")
		var r *remote.Refusal
		if !errors.As(err, &r) || r.Code != "stale" || f.sent() != 1 {
			t.Errorf("%v after %d POSTs", err, f.sent())
		}
	})
}

// TestAWithdrawnIntentIsSentOnce: a job that waits is withdrawn by the
// transaction that records its repetition.
func TestAWithdrawnIntentIsSentOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeService{}
		f.create = func(n int, _ client.CreateOptions) api.Outcome {
			if n == 1 {
				return refused(api.PhaseRejected, api.ClassRate, 429, time.Hour)
			}
			return queued("r2")
		}
		s := openWindow(t, f)
		a := must(s.Submit(t.Context(), confirm("x")))(t)
		time.Sleep(time.Second)
		one, _, _ := s.ResendConfirm(t.Context(), a.ID)
		b := must(s.Resend(t.Context(), a.ID, one))(t)
		c := must(s.Resend(t.Context(), a.ID, one))(t)
		time.Sleep(24 * time.Hour)
		if a = must(s.Find(t.Context(), a.ID))(t); a.Phase != api.PhaseNotSent || b.ID != c.ID || f.sent() != 2 {
			t.Errorf("%s, %d POSTs", a.Phase, f.sent())
		}
	})
}

// TestAResendCountsWithTheCurrentPrice: the price may have risen since.
func TestAResendCountsWithTheCurrentPrice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := unknownThenQueued()
		f.price = func() (api.Estimate, error) {
			return api.Estimate{Credits: 90 * api.Credit, Source: api.SourceService}, nil
		}
		s := openWindow(t, f, func(set *settings.Settings) { set.Budget = 100 * api.Credit })
		a := must(s.Submit(t.Context(), image("x", 12*api.Credit)))(t)
		must(s.Sent(t.Context(), a.ID))(t)
		id, price, err := s.ResendConfirm(t.Context(), a.ID)
		if err != nil || price.Credits != 90*api.Credit {
			t.Fatalf("%v, %v", price, err)
		}
		_, err = s.Resend(t.Context(), a.ID, id)
		var r *remote.Refusal
		if !errors.As(err, &r) || r.Code != "budget" || f.sent() != 1 {
			t.Errorf("%v after %d POSTs: 12 are possibly spent and 90 wanted of 100", err, f.sent())
		}
	})
}

// TestAnOldPriceDoesNotCountForALimit: with a budget or a highest price the
// figure has to be of the last minute.
func TestAnOldPriceDoesNotCountForALimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeService{create: func(int, client.CreateOptions) api.Outcome { return queued("r") }}
		s := openWindow(t, f)
		old := func(prompt string) Confirmed {
			c := image(prompt, 5*api.Credit)
			c.Estimate.At = time.Now().Add(-api.FreshFor - time.Second)
			return c
		}
		must(s.Submit(t.Context(), old("free")))(t)
		limited := old("limited")
		limited.MaxCredits = 10 * api.Credit
		var r *remote.Refusal
		if _, err := s.Submit(t.Context(), limited); !errors.As(err, &r) || r.Code != "stale" {
			t.Errorf("--max-credits: %v", err)
		}
		s.settings.Change(func(set *settings.Settings) { set.Budget = 100 * api.Credit })
		if _, err := s.Submit(t.Context(), old("budget")); !errors.As(err, &r) || r.Code != "stale" {
			t.Errorf("budget: %v", err)
		}
		must(s.Submit(t.Context(), image("fresh", 5*api.Credit)))(t)
		// The rate table has no age, and the higher of the two counts.
		c := confirm("table")
		c.Estimate = api.Estimate{Source: api.SourceService, At: time.Now()}
		if _, err := s.Submit(t.Context(), c); !errors.As(err, &r) || r.Code != "budget" {
			t.Errorf("a price of 0 for 425 credits by the table: %v", err)
		}
	})
}

// TestNothingIsPaidForThatCannotBeSaved: not by a request, a repetition or a tool.
func TestNothingIsPaidForThatCannotBeSaved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := unknownThenQueued()
		s := openWindow(t, f)
		a := must(s.Submit(t.Context(), confirm("x")))(t)
		must(s.Sent(t.Context(), a.ID))(t)
		id, _, _ := s.ResendConfirm(t.Context(), a.ID)
		file := filepath.Join(t.TempDir(), "file")
		noError(t, os.WriteFile(file, nil, 0o600))
		s.settings.Change(func(set *settings.Settings) { set.Downloads = filepath.Join(file, "folder") })
		_, sent := s.Submit(t.Context(), confirm("y"))
		_, again := s.Resend(t.Context(), a.ID, id)
		_, called := s.CallTool(t.Context(), ToolCall{Name: "x", Agreed: true})
		for _, err := range []error{sent, again, called} {
			var r *remote.Refusal
			if !errors.As(err, &r) || r.Code != "downloads" || !strings.Contains(r.Error(), "not a directory") {
				t.Errorf("%v", err)
			}
		}
		if page := must(s.file.List(t.Context(), store.Query{}))(t); f.sent() != 1 || page.Total != 1 {
			t.Errorf("%d POSTs, %d jobs", f.sent(), page.Total)
		}
	})
}
