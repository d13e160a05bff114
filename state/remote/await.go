package remote

import (
	"context"
	"time"

	"darkroom/api"
)

// keyWait is how long AwaitKey gives the keyring: longer than the keyring's
// own limit at start, so that the error can give its reason.
const keyWait = 4 * time.Second

// AwaitKey waits until every source of a key was asked, and returns nil when
// there is a key, or an error that is ErrNoKey and says why there is none.
func (r *Remote) AwaitKey(ctx context.Context) error {
	limit := time.NewTimer(keyWait)
	defer limit.Stop()
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for {
		h := r.Health()
		switch {
		case h.KeyHint != "":
			return nil
		case !h.KeyPending:
			return noKey(h.KeyError)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-limit.C:
			return noKey(whyPending.Reason())
		case <-poll.C:
		}
	}
}

func noKey(why api.Reason) error {
	if why.IsZero() {
		return ErrNoKey
	}
	return &noKeyError{why}
}

// noKeyError is ErrNoKey with its reason, on one line.
type noKeyError struct{ why api.Reason }

func (e *noKeyError) Error() string        { return e.Why().String() }
func (e *noKeyError) Why() api.Reason      { return whyNoKeyWhy.Reason(e.why) }
func (e *noKeyError) Is(target error) bool { return target == ErrNoKey }
