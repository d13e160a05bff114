package state

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"darkroom/api"
)

// Listing is the models with their age.
type Listing struct {
	Models []api.Model
	At     time.Time // when the service gave them; zero when never
	Cached bool      // from the store, because the service did not answer
	Err    error     // why the service did not answer
}

const (
	cacheModels    = "models"
	cacheEstimates = "estimate"
)

// KnownModels returns the last listing from the store, without a call.
func (s *Session) KnownModels(ctx context.Context) Listing {
	s.mu.Lock()
	base := s.base
	s.mu.Unlock()
	if base == nil {
		return Listing{Err: ErrNoBase}
	}
	return s.recallModels(ctx, base.String())
}

func (s *Session) recallModels(ctx context.Context, base string) Listing {
	raw, at, err := s.store().Recall(ctx, cacheModels, base)
	if err != nil || raw == nil {
		return Listing{Err: storeError(err)}
	}
	var models []api.Model
	if err := json.Unmarshal(raw, &models); err != nil {
		return Listing{Err: err, Cached: true}
	}
	return Listing{Models: s.Settings().WaysFor(base).ListRatio(models), At: at, Cached: true}
}

// Models asks the service, keeps the answer, and falls back to the last known.
func (s *Session) Models(ctx context.Context) Listing {
	l, err := s.calling()
	if err != nil {
		known := s.KnownModels(ctx)
		known.Err = err
		return known
	}
	answer := s.calls.DoChan("models "+l.base, func() (any, error) {
		models, err := l.service.Models(s.ctx)
		s.sawCall(l, err)
		if err != nil {
			return nil, err
		}
		now := time.Now()
		if raw, err := json.Marshal(models); err == nil {
			_ = s.store().Remember(s.ctx, cacheModels, l.base, raw, now)
		}
		return Listing{Models: s.Settings().WaysFor(l.base).ListRatio(models), At: now}, nil
	})
	select {
	case r := <-answer:
		if r.Err == nil {
			return r.Val.(Listing)
		}
		err = r.Err
	case <-ctx.Done():
		err = ctx.Err()
	}
	known := s.recallModels(context.WithoutCancel(ctx), l.base)
	known.Err = err
	return known
}

// modelNamed is the listed model of an id, or the zero Model.
func (s *Session) modelNamed(ctx context.Context, base, id string) api.Model {
	for _, m := range s.recallModels(ctx, base).Models {
		if m.ID == id {
			return m
		}
	}
	return s.Settings().WaysFor(base).ListRatio([]api.Model{{}})[0]
}

// calling gives the link for a call that is not a poll, or says why there can
// be none.
func (s *Session) calling() (*link, error) {
	s.mu.Lock()
	l, st, base := s.link, s.standing, s.base
	s.mu.Unlock()
	switch {
	case base == nil:
		return nil, ErrNoBase
	case l == nil:
		return nil, ErrNoKey
	case st.KeyRefused:
		return nil, ErrKeyRefused
	}
	until, err := s.store().GateUntil(s.ctx, l.base)
	if err == nil && time.Now().Before(until) {
		return nil, errors.New("the service asked for a rest until " + until.Format("15:04:05"))
	}
	return l, nil
}

// sawCall takes the outcome of a call that is not a poll into the Standing.
func (s *Session) sawCall(l *link, err error) {
	s.saw(l, err)
	var e *api.Error
	if errors.As(err, &e) && (e.Status == 429 || e.Status == 503) {
		s.closeGate(l, e)
	}
}

// estimateFresh is how long an estimate is answered from memory.
const estimateFresh = time.Minute

// Estimate is the price of the request: the service's figure, else the table's
// with the error that kept the service's away. Same requests within 60 s are
// answered from memory. Without either the last figure the service gave comes
// back, with its age in At.
func (s *Session) Estimate(ctx context.Context, r api.Request) (api.Estimate, error) {
	if s.holdsKey(r) {
		return api.Estimate{}, errHoldsKey
	}
	name := estimateName(r)
	l, err := s.calling()
	if err != nil {
		return s.lastEstimate(ctx, r, name), err
	}
	key := l.base + " " + name
	s.mu.Lock()
	e, ok := s.estimates[key]
	s.mu.Unlock()
	if ok && time.Since(e.At) < s.scaled(estimateFresh) {
		return e, nil
	}
	model := s.modelNamed(ctx, l.base, r.Model)
	answer := s.calls.DoChan("estimate "+key, func() (any, error) {
		e, err := l.service.Estimate(s.ctx, r, model)
		s.sawCall(l, err)
		if err != nil {
			return nil, err
		}
		e.At = time.Now()
		s.keepEstimate(key, e)
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
	return s.lastEstimate(context.WithoutCancel(ctx), r, name), err
}

// estimatesKept bounds the memory of estimates, each of which may hold 64 KiB of
// the answer.
const estimatesKept = 100

func (s *Session) keepEstimate(key string, e api.Estimate) {
	s.mu.Lock()
	if len(s.estimates) >= estimatesKept {
		clear(s.estimates)
	}
	s.estimates[key] = e
	s.mu.Unlock()
	if raw, err := json.Marshal(e); err == nil {
		_ = s.store().Remember(s.ctx, cacheEstimates, key, raw, e.At)
	}
}

// KnownEstimate is the best figure for a request without a call: the table's,
// else the last one the service gave, with its age in At.
func (s *Session) KnownEstimate(ctx context.Context, r api.Request) api.Estimate {
	return s.lastEstimate(ctx, r, estimateName(r))
}

// lastEstimate is the best figure without the service.
func (s *Session) lastEstimate(ctx context.Context, r api.Request, name string) api.Estimate {
	if e := api.TableEstimate(r); e.Known() {
		return e
	}
	s.mu.Lock()
	base := s.base
	s.mu.Unlock()
	none := api.Estimate{Source: api.SourceNone}
	if base == nil {
		return none
	}
	raw, _, err := s.store().Recall(ctx, cacheEstimates, base.String()+" "+name)
	if err != nil || raw == nil {
		return none
	}
	var e api.Estimate
	if json.Unmarshal(raw, &e) != nil {
		return none
	}
	return e
}

// estimateName holds what the estimate endpoint is told: the prompt and the
// materials are not part of it.
func estimateName(r api.Request) string {
	return strings.Join([]string{string(r.Kind), r.Model, r.Duration, r.VideoModel, r.Resolution, r.Size, r.Quality, r.AspectRatio}, "\x1f")
}
