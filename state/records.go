package state

import (
	"context"
	"errors"
	"time"

	"darkroom/api"
	"darkroom/state/queue"
	"darkroom/state/remote"
	"darkroom/state/settings"
	"darkroom/state/store"
	"darkroom/state/submit"
)

// records are what the store keeps, as screens and commands read and write it.
// A Session has its methods as its own.
type records struct {
	storage   *storage
	settings  *settings.Current
	remote    *remote.Remote
	submitter *submit.Submitter
	queue     *queue.Queue
}

// Queue is what waits to be sent.
func (r *records) Queue() Queue { return r.queue }

// Jobs returns a window of the list, what is held first.
func (r *records) Jobs(ctx context.Context, q Query) (Page, error) {
	p, err := r.storage.current().Listing(ctx, q)
	r.submitter.OverlayRows(p.Rows)
	return p, store.Explain(err)
}

// EachJob hands out the jobs of the list that match, newest first; limit 0 means
// all.
func (r *records) EachJob(ctx context.Context, q Query, do func(Job) error) error {
	var own error
	err := r.storage.current().Each(ctx, q, func(j Job) error {
		own = do(r.submitter.Overlay(j))
		return own
	})
	if own != nil {
		return own
	}
	return store.Explain(err)
}

// Job finds one job by local id, unique prefix of it, or the service's id.
func (r *records) Job(ctx context.Context, id string) (Job, error) { return r.submitter.Find(ctx, id) }

// RawAnswer is the newest raw answer about a job, as stored.
func (r *records) RawAnswer(ctx context.Context, id string) ([]byte, error) {
	j, err := r.Job(ctx, id)
	if err != nil {
		return nil, err
	}
	raw, err := r.storage.current().Answer(ctx, j.ID)
	if errors.Is(err, store.ErrMissing) {
		return nil, nil
	}
	return raw, store.Explain(err)
}

// Today is what today cost, and the budget.
func (r *records) Today(ctx context.Context) (Spent, error) {
	sp, err := r.storage.current().Spent(ctx, submit.DayStart(time.Now()))
	sp.Budget = r.settings.Budget()
	return sp, store.Explain(err)
}

// Ledger is what was spent since a moment, by local day, model and kind,
// newest day first.
func (r *records) Ledger(ctx context.Context, since time.Time) ([]Line, error) {
	lines, err := r.storage.current().Ledger(ctx, since)
	return lines, store.Explain(err)
}

// MarkOpened records that a finished job was opened or previewed by itself; it
// reports whether this call was the first to do so, over all windows.
func (r *records) MarkOpened(ctx context.Context, id string) (bool, error) {
	first, err := r.storage.current().MarkOpened(ctx, id)
	return first, store.Explain(err)
}

// SaveDraft keeps an unsent form's values under a name such as "image".
func (r *records) SaveDraft(ctx context.Context, name string, req api.Request) error {
	if r.remote.HoldsKey(req) {
		return remote.ErrHoldsKey
	}
	return store.Explain(r.storage.current().SaveDraft(ctx, name, req, time.Now()))
}

// Draft returns a kept draft and whether there was one.
func (r *records) Draft(ctx context.Context, name string) (api.Request, bool, error) {
	req, ok, err := r.storage.current().Draft(ctx, name)
	return req, ok, store.Explain(err)
}

// History returns requests ever confirmed, newest first.
func (r *records) History(ctx context.Context, q HistoryQuery) ([]Sent, error) {
	list, err := r.storage.current().History(ctx, q)
	return list, store.Explain(err)
}
