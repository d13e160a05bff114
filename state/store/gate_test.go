package store

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"darkroom/api"
)

func TestTakeOverSettlesWhatTheDeadLeft(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := open(t)
	noError(t, s.AddInstance(ctx, Instance{ID: "me", Lock: "x"}, noon))
	waiting, sending := record(t, s, intent(1)), record(t, s, intent(2))
	attempt := must(s.MarkSending(ctx, sending.ID, "me", noon))(t)
	polled := accept(t, s, intent(3), api.PhaseQueued, "r3")
	g := must(s.Acquire(ctx, testBase, "me", polled.ID, noon, pace))(t)
	mine := intent(4)
	mine.Instance = "other"
	noError(t, s.AddInstance(ctx, Instance{ID: "other", Lock: "y"}, noon))
	alive := record(t, s, mine)
	noError(t, s.TakeOver(ctx, []string{"me"}, noon))
	for id, want := range map[string]api.Phase{waiting.ID: api.PhaseNotSent, sending.ID: api.PhaseUnknown,
		polled.ID: api.PhaseQueued, alive.ID: api.PhaseIntent} {
		if j := must(s.Job(ctx, id))(t); j.Phase != want {
			t.Errorf("%s is %s, want %s", j.Title, j.Phase, want)
		}
	}
	// The dead window's late poll changes nothing, its late outcome does: it
	// says more than "unknown".
	if err := s.Apply(ctx, Transition{ID: polled.ID, Epoch: g.Epoch, Phase: api.PhaseFailed}); !errors.Is(err, ErrLate) {
		t.Errorf("late settle: %v", err)
	}
	noError(t, s.Finish(ctx, Finish{ID: sending.ID, Attempt: attempt, Phase: api.PhaseQueued, RemoteID: "r2", Now: noon}))
	if j := must(s.Job(ctx, sending.ID))(t); j.Phase != api.PhaseQueued || j.RemoteID != "r2" {
		t.Errorf("late outcome: %s %q", j.Phase, j.RemoteID)
	}
}

var pace = Pace{Every: 500 * time.Millisecond, Burst: 2, Calls: 4, Limit: time.Minute}

func TestRateIsSharedBetweenWindows(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	a := open(t)
	b := openAt(t, a.Health().Path)
	now, taken := noon, 0
	for now.Before(noon.Add(10 * time.Second)) {
		for i, s := range []*Store{a, b} {
			g := must(s.Acquire(ctx, testBase, fmt.Sprint(i), "", now, pace))(t)
			if g.Until.IsZero() {
				taken++
				noError(t, s.EndCall(ctx, testBase, g.Call, true))
			}
		}
		now = now.Add(50 * time.Millisecond)
	}
	if taken < 20 || taken > 22 {
		t.Fatalf("%d calls in 10 s", taken)
	}
}

func TestAtMostFourFly(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := open(t)
	now := noon
	var last Permit
	for range 4 {
		last = must(s.Acquire(ctx, testBase, "a", "", now, pace))(t)
		if !last.Until.IsZero() {
			t.Fatal("no leave")
		}
		now = now.Add(time.Second)
	}
	if g := must(s.Acquire(ctx, testBase, "b", "", now, pace))(t); g.Until.IsZero() {
		t.Fatal("a fifth call flies")
	}
	noError(t, s.EndCall(ctx, testBase, last.Call, true))
	if g := must(s.Acquire(ctx, testBase, "b", "", now, pace))(t); !g.Until.IsZero() {
		t.Fatal("no leave after one landed")
	}
}

func TestGateDoublesWithoutAskedWait(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := open(t)
	now := noon
	for _, want := range []time.Duration{60, 120, 240, 480, 900, 900} {
		until := must(s.CloseGate(ctx, testBase, now, 0, time.Minute, 15*time.Minute))(t)
		if got := until.Sub(now); got != want*time.Second {
			t.Fatalf("closed for %v, want %v", got, want*time.Second)
		}
		if same := must(s.CloseGate(ctx, testBase, now, 0, time.Minute, 15*time.Minute))(t); !same.Equal(until) {
			t.Fatal("a call that was under way closed it further")
		}
		if g := must(s.Acquire(ctx, testBase, "a", "", now, pace))(t); !g.Until.Equal(until) {
			t.Fatalf("leave through a closed gate: %+v", g)
		}
		now = until.Add(time.Millisecond)
	}
	if g := must(s.Acquire(ctx, testBase, "a", "", now, pace))(t); !g.Until.IsZero() {
		t.Fatalf("no leave through an open gate, though no call was counted before it closed: %+v", g)
	}
	noError(t, s.EndCall(ctx, testBase, 0, true))
	if until := must(s.CloseGate(ctx, testBase, now, 0, time.Minute, 15*time.Minute))(t); until.Sub(now) != time.Minute {
		t.Fatal("a good answer does not forget the strikes")
	}
}
