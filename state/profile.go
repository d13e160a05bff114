package state

import (
	"context"
	"encoding/json"
	"time"

	"darkroom/api"
)

// Profile is what is known of a service's ways, where its specification leaves
// them open: what it showed, and what a person set in its place.
type Profile struct {
	Base string `json:"base"`
	Seen Seen   `json:"seen"`
	Set  Ways   `json:"-"`
	// Ratios are the listed models by the name under which each takes the
	// ratio: "ratio", "aspect_ratio", or "" when it lists neither.
	Ratios map[string][]string `json:"-"`
}

// Seen is what a service showed. It is kept in the store by base URL.
type Seen struct {
	ToolsPath   string    `json:"tools_path,omitempty"`   // escaped, from the origin's root
	Estimate    string    `json:"estimate,omitempty"`     // the method that was answered: "GET" or "POST"
	JobID       string    `json:"job_id,omitempty"`       // dotted path of the id in the last answer to a create
	Answers     string    `json:"answers,omitempty"`      // to a create with async true: AnswersJob or AnswersResult
	AnswersSync string    `json:"answers_sync,omitempty"` // the same with async false
	At          time.Time `json:"at,omitzero"`            // of the last change
}

const cacheProfile = "profile"

// Profile tells what is known of the service in use. It makes no call.
func (s *Session) Profile(ctx context.Context) (Profile, error) {
	s.mu.Lock()
	base := s.base
	s.mu.Unlock()
	if base == nil {
		return Profile{}, ErrNoBase
	}
	p := Profile{Base: base.String(), Set: s.Settings().WaysFor(base.String()), Ratios: map[string][]string{}}
	for _, m := range s.recallModels(ctx, p.Base).Models {
		p.Ratios[ratioName(m)] = append(p.Ratios[ratioName(m)], m.ID)
	}
	var err error
	p.Seen, err = s.seen(ctx, p.Base)
	return p, err
}

func ratioName(m api.Model) string {
	if p, ok := m.Parameter(api.FieldAspectRatio, api.FieldRatio); ok {
		return p.Name
	}
	return ""
}

func (s *Session) seen(ctx context.Context, base string) (Seen, error) {
	raw, _, err := s.store().Recall(ctx, cacheProfile, base)
	if err != nil || raw == nil {
		return Seen{}, storeError(err)
	}
	var seen Seen
	if json.Unmarshal(raw, &seen) != nil {
		return Seen{}, nil // what cannot be read is learnt anew
	}
	return seen, nil
}

// learn changes what is known of a service. What cannot be kept is learnt
// again the next time, so its failure is no failure of the call.
func (s *Session) learn(base string, change func(*Seen)) {
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
		answers = AnswersJob
	case api.PhaseFetching:
		answers = AnswersResult
	default:
		return
	}
	s.learn(base, func(seen *Seen) {
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
		return set == AnswersResult
	}
	seen, err := s.seen(s.ctx, base)
	return err == nil && seen.Answers == AnswersResult
}

// named lists the ratio under the name that a person set.
func (s *Session) named(base string, models []api.Model) []api.Model {
	set := s.Settings().WaysFor(base).Ratio
	if set == "" {
		return models
	}
	out := make([]api.Model, len(models))
	for i, m := range models {
		listed := make([]api.Parameter, 0, len(m.Parameters)+1)
		ratio := api.Parameter{}
		for _, p := range m.Parameters {
			if p.Name != api.FieldRatio && p.Name != api.FieldAspectRatio {
				listed = append(listed, p)
			} else if ratio.Name == "" || p.Name == set {
				ratio = p
			}
		}
		ratio.Name = set
		m.Parameters = append(listed, ratio)
		out[i] = m
	}
	return out
}
