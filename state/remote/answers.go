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

// remember keeps an answer. What cannot be kept is asked for again.
func (r *Remote) remember(kind, name string, answer any, at time.Time) {
	if raw, err := json.Marshal(answer); err == nil {
		_ = r.o.Store().Remember(context.WithoutCancel(r.ctx), kind, name, raw, at)
	}
}

// recall reads a kept answer and its time, which is zero if there is none.
func recall[T any](ctx context.Context, r *Remote, kind, name string) (answer T, _ time.Time, _ error) {
	raw, at, err := r.o.Store().Recall(ctx, kind, name, time.Time{})
	if err != nil || raw == nil || json.Unmarshal(raw, &answer) != nil {
		var none T
		return none, time.Time{}, store.Explain(err)
	}
	return answer, at, nil
}

// shared makes a call that all who ask for the same meanwhile wait for.
func shared[T any](ctx context.Context, r *Remote, name string, call func() (T, error)) (T, error) {
	select {
	case got := <-r.calls.DoChan(name, func() (any, error) { return call() }):
		return got.Val.(T), got.Err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// keyWait is how long AwaitKey gives the keyring: longer than keys.Patience, so that
// the error has its reason. keyPoll is how often it looks.
const (
	keyWait = 4 * time.Second
	keyPoll = 5 * time.Millisecond
)

// AwaitKey waits until every source of a key was asked. ErrNoKey says why none has.
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
	switch {
	case why.IsZero() || why == ErrNoKey.Why():
		return ErrNoKey
	case why.Format() == whyNotKey:
		return &api.Fault{Reason: why, Cause: ErrNoKey}
	}
	return api.Sentence("no API key: run 'darkroom login', or set DARKROOM_API_KEY for this run (%v)").Fault(ErrNoKey, why)
}
