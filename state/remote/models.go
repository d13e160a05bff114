package remote

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"darkroom/api"
	"darkroom/state/settings"
	"darkroom/state/store"
)

// Listing is the models with their age.
type Listing struct {
	Models []api.Model
	At     time.Time // when the service gave them; zero when never
	More   bool      // the service names a further page: models may be missing
	Cached bool      // from the store, because the service did not answer
	Err    error     // why the service did not answer
}

// KnownModels returns the last listing from the store, without a call.
func (r *Remote) KnownModels(ctx context.Context) Listing {
	base := r.Base()
	if base == nil {
		return Listing{Err: ErrNoBase}
	}
	return r.recallModels(ctx, base.String())
}

// recallModels is the last listing of a service with the ways that a person set.
func (r *Remote) recallModels(ctx context.Context, base string) Listing {
	l, err := r.storedModels(ctx, base)
	if err != nil || l.At.IsZero() {
		return Listing{Err: err, Cached: l.Cached}
	}
	seen, _ := r.seen(ctx, base) // without it nothing is known of pages
	l.Models, l.More = r.ways(base).ListRatio(slices.Clone(l.Models)), seen.MorePages
	return l
}

// storedModels reads the last listing of a service from the store, whichever
// window it came to. It is decoded once: each estimate asks for its model. Its
// models are shared: nobody changes them.
func (r *Remote) storedModels(ctx context.Context, base string) (Listing, error) {
	r.mu.Lock()
	held := r.listings[base]
	r.mu.Unlock()
	raw, at, err := r.o.Store().Recall(ctx, cacheModels, base, held.At)
	switch {
	case err != nil, at.IsZero():
		return Listing{}, store.Explain(err)
	case raw == nil:
		return held, nil
	}
	held = Listing{At: at, Cached: true}
	if err := json.Unmarshal(raw, &held.Models); err != nil {
		return Listing{Cached: true}, err
	}
	r.mu.Lock()
	r.listings[base] = held
	r.mu.Unlock()
	return held, nil
}

// Models asks the service, keeps the answer, and falls back to the last known.
func (r *Remote) Models(ctx context.Context) Listing {
	c, err := r.Ready()
	if err != nil {
		known := r.KnownModels(ctx)
		known.Err = err
		return known
	}
	listing, err := shared(ctx, r, "models "+c.Base, func() (Listing, error) {
		models, more, err := c.Service.Models(r.ctx)
		r.ObserveCall(c, err)
		if err != nil {
			return Listing{}, err
		}
		now := time.Now()
		r.remember(cacheModels, c.Base, models, now)
		r.record(c.Base, func(seen *settings.Seen) { seen.MorePages = more })
		return Listing{Models: r.ways(c.Base).ListRatio(models), At: now, More: more}, nil
	})
	if err != nil {
		listing = r.recallModels(context.WithoutCancel(ctx), c.Base)
		listing.Err = err
	}
	return listing
}

// Model is the listed model of an id, or the zero Model.
func (r *Remote) Model(ctx context.Context, base, id string) api.Model {
	listed := make([]api.Model, 1)
	held, _ := r.storedModels(ctx, base) // without a listing it is the zero Model
	if i := slices.IndexFunc(held.Models, func(m api.Model) bool { return m.ID == id }); i >= 0 {
		listed[0] = held.Models[i]
	}
	return r.ways(base).ListRatio(listed)[0]
}

// Unlisted reports whether the service's last listing is known, is complete and
// does not have a model: a request for it may be refused, or be charged by other
// rules.
func (r *Remote) Unlisted(ctx context.Context, id string) bool {
	known := r.KnownModels(ctx)
	return len(known.Models) > 0 && !known.More && !slices.ContainsFunc(known.Models, func(m api.Model) bool { return m.ID == id })
}

// Profile is what is known of the service in use. It makes no call.
func (r *Remote) Profile(ctx context.Context) (settings.Profile, error) {
	base := r.Base()
	if base == nil {
		return settings.Profile{}, ErrNoBase
	}
	name := base.String()
	seen, err := r.seen(ctx, name)
	return settings.NewProfile(name, r.ways(name), seen, r.recallModels(ctx, name).Models), err
}

// ways are the ways of a service that a person set by hand.
func (r *Remote) ways(base string) settings.Ways { return r.o.Settings.Get().WaysFor(base) }

func (r *Remote) seen(ctx context.Context, base string) (settings.Seen, error) {
	var seen settings.Seen
	if _, ok, err := r.recall(ctx, cacheProfile, base, &seen); !ok {
		return settings.Seen{}, err
	}
	return seen, nil
}

// record changes what is known of a service.
func (r *Remote) record(base string, change func(*settings.Seen)) {
	r.profiles.Lock()
	defer r.profiles.Unlock()
	was, err := r.seen(context.WithoutCancel(r.ctx), base)
	if err != nil {
		return
	}
	now := was
	change(&now)
	if now == was {
		return
	}
	now.At = time.Now().Round(0)
	r.remember(cacheProfile, base, now, now.At)
}

// RecordCreate takes what the answer to a create shows.
func (r *Remote) RecordCreate(base string, sync bool, out api.Outcome) {
	answers := map[api.Phase]string{api.PhaseQueued: settings.AnswersJob, api.PhaseFetching: settings.AnswersResult}[out.Phase]
	if answers == "" {
		return
	}
	r.record(base, func(seen *settings.Seen) {
		if sync {
			seen.AnswersSync = answers
		} else {
			seen.Answers = answers
		}
		if out.Phase == api.PhaseQueued {
			seen.JobID = out.Answer.IDPath
		}
	})
}

// AnswersAtOnce reports whether a create is answered with the result, for
// which it needs the patience of a whole generation.
func (r *Remote) AnswersAtOnce(base string) bool {
	if set := r.ways(base).Answers; set != "" {
		return set == settings.AnswersResult
	}
	seen, err := r.seen(r.ctx, base)
	return err == nil && seen.Answers == settings.AnswersResult
}
