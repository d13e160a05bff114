package state

import (
	"context"
	"encoding/json"
	"time"

	"darkroom/api"
	"darkroom/state/settings"
)

const cacheProfile = "profile"

// Profile tells what is known of the service in use. It makes no call.
func (s *Session) Profile(ctx context.Context) (settings.Profile, error) {
	s.mu.Lock()
	base := s.base
	s.mu.Unlock()
	if base == nil {
		return settings.Profile{}, ErrNoBase
	}
	seen, err := s.seen(ctx, base.String())
	return settings.NewProfile(base.String(), s.Settings().WaysFor(base.String()), seen, s.recallModels(ctx, base.String()).Models), err
}

func (s *Session) seen(ctx context.Context, base string) (settings.Seen, error) {
	raw, _, err := s.store().Recall(ctx, cacheProfile, base)
	if err != nil || raw == nil {
		return settings.Seen{}, storeError(err)
	}
	var seen settings.Seen
	if json.Unmarshal(raw, &seen) != nil {
		return settings.Seen{}, nil // what cannot be read is learnt anew
	}
	return seen, nil
}

// learn changes what is known of a service. What cannot be kept is learnt
// again the next time, so its failure is no failure of the call.
func (s *Session) learn(base string, change func(*settings.Seen)) {
	s.learning.Lock()
	defer s.learning.Unlock()
	ctx := context.WithoutCancel(s.ctx)
	was, err := s.seen(ctx, base)
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
		_ = s.store().Remember(ctx, cacheProfile, base, raw, now.At)
	}
}

// learnCreate takes what the answer to a create shows.
func (s *Session) learnCreate(base string, sync bool, out api.Outcome) {
	answers := ""
	switch out.Phase {
	case api.PhaseQueued:
		answers = settings.AnswersJob
	case api.PhaseFetching:
		answers = settings.AnswersResult
	default:
		return
	}
	s.learn(base, func(seen *settings.Seen) {
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

// answersAtOnce reports whether a create is answered with the result, for
// which it needs the patience of a whole generation.
func (s *Session) answersAtOnce(base string) bool {
	if set := s.Settings().WaysFor(base).Answers; set != "" {
		return set == settings.AnswersResult
	}
	seen, err := s.seen(s.ctx, base)
	return err == nil && seen.Answers == settings.AnswersResult
}
