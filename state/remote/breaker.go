package remote

import (
	"sync"
	"time"

	"darkroom/state/timing"
)

const (
	breakAfter = 3
	backoffTop = time.Minute

	// Backoff is the first wait after a network failure, unscaled.
	Backoff = time.Second
)

// Breaker stops all calls but one probe after three network failures in a row.
// Its zero value is closed: it lets every call through.
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
	if b.failures < breakAfter {
		return true, time.Time{}
	}
	if b.probing {
		return false, time.Time{}
	}
	if now.Before(b.until) {
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
func (b *Breaker) Failed(now time.Time, scale timing.Scale) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures++
	b.probing = false
	wait := scale.Of(timing.Backoff(Backoff, backoffTop, b.failures))
	b.until = now.Add(wait)
	return wait
}

// Worked records an answer; true when it closes an open breaker.
func (b *Breaker) Worked() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	open := b.failures >= breakAfter
	b.failures, b.probing = 0, false
	return open
}
