package remote

import (
	"context"
	"testing"
	"time"
)

func TestScale(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		scale Scale
		d     time.Duration
		want  time.Duration
	}{
		{1, time.Second, time.Second},
		{0, time.Second, time.Second},
		{-1, time.Second, time.Second},
		{0.1, time.Second, 100 * time.Millisecond},
		{0.0001, time.Second, Floor},
		{2, time.Second, 2 * time.Second},
		{1, time.Nanosecond, time.Nanosecond},
	} {
		if got := row.scale.Of(row.d); got != row.want {
			t.Errorf("%v of %v is %v, want %v", row.scale, row.d, got, row.want)
		}
	}
	if got := Scale(0.1).Undo(time.Second); got != 10*time.Second {
		t.Errorf("undone: %v", got)
	}
}

func TestWaitsAreSpread(t *testing.T) {
	t.Parallel()
	low, high := time.Hour, time.Duration(0)
	for range 1000 {
		d := Jitter(time.Second)
		low, high = min(low, d), max(high, d)
	}
	if low < 800*time.Millisecond || high > 1200*time.Millisecond || high-low < 300*time.Millisecond {
		t.Errorf("jitter of a second from %v to %v", low, high)
	}
	for failures, top := range map[int]time.Duration{0: time.Second, 1: time.Second, 3: 4 * time.Second, 60: time.Minute} {
		longest := time.Duration(0)
		for range 1000 {
			d := fullJitter(time.Second, time.Minute, failures)
			if d <= 0 || d > top {
				t.Fatalf("after %d failures %v, want up to %v", failures, d, top)
			}
			longest = max(longest, d)
		}
		if longest < top/2 {
			t.Errorf("after %d failures never more than %v of %v", failures, longest, top)
		}
	}
}

func TestSleepEndsWithItsContext(t *testing.T) {
	t.Parallel()
	if !Sleep(t.Context(), 0) {
		t.Error("a wait of nothing was cut short")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if Sleep(ended, time.Hour) {
		t.Error("it outlived its context")
	}
}
