package remote

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"darkroom/api"
	"darkroom/state/store"
)

const (
	gateTop = 15 * time.Minute // bounds the gate's waits when the service names none
	// ReplanSpan is the span over which waiting jobs are planned again after a
	// lost network, a sleep or a gate, unscaled.
	ReplanSpan = 10 * time.Second
	// farthest is later than any call or rest is planned for: what lies beyond was
	// written while the clock was ahead.
	farthest = 2 * time.Hour

	whyRest = api.Sentence("the service is busy: it is not called before %v")
)

// ErrRests is behind an error that a time ends: nothing was asked for.
var ErrRests = errors.New("rests")

// Ready is Sendable for any call but a poll, outside of rests.
func (r *Remote) Ready() (*Connection, error) {
	c, no := r.Sendable()
	if no != nil {
		return nil, no.Cause
	}
	until, err := r.o.Store().GateUntil(r.ctx, c.Base) // for all calls of all windows
	if now := time.Now(); err == nil && now.Before(until) && !r.TooFar(until, now) {
		return nil, whyRest.Fault(ErrRests, until.Format("15:04:05"))
	}
	return c, nil
}

// CloseGate stops the calls of all windows after e and gives the wait.
func (r *Remote) CloseGate(c *Connection, e *api.Error) time.Duration {
	asked := e.RetryAfter
	if asked > 0 {
		asked = r.scale.Of(api.ClampWait(asked))
	}
	now, first := time.Now(), r.scale.Of(api.DefaultWait)
	until, err := r.o.Store().CloseGate(context.Background(), c.Base, now, asked, first, r.scale.Of(gateTop))
	if err != nil {
		return max(asked, first)
	}
	r.SetTrouble(e.Why())
	// Jobs come back one after another, not all in the moment it opens.
	return until.Sub(now) + r.scale.Of(rand.N(Backoff))
}

// TooFar reports whether a time is one that no schedule can have made.
func (r *Remote) TooFar(at, now time.Time) bool { return at.Sub(now) > r.scale.Of(farthest) }

// Replan spreads waiting calls over the next seconds, also what is TooFar.
func (r *Remote) Replan(c *Connection, now time.Time) {
	_ = r.o.Store().Spread(r.ctx, c.Base, now, r.scale.Of(ReplanSpan), r.scale.Of(farthest))
}

// Wake drops connections that died while the machine slept, and replans.
func (r *Remote) Wake(now time.Time) {
	if c := r.Connection(); c != nil {
		c.Service.CloseIdle()
		r.Replan(c, now)
	}
}

// Refusal says why nothing was sent.
type Refusal = store.Refusal

// Sendable gives the connection for a create, or says why there is none now.
func (r *Remote) Sendable() (*Connection, *Refusal) {
	now := r.now()
	c, h := now.conn, now.health
	no := &Refusal{Code: "no_key", Fault: api.Fault{Reason: h.KeyError, Cause: ErrNoKey}}
	switch {
	case now.base == nil:
		no.Code, no.Cause = "no_base", ErrNoBase
	case c == nil && h.KeyPending:
		no.Reason = api.Sentence("the keyring has not answered yet: wait a moment, or type the key for this session").Reason()
	case c == nil:
	case h.KeyRefused:
		no = &Refusal{Code: "key_refused", Fault: api.Fault{Reason: ErrKeyRefused.Why(), Cause: ErrKeyRefused}}
	default:
		return c, nil
	}
	return nil, no
}

const (
	breakAfter = 3 // failures
	backoffTop = time.Minute
	// Backoff is the first wait after a network failure, unscaled.
	Backoff = time.Second
)

// Breaker stops all calls but one probe after three network failures in a row.
type Breaker struct {
	mu       sync.Mutex
	failures int
	until    time.Time // when the next probe may go
	probing  bool
}

// Enter asks for a call at now. An open breaker lets one probe through when its
// time has come; else it says when to ask again, zero while a probe is out.
func (b *Breaker) Enter(now time.Time) (ok bool, until time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.failures < breakAfter:
		return true, time.Time{}
	case b.probing:
		return false, time.Time{}
	case now.Before(b.until):
		return false, b.until
	}
	b.probing = true
	return true, time.Time{}
}

// Cancel takes back an Enter after which no call was made.
func (b *Breaker) Cancel() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
}

// Failed records a network failure and gives the wait before the next call.
func (b *Breaker) Failed(now time.Time, scale Scale) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures++
	b.probing = false
	wait := scale.Of(fullJitter(b.failures))
	b.until = now.Add(wait)
	return wait
}

// Worked records an answer; true when it closes an open breaker.
func (b *Breaker) Worked() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer func() { b.failures, b.probing = 0, false }()
	return b.failures >= breakAfter
}

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
