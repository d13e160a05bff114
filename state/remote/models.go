package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
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
	l, err := r.storedModels(ctx, base.String())
	if err != nil || l.At.IsZero() {
		return Listing{Err: err}
	}
	seen, _ := r.seen(ctx, base.String())
	l.Models, l.More = r.ways(base.String()).ListRatio(l.Models), seen.MorePages
	return l
}

// storedModels reads the last listing of a service from the store. It is decoded
// once, as each estimate asks for its model; nobody changes its models.
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
		return Listing{}, err
	}
	r.mu.Lock()
	r.listings[base] = held
	r.mu.Unlock()
	return held, nil
}

// Models asks the service, keeps the answer, and falls back to the last known.
func (r *Remote) Models(ctx context.Context) (listing Listing) {
	c, err := r.Ready()
	if err == nil {
		listing, err = shared(ctx, r, "models "+c.Base, func() (Listing, error) {
			models, more, err := c.Service.Models(r.ctx)
			if r.ObserveCall(c, err); err != nil {
				return Listing{}, err
			}
			now := time.Now()
			r.remember(cacheModels, c.Base, models, now)
			r.record(c.Base, func(seen *settings.Seen) { seen.MorePages = more })
			return Listing{Models: r.ways(c.Base).ListRatio(models), At: now, More: more}, nil
		})
	}
	if err != nil {
		listing = r.KnownModels(context.WithoutCancel(ctx))
		listing.Err = err
	}
	return listing
}

// Model is the listed model of an id, or the zero Model.
func (r *Remote) Model(ctx context.Context, base, id string) api.Model {
	held, _ := r.storedModels(ctx, base) // without a listing it is the zero Model
	m, _ := api.Find(held.Models, func(m api.Model) bool { return m.ID == id })
	return r.ways(base).ListRatio([]api.Model{m})[0]
}

// Unlisted reports whether the service's last listing is whole, without this model.
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
	p := settings.Profile{Base: name, Set: r.ways(name), Seen: seen, Ratios: map[string][]string{}}
	for _, m := range r.KnownModels(ctx).Models {
		listed, _ := m.Parameter(api.FieldAspectRatio)
		p.Ratios[listed.Name] = append(p.Ratios[listed.Name], m.ID)
	}
	return p, err
}

func (r *Remote) ways(base string) settings.Ways { return r.o.Settings.Get().WaysFor(base) }

func (r *Remote) seen(ctx context.Context, base string) (settings.Seen, error) {
	seen, _, err := recall[settings.Seen](ctx, r, cacheProfile, base)
	return seen, err
}

// record changes what is known of a service.
func (r *Remote) record(base string, change func(*settings.Seen)) {
	r.profiles.Lock()
	defer r.profiles.Unlock()
	was, err := r.seen(context.WithoutCancel(r.ctx), base)
	now := was
	if change(&now); err != nil || now == was {
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

// AnswersAtOnce reports whether a create is answered with the result itself.
func (r *Remote) AnswersAtOnce(base string) bool {
	seen, _ := r.seen(r.ctx, base)
	return cmp.Or(r.ways(base).Answers, seen.Answers) == settings.AnswersResult
}

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
