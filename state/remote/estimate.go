package remote

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"darkroom/api"
)

const cacheEstimates = "estimate"

// estimateFresh is how long an estimate is answered from memory.
const estimateFresh = time.Minute

// Estimate is the price of the request: the service's figure, else the table's
// with the error that kept the service's away. Same requests within 60 s are
// answered from memory. Without either the last figure the service gave comes
// back, with its age in At.
func (r *Remote) Estimate(ctx context.Context, req api.Request) (api.Estimate, error) {
	e, err := r.estimate(ctx, req)
	return r.withSent(ctx, req, e), err
}

func (r *Remote) estimate(ctx context.Context, req api.Request) (api.Estimate, error) {
	if r.HoldsKey(req) {
		return api.Estimate{}, ErrHoldsKey
	}
	c, err := r.Ready()
	if err != nil {
		return r.KnownEstimate(ctx, req), err
	}
	model := r.Model(ctx, c.Base, req.Model)
	key := c.Base + " " + req.EstimateKey(model)
	e, ok := r.estimates.of(key)
	if ok && time.Since(e.At) < r.scale.Of(estimateFresh) {
		return e, nil
	}
	answer := r.calls.DoChan("estimate "+key, func() (any, error) {
		e, err := c.Service.Estimate(r.ctx, req, model)
		r.ObserveCall(c, err)
		if err != nil {
			return nil, err
		}
		e.At = time.Now()
		r.keepEstimate(key, e)
		r.noteQuote(c.Base, req, e)
		return e, nil
	})
	select {
	case got := <-answer:
		if got.Err == nil {
			return got.Val.(api.Estimate), nil
		}
		err = got.Err
	case <-ctx.Done():
		err = ctx.Err()
	}
	return r.KnownEstimate(context.WithoutCancel(ctx), req), err
}

// estimatesKept bounds the memory of estimates, each of which may hold 64 KiB of
// the answer.
const estimatesKept = 100

// estimates are the prices that the service gave lately, by base and request.
type estimates struct {
	mu   sync.Mutex
	kept map[string]api.Estimate
}

func (e *estimates) of(key string) (api.Estimate, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	found, ok := e.kept[key]
	return found, ok
}

func (e *estimates) keep(key string, found api.Estimate) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.kept) >= estimatesKept {
		clear(e.kept)
	}
	e.kept[key] = found
}

func (r *Remote) keepEstimate(key string, e api.Estimate) {
	r.estimates.keep(key, e)
	if raw, err := json.Marshal(e); err == nil {
		_ = r.o.Store().Remember(r.ctx, cacheEstimates, key, raw, e.At)
	}
}

// KnownEstimate is the best figure for a request without a call: the table's,
// else the last one the service gave, with its age in At.
func (r *Remote) KnownEstimate(ctx context.Context, req api.Request) api.Estimate {
	if e := api.TableEstimate(req); e.Known() {
		return e
	}
	none := api.Estimate{Source: api.SourceNone}
	base := r.Base()
	if base == nil {
		return none
	}
	key := base.String() + " " + req.EstimateKey(r.Model(ctx, base.String(), req.Model))
	raw, _, err := r.o.Store().Recall(ctx, cacheEstimates, key)
	if err != nil || raw == nil {
		return none
	}
	var e api.Estimate
	if json.Unmarshal(raw, &e) != nil {
		return none
	}
	return e
}

// HoldsKey reports whether a request holds the key in use.
func (r *Remote) HoldsKey(req api.Request) bool {
	c := r.Connection()
	if c == nil {
		return false
	}
	text, err := json.Marshal(req)
	return err == nil && c.Key.In(text)
}
