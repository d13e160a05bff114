package state

import (
	"cmp"
	"context"
	"time"

	"darkroom/api"
	"darkroom/state/store"
)

// Agent is what a program may do that a person has set up under the name of an
// entry: it asks, and sees what it asked for, nothing else.
type Agent struct {
	*engine
	Entry string
}

// Agent is the entry of a name.
func (s *Session) Agent(entry string) Agent { return Agent{s.engine, entry} }

// Ask records requests, to wait for a person or to be sent as far as the settings
// grant it, and gives them as they are then.
func (a Agent) Ask(ctx context.Context, intent string, requests []api.Request, limit api.Credits) ([]Asked, error) {
	ids, err := a.submitter.Ask(ctx, &store.Ask{Entry: a.Entry, Intent: intent, MaxCredits: limit}, requests)
	if err != nil {
		return nil, err
	}
	a.queue.wake()
	return a.List(ctx, len(ids), ids...)
}

// Find gives one request that the entry asked for.
func (a Agent) Find(ctx context.Context, id string) (Asked, error) {
	list, err := a.List(ctx, 1, id)
	if err != nil || len(list) == 0 {
		return Asked{}, cmp.Or[error](err, ErrNoJob)
	}
	return list[0], nil
}

// List gives what the entry asked for, the newest first, or only those of some ids.
func (a Agent) List(ctx context.Context, limit int, ids ...string) ([]Asked, error) {
	list, err := explained(a.db().AskedBy(ctx, a.Entry, limit, ids...))
	for i := range list {
		list[i].Job = a.submitter.Overlay(list[i].Job)
	}
	return list, err
}

// Await waits until a request is not active and does not wait for anybody, or until
// ctx ends, and gives it as it is then.
func (a Agent) Await(ctx context.Context, id string) (Asked, error) {
	one, err := until(ctx, a.engine, func() (Asked, error) { return a.Find(context.WithoutCancel(ctx), id) }, func(one Asked) bool {
		return one.Ended || !one.Phase.Active() && one.Phase != api.PhaseHeld
	})
	if err != nil && err == ctx.Err() {
		err = nil
	}
	return one, err
}

// SpentBy is what the requests of an entry cost today, and what it may do by itself.
func (q *queue) SpentBy(ctx context.Context, entry string) (api.Credits, Grant, error) {
	spent, err := explained(q.db().SpentBy(ctx, entry, time.Now()))
	return spent, q.settings.Agent(entry), err
}
