package state

import (
	"sync"
	"time"
)

// breaker rests all polls but one probe after three network failures in a row.
type breaker struct {
	mu       sync.Mutex
	failures int
	until    time.Time // when the next probe may go
	probing  bool
}

const (
	breakAfter = 3
	backOff    = time.Second
	backOffTop = time.Minute
)

// enter asks for leave at now. A resting breaker lets one probe through when
// its time has come; else it says when to ask again.
func (b *breaker) enter(now time.Time) (leave bool, until time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures < breakAfter {
		return true, time.Time{}
	}
	if b.probing {
		return false, time.Time{} // its end wakes the poller
	}
	if now.Before(b.until) {
		return false, b.until
	}
	b.probing = true
	return true, time.Time{}
}

// cancel gives back a leave that was not used.
func (b *breaker) cancel() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
}

// failed notes a network failure and gives the wait before the next call.
func (b *breaker) failed(now time.Time, scale float64) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures++
	b.probing = false
	wait := scaled(fullJitter(backOff, backOffTop, b.failures), scale)
	b.until = now.Add(wait)
	return wait
}

// worked notes an answer; true when it ends a rest.
func (b *breaker) worked() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	rested := b.failures >= breakAfter
	b.failures, b.probing = 0, false
	return rested
}
