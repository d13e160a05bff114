package state

import (
	"cmp"
	"context"
	"time"

	"darkroom/api"
	"darkroom/state/media"
	"darkroom/state/poll"
	"darkroom/state/remote"
	"darkroom/state/store"
)

// Queue is what waits to be sent.
func (s *Session) Queue() Queue { return queue{s.engine} }

// Jobs returns a window of the list, what is held first.
func (s *Session) Jobs(ctx context.Context, q Query) (Page, error) {
	p, err := s.db().List(ctx, q)
	for i := range p.Rows {
		s.submitter.Overlay(&p.Rows[i])
	}
	return p, store.Explain(err)
}

// EachJob hands out the jobs that match, newest first; limit 0 means all.
func (s *Session) EachJob(ctx context.Context, q Query, do func(Job) error) error {
	var own error
	err := s.db().Each(ctx, q, func(j Job) error {
		s.submitter.Overlay(&j.Row)
		own = do(j)
		return own
	})
	return cmp.Or(own, store.Explain(err))
}

// Job finds one job by the local id, the service's id, or a prefix.
func (s *Session) Job(ctx context.Context, id string) (Job, error) { return s.submitter.Find(ctx, id) }

// RawAnswer is the newest raw answer about a job, as stored.
func (s *Session) RawAnswer(ctx context.Context, id string) ([]byte, error) {
	j, err := s.Job(ctx, id)
	if err != nil {
		return nil, err
	}
	return explained(s.db().Answer(ctx, j.ID, ""))
}

// Today is what today cost, and its budgets.
func (s *Session) Today(ctx context.Context) (Spent, error) {
	now, budgets := time.Now(), s.settings.Budgets()
	today, err := s.db().Spent(ctx, api.Day.Begin(now))
	today.Budget = budgets[api.Day]
	if budget := budgets[api.Month]; budget > 0 && err == nil {
		var month Spent
		month, err = s.db().Spent(ctx, api.Month.Begin(now))
		month.Period, month.Budget, today.Month = api.Month, budget, &month
	}
	return today, store.Explain(err)
}

// SaveDraft keeps an unsent form's values under a name such as "image".
func (s *Session) SaveDraft(ctx context.Context, name string, req api.Request) error {
	if s.remote.HoldsKey(req) {
		return remote.ErrHoldsKey
	}
	return store.Explain(s.db().SaveDraft(ctx, name, req, time.Now()))
}

// Draft returns a kept draft, if there is one.
func (s *Session) Draft(ctx context.Context, name string) (api.Request, bool, error) {
	req, ok, err := s.db().Draft(ctx, name)
	return req, ok, store.Explain(err)
}

// History returns requests ever confirmed, newest first.
func (s *Session) History(ctx context.Context, q HistoryQuery) ([]Sent, error) {
	return explained(s.db().History(ctx, q))
}

// catchUp is how long the first Attend waits for what ended meanwhile.
const catchUp = 20 * time.Second

// Attend returns what has ended since it was last called, in any run. The first
// call of a session waits until the jobs that were due at its beginning were asked
// for, or for catchUp.
func (s *Session) Attend(ctx context.Context) (Absence, error) {
	s.attending.Lock()
	defer s.attending.Unlock()
	limit, cancel := context.WithTimeout(ctx, s.scale().Of(catchUp))
	defer cancel()
	for base := s.remote.Base(); s.o.Poll && !s.caughtUp && base != nil; {
		left, err := s.db().Overdue(limit, base.String(), s.opened)
		// Not by changes: an answer that changes nothing is none.
		s.caughtUp = err != nil || !left || !remote.Sleep(limit, s.scale().Of(catchUp/40))
	}
	return explained(s.db().Attend(ctx, time.Now()))
}

// Ended waits until a job is neither active nor held in its turn. Nothing would end
// one of another service, or any when the service refuses the key (ErrKeyRefused):
// those are errors.
func (s *Session) Ended(ctx context.Context, id string) (Job, error) {
	var never error
	j, err := s.until(ctx, id, func(j Job) bool {
		switch base := s.remote.Base(); {
		case !j.Phase.Active():
			return !inTurn(j)
		case base != nil && base.String() != j.Base:
			never = poll.Elsewhere(j)
		case j.RemoteID != "" && s.remote.Health().KeyRefused:
			never = ErrKeyRefused
		}
		return never != nil
	})
	return j, cmp.Or(err, never)
}

// OpenPath opens a file that a result or a tool's answer was saved in.
func (e *engine) OpenPath(ctx context.Context, path string) error {
	return media.Open(ctx, "", e.settings.Get().Opener, path)
}
