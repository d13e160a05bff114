package remote

import (
	"context"
	"time"
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
			return noKey("the keyring has not answered yet")
		case <-poll.C:
		}
	}
}

func noKey(why string) error {
	if why == "" {
		return ErrNoKey
	}
	return &noKeyError{why}
}

// noKeyError is ErrNoKey with its reason, on one line.
type noKeyError struct{ why string }

func (e *noKeyError) Error() string        { return ErrNoKey.Error() + " (" + e.why + ")" }
func (e *noKeyError) Is(target error) bool { return target == ErrNoKey }
