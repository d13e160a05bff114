package remote

import (
	"context"
	"math/rand/v2"
	"time"
)

// Floor is the shortest interval that Scale.Of gives.
const Floor = 5 * time.Millisecond

// Scale shortens or lengthens intervals; one that is not above 0 counts as 1.
type Scale float64

// Of applies the scale to an interval.
func (s Scale) Of(d time.Duration) time.Duration {
	if s == 1 || s <= 0 {
		return d
	}
	return max(time.Duration(float64(d)*float64(s)), Floor)
}

// Undo gives the interval that the scale has made d of.
func (s Scale) Undo(d time.Duration) time.Duration {
	if s <= 0 {
		return d
	}
	return time.Duration(float64(d) / float64(s))
}

// Sleep waits; false means that the context ended first.
func Sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// Jitter spreads an interval by U(0.8, 1.2).
func Jitter(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (0.8 + 0.4*rand.Float64()))
}

// fullJitter is a random wait up to Backoff, doubled with each failure, and to
// backoffTop.
func fullJitter(failures int) time.Duration {
	return rand.N(min(Backoff<<min(max(failures-1, 0), 20), backoffTop))
}
