package remote

import (
	"context"
	"encoding/json"
	"time"

	"darkroom/api"
)

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
	r.mu.Lock()
	e, ok := r.estimates[key]
	r.mu.Unlock()
	if ok && time.Since(e.At) < r.scale.Of(estimateFresh) {
		return e, nil
	}
	e, err = shared(ctx, r, "estimate "+key, func() (api.Estimate, error) {
		e, err := c.Service.Estimate(r.ctx, req, model)
		r.ObserveCall(c, err)
		if err != nil {
			return e, err
		}
		e.At = time.Now()
		r.keepEstimate(key, e)
		r.remember(cacheEstimates, key, e, e.At)
		return e, nil
	})
	if err != nil {
		e = r.KnownEstimate(context.WithoutCancel(ctx), req)
	}
	return e, err
}

// estimatesKept bounds the memory of estimates, each of which may hold 64 KiB of
// the answer.
const estimatesKept = 100

func (r *Remote) keepEstimate(key string, e api.Estimate) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.estimates) >= estimatesKept {
		clear(r.estimates)
	}
	r.estimates[key] = e
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
	var e api.Estimate
	if _, ok, _ := r.recall(ctx, cacheEstimates, key, &e); !ok {
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

// withSent adds what the same parameters cost when they were last sent.
func (r *Remote) withSent(ctx context.Context, req api.Request, e api.Estimate) api.Estimate {
	base := r.Base()
	if base == nil || !e.Known() {
		return e
	}
	e.Sent, e.SentAt, _ = r.o.Store().SentPrice(context.WithoutCancel(ctx), base.String(), req)
	return e
}
