package remote

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"darkroom/api"
	"darkroom/state/store"
)

// Listing is the models with their age.
type Listing struct {
	Models []api.Model
	At     time.Time // when the service gave them; zero when never
	Cached bool      // from the store, because the service did not answer
	Err    error     // why the service did not answer
}

const cacheModels = "models"

// KnownModels returns the last listing from the store, without a call.
func (r *Remote) KnownModels(ctx context.Context) Listing {
	base := r.Base()
	if base == nil {
		return Listing{Err: ErrNoBase}
	}
	return r.recallModels(ctx, base.String())
}

func (r *Remote) recallModels(ctx context.Context, base string) Listing {
	raw, at, err := r.o.Store().Recall(ctx, cacheModels, base)
	if err != nil || raw == nil {
		return Listing{Err: store.Explain(err)}
	}
	var models []api.Model
	if err := json.Unmarshal(raw, &models); err != nil {
		return Listing{Err: err, Cached: true}
	}
	return Listing{Models: r.ways(base).ListRatio(models), At: at, Cached: true}
}

// Models asks the service, keeps the answer, and falls back to the last known.
func (r *Remote) Models(ctx context.Context) Listing {
	c, err := r.Ready()
	if err != nil {
		known := r.KnownModels(ctx)
		known.Err = err
		return known
	}
	answer := r.calls.DoChan("models "+c.Base, func() (any, error) {
		models, err := c.Service.Models(r.ctx)
		r.ObserveCall(c, err)
		if err != nil {
			return nil, err
		}
		now := time.Now()
		if raw, err := json.Marshal(models); err == nil {
			_ = r.o.Store().Remember(r.ctx, cacheModels, c.Base, raw, now)
		}
		r.noteListing(c.Base, models, now)
		return Listing{Models: r.ways(c.Base).ListRatio(models), At: now}, nil
	})
	select {
	case got := <-answer:
		if got.Err == nil {
			return got.Val.(Listing)
		}
		err = got.Err
	case <-ctx.Done():
		err = ctx.Err()
	}
	known := r.recallModels(context.WithoutCancel(ctx), c.Base)
	known.Err = err
	return known
}

// Model is the listed model of an id, or the zero Model.
func (r *Remote) Model(ctx context.Context, base, id string) api.Model {
	for _, m := range r.recallModels(ctx, base).Models {
		if m.ID == id {
			return m
		}
	}
	return r.ways(base).ListRatio([]api.Model{{}})[0]
}

// Unlisted reports whether the service's last listing is known and does not have
// a model: a request for it may be refused, or be charged by other rules.
func (r *Remote) Unlisted(ctx context.Context, id string) bool {
	known := r.KnownModels(ctx).Models
	return len(known) > 0 && !slices.ContainsFunc(known, func(m api.Model) bool { return m.ID == id })
}
