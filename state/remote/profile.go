package remote

import (
	"context"
	"encoding/json"
	"time"

	"darkroom/api"
	"darkroom/state/settings"
	"darkroom/state/store"
)

const cacheProfile = "profile"

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
	raw, _, err := r.o.Store().Recall(ctx, cacheProfile, base)
	if err != nil || raw == nil {
		return settings.Seen{}, store.Explain(err)
	}
	var seen settings.Seen
	if json.Unmarshal(raw, &seen) != nil {
		return settings.Seen{}, nil // what cannot be read is found out anew
	}
	return seen, nil
}

// record changes what is known of a service. What cannot be kept is found out
// again the next time, so its failure is no failure of the call.
func (r *Remote) record(base string, change func(*settings.Seen)) {
	r.profiles.Lock()
	defer r.profiles.Unlock()
	ctx := context.WithoutCancel(r.ctx)
	was, err := r.seen(ctx, base)
	if err != nil {
		return
	}
	now := was
	change(&now)
	if now == was {
		return
	}
	now.At = time.Now().Round(0)
	if raw, err := json.Marshal(now); err == nil {
		_ = r.o.Store().Remember(ctx, cacheProfile, base, raw, now.At)
	}
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
