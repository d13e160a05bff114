package remote

import (
	"context"
	"time"

	"darkroom/api"
	"darkroom/state/settings"
)

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
	_, ok, err := r.recall(ctx, cacheProfile, base, &seen)
	if !ok {
		seen = settings.Seen{}
	}
	return seen, err
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
	answers := ""
	switch out.Phase {
	case api.PhaseQueued:
		answers = settings.AnswersJob
	case api.PhaseFetching:
		answers = settings.AnswersResult
	default:
		return
	}
	r.record(base, func(seen *settings.Seen) {
		if sync {
			seen.AnswersSync = answers
		} else {
			seen.Answers = answers
		}
		for _, f := range out.Answer.Found {
			if f.Concept == "id" && out.Phase == api.PhaseQueued {
				seen.JobID = f.Path
				break
			}
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
