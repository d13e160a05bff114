package submit

import (
	"errors"
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

// TestTheDayIsLocal: a budget's day begins at the person's midnight.
func TestTheDayIsLocal(t *testing.T) {
	t.Parallel()
	for _, hours := range []int{-9, 0, 9} {
		zone := time.FixedZone("zone", hours*3600)
		now := time.Date(2026, 3, 1, 4, 0, 0, 0, zone)
		if got, want := store.DayStart(now), time.Date(2026, 3, 1, 0, 0, 0, 0, zone); !got.Equal(want) {
			t.Errorf("%d hours: %v, want %v", hours, got, want)
		}
	}
}

// TestABusyServiceClosesTheGate: after a 503 to a create nothing is sent before
// the rest that it asked for is over.
func TestABusyServiceClosesTheGate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeService{}
		f.create = func(n int, _ client.CreateOptions) api.Outcome {
			if n == 1 {
				out := refused(api.PhaseUnknown, api.ClassServer, 503, 0)
				out.Err.RetryAfter = time.Minute
				return out
			}
			return queued("r2")
		}
		s := openWindow(t, f)
		a := must(s.Submit(t.Context(), confirm("x")))(t)
		must(s.Sent(t.Context(), a.ID))(t)
		b := must(s.Submit(t.Context(), confirm("y")))(t)
		time.Sleep(50 * time.Second)
		if f.sent() != 1 {
			t.Error("sent while the service rests")
		}
		if b = must(s.Sent(t.Context(), b.ID))(t); b.Phase != api.PhaseQueued || f.sent() != 2 {
			t.Errorf("%s after %d POSTs", b.Phase, f.sent())
		}
	})
}

// TestAnUnreadableBudgetIsSaid, and is no amount of credits.
func TestAnUnreadableBudgetIsSaid(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeService{create: func(int, client.CreateOptions) api.Outcome { return queued("r") }}
		s := openWindow(t, f, func(set *settings.Settings) { set.Budget = api.BudgetUnreadable })
		_, err := s.Submit(t.Context(), confirm("x"))
		var r *remote.Refusal
		if !errors.As(err, &r) || r.Code != "budget" || strings.Contains(r.Error(), "0.000001") || !strings.Contains(r.Error(), "cannot be read") {
			t.Errorf("%v", err)
		}
	})
}
