package state

import (
	"context"
	"errors"
	"os"
	"time"

	"darkroom/api"
	"darkroom/state/media"
	"darkroom/state/remote"
	"darkroom/state/store"
)

// Queue is what waits to be sent.
func (s *Session) Queue() Queue { return s.queue }

// Jobs returns a window of the list, what is held first.
func (s *Session) Jobs(ctx context.Context, q Query) (Page, error) {
	p, err := s.storage.current().Listing(ctx, q)
	for i := range p.Rows {
		s.submitter.OverlayRow(&p.Rows[i])
	}
	return p, store.Explain(err)
}

// EachJob hands out the jobs of the list that match, newest first; limit 0 means
// all.
func (s *Session) EachJob(ctx context.Context, q Query, do func(Job) error) error {
	var own error
	err := s.storage.current().Each(ctx, q, func(j Job) error {
		own = do(s.submitter.Overlay(j))
		return own
	})
	if own != nil {
		return own
	}
	return store.Explain(err)
}

// Job finds one job by local id, unique prefix of it, or the service's id.
func (s *Session) Job(ctx context.Context, id string) (Job, error) { return s.submitter.Find(ctx, id) }

// RawAnswer is the newest raw answer about a job, as stored.
func (s *Session) RawAnswer(ctx context.Context, id string) ([]byte, error) {
	j, err := s.Job(ctx, id)
	if err != nil {
		return nil, err
	}
	raw, err := s.storage.current().Answer(ctx, j.ID)
	if errors.Is(err, store.ErrMissing) {
		return nil, nil
	}
	return raw, store.Explain(err)
}

// Today is what today cost, and the budget.
func (s *Session) Today(ctx context.Context) (Spent, error) {
	sp, err := s.storage.current().Spent(ctx, store.DayStart(time.Now()))
	sp.Budget = s.settings.Budget()
	return sp, store.Explain(err)
}

// SaveDraft keeps an unsent form's values under a name such as "image".
func (s *Session) SaveDraft(ctx context.Context, name string, req api.Request) error {
	if s.remote.HoldsKey(req) {
		return remote.ErrHoldsKey
	}
	return store.Explain(s.storage.current().SaveDraft(ctx, name, req, time.Now()))
}

// Draft returns a kept draft and whether there was one.
func (s *Session) Draft(ctx context.Context, name string) (api.Request, bool, error) {
	req, ok, err := s.storage.current().Draft(ctx, name)
	return req, ok, store.Explain(err)
}

// History returns requests ever confirmed, newest first.
func (s *Session) History(ctx context.Context, q HistoryQuery) ([]Sent, error) {
	return explained(s.storage.current().History(ctx, q))
}

// Sent waits until the job's POST has its outcome (any phase after sending), or
// it is held and waits for the person.
func (s *Session) Sent(ctx context.Context, id string) (Job, error) {
	return s.sent(ctx, id)
}

// Ended waits until the job's phase is an end, unknown or unread, or it is held
// and waits for the person. When the service refuses the key meanwhile nothing
// would end it: ErrKeyRefused.
func (s *Session) Ended(ctx context.Context, id string) (Job, error) {
	refused := false
	j, err := s.until(ctx, id, func(j Job) bool {
		refused = j.Phase.Active() && j.RemoteID != "" && s.remote.Health().KeyRefused
		return refused || !j.Phase.Active() && !inTurn(j)
	})
	if refused && err == nil {
		err = ErrKeyRefused
	}
	return j, err
}

// OpenPath opens a file that a result or a tool's answer was saved in.
func (s *Session) OpenPath(ctx context.Context, path string) error {
	return media.Open(ctx, s.Settings().Opener, path, os.Environ())
}
