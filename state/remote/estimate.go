package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"darkroom/api"
)

// estimatesKept are answered from memory, each with up to 64 KiB of the answer.
const estimatesKept = 100

// Estimate is the service's price of the request and what the same cost when it was
// last sent; with an error KnownEstimate.
func (r *Remote) Estimate(ctx context.Context, req api.Request) (api.Estimate, error) {
	if r.HoldsKey(req) {
		return api.Estimate{}, ErrHoldsKey
	}
	e, err := r.estimate(ctx, req)
	if err != nil {
		e = r.KnownEstimate(context.WithoutCancel(ctx), req)
	}
	if base := r.Base(); base != nil && e.Known() {
		e.Sent, e.SentAt, _ = r.o.Store().SentPrice(context.WithoutCancel(ctx), base.String(), req)
	}
	return e, err
}

// Price is the estimate that counts now, also that of the table.
func (r *Remote) Price(ctx context.Context, req api.Request) (api.Estimate, error) {
	e, err := r.Estimate(ctx, req)
	counts, _ := e.WithTable(req).Current(req, time.Now())
	return counts, err
}

// estimate gives the price of a request: the one that the service gave lately, else a new
// one, which is kept.
func (r *Remote) estimate(ctx context.Context, req api.Request) (api.Estimate, error) {
	c, err := r.Ready()
	if err != nil {
		return api.Estimate{}, err
	}
	model := r.Model(ctx, c.Base, req.Model)
	key := c.Base + " " + req.EstimateKey(model)
	r.mu.Lock()
	e, rest := r.estimates[key], c.unpriced
	r.mu.Unlock()
	age, known := e.Age(time.Now())
	switch {
	case known && age < r.scale.Of(api.FreshFor):
		return e, nil
	case time.Now().Before(rest):
		return e, whyRest.Fault(nil, rest.Format("15:04:05"))
	}
	return shared(ctx, r, "estimate "+key, func() (api.Estimate, error) {
		e, err := c.Service.Estimate(r.ctx, req, model)
		if fault, ok := errors.AsType[*api.Error](err); ok && fault.Status == 503 { // it may be of prices alone
			r.update(func(h *Health) {
				c.unpriced = time.Now().Add(r.scale.Of(api.ClampWait(cmp.Or(fault.RetryAfter, api.DefaultWait))))
				h.Online = true
			})
			return e, err
		}
		if r.ObserveCall(c, err); err != nil {
			return e, err
		}
		e.At = time.Now()
		r.mu.Lock()
		if len(r.estimates) >= estimatesKept {
			clear(r.estimates)
		}
		r.estimates[key] = e
		r.mu.Unlock()
		r.remember(cacheEstimates, key, e, e.At)
		return e, nil
	})
}

// KnownEstimate is the best figure for a request without a call: the table's,
// else the last one the service gave, with its age in At. One of the future is none.
func (r *Remote) KnownEstimate(ctx context.Context, req api.Request) api.Estimate {
	if e := api.TableEstimate(req); e.Known() {
		return e
	}
	if base := r.Base(); base != nil {
		key := base.String() + " " + req.EstimateKey(r.Model(ctx, base.String(), req.Model))
		e, at, _ := recall[api.Estimate](ctx, r, cacheEstimates, key)
		if _, known := e.Age(time.Now()); known && !at.IsZero() {
			return e
		}
	}
	return api.Estimate{Source: api.SourceNone}
}

// HoldsKey reports whether a request holds the key in use.
func (r *Remote) HoldsKey(req api.Request) bool {
	c := r.Connection()
	text, err := json.Marshal(req)
	return c != nil && err == nil && c.Key.In(text)
}
