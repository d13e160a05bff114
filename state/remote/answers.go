package remote

import (
	"context"
	"encoding/json"
	"time"

	"darkroom/api"
	"darkroom/state/store"
)

// Kinds of the answers that the store keeps for times without the service.
const (
	cacheEstimates = "estimate"
	cacheModels    = "models"
	cacheProfile   = "profile"
	cacheTools     = "tools"
)

// remember keeps an answer. What cannot be kept is asked for again, so its
// failure does not fail the call.
func (r *Remote) remember(kind, name string, answer any, at time.Time) {
	if raw, err := json.Marshal(answer); err == nil {
		_ = r.o.Store().Remember(context.WithoutCancel(r.ctx), kind, name, raw, at)
	}
}

// recall reads a kept answer and gives its time; false when there is none, or
// one that cannot be read, which is asked for again.
func (r *Remote) recall(ctx context.Context, kind, name string, answer any) (time.Time, bool, error) {
	raw, at, err := r.o.Store().Recall(ctx, kind, name, time.Time{})
	if err != nil || raw == nil {
		return at, false, store.Explain(err)
	}
	return at, json.Unmarshal(raw, answer) == nil, nil
}

// shared makes a call that all who ask for the same meanwhile wait for. It goes
// on when one of them goes away.
func shared[T any](ctx context.Context, r *Remote, name string, call func() (T, error)) (T, error) {
	select {
	case got := <-r.calls.DoChan(name, func() (any, error) { return call() }):
		return got.Val.(T), got.Err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// keyWait is how long AwaitKey gives the keyring, longer than the keyring's own
// limit at start, so that the error can give its reason; keyPoll is how often it
// looks.
const (
	keyWait = 4 * time.Second
	keyPoll = 5 * time.Millisecond
)

// AwaitKey waits until every source of a key was asked, and returns nil when
// there is a key, or an error that is ErrNoKey and says why there is none.
func (r *Remote) AwaitKey(ctx context.Context) error {
	for end := time.Now().Add(keyWait); ; {
		h := r.Health()
		switch {
		case h.KeyHint != "":
			return nil
		case !h.KeyPending:
			return noKey(h.KeyError)
		case time.Now().After(end):
			return noKey(api.Sentence("the keyring has not answered yet").Reason())
		case !Sleep(ctx, keyPoll):
			return ctx.Err()
		}
	}
}

func noKey(why api.Reason) error {
	if why.IsZero() || why == ErrNoKey.Why() {
		return ErrNoKey
	}
	return api.Sentence("no API key: run 'darkroom login', or set DARKROOM_API_KEY for this run (%v)").Fault(ErrNoKey, why)
}
