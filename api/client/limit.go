package client

import (
	"context"
	"sync"
	"time"

	"darkroom/api"
)

// limit ends a call that takes too long, with a LimitError. A process that was
// stopped (Ctrl-Z) finds its limits over although the answer may have come; so one
// that is over grants a last moment, and another if it was stopped during that.
type limit struct {
	LimitError
	end func(error)

	mu    sync.Mutex
	timer *time.Timer
	due   time.Time
	last  bool // the last moment runs
	over  bool // stopped, or ended
}

const lastMoment = 100 * time.Millisecond

// newLimit makes a limit that begins with Reset.
func newLimit(d time.Duration, what api.Sentence, end func(error)) *limit {
	l := &limit{LimitError: LimitError{what, d}, end: end, over: true}
	l.timer = time.AfterFunc(time.Hour, l.expired)
	l.timer.Stop()
	return l
}

// Reset begins the limit again.
func (l *limit) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over, l.last = false, false
	l.wind(l.limit)
}

// Stop keeps the limit from ending the call.
func (l *limit) Stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	l.timer.Stop()
}

func (l *limit) wind(d time.Duration) {
	l.due = time.Now().Add(d)
	l.timer.Reset(d)
}

func (l *limit) expired() {
	l.mu.Lock()
	defer l.mu.Unlock()
	late := time.Since(l.due)
	switch {
	case l.over, late < 0: // stopped or reset meanwhile
	case !l.last || late > lastMoment:
		l.last = true
		l.wind(lastMoment)
	default:
		l.over = true
		l.end(&l.LimitError)
	}
}

// WithLimit gives a context that ends with a LimitError when d is over.
func WithLimit(ctx context.Context, d time.Duration, what api.Sentence) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	l := newLimit(d, what, cancel)
	l.Reset()
	return ctx, func() { l.Stop(); cancel(nil) }
}

// Scaled multiplies a limit, to at least 1 ms.
func Scaled(d time.Duration, scale float64) time.Duration {
	if scale <= 0 {
		return d
	}
	return max(time.Duration(float64(d)*scale), time.Millisecond)
}

// LimitError says which limit of a call ran out.
type LimitError struct {
	what  api.Sentence // what did not happen
	limit time.Duration
}

func (e *LimitError) Error() string {
	return api.Sentence("%v within %v").Reason(e.what.Reason(), e.limit).String()
}

// Timeout marks the error as a time-out, as net.Error does.
func (e *LimitError) Timeout() bool { return true }
