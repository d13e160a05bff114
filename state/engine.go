package state

import (
	"context"
	"time"

	"darkroom/api"
	"darkroom/state/media"
	"darkroom/state/poll"
	"darkroom/state/remote"
	"darkroom/state/settings"
	"darkroom/state/store"
	"darkroom/state/submit"
)

// engine is what a session is made of. It owns the rooms that send and follow
// jobs, of which none knows the other, and the queue before them.
type engine struct {
	ctx      context.Context // ends with Close
	settings *settings.Current
	storage  *storage
	instance *instance
	turns    *turns
	fetchers *fetchers
	changes  *changes
	tasks    tasks
	remote   *remote.Remote

	submitter *submit.Submitter
	poller    *poll.Poller
	queue     *queue
}

// window is the engine as the two rooms see it: what each needs of the window
// around it, and of the other.
type window struct{ *engine }

func (w window) Store() *store.Store { return w.storage.current() }

func (w window) Find(ctx context.Context, id string) (store.Job, error) {
	return w.submitter.Find(ctx, id)
}

func (w window) Fetcher(c *remote.Connection) media.Saver { return w.fetchers.of(c.URL) }

func (w window) Go(f func()) { w.tasks.Go(f) }

// Changed makes changed jobs known, to the poller too: there may be something to
// poll.
func (w window) Changed(ids ...string) {
	w.changes.report(ids...)
	w.poller.Wake()
}

// ReadOnly says why nothing can be sent now, none when it can.
func (w window) ReadOnly() api.Reason {
	if why := w.storage.health().ReadOnly; !why.IsZero() {
		return why
	}
	if err := w.instance.keep(w.ctx); err != nil {
		return api.ReasonOf(err)
	}
	return api.Reason{}
}

func (w window) Turn(ctx context.Context, sync func() bool, waits func(until time.Time)) (submit.Turn, error) {
	return w.turns.acquire(ctx, sync, waits)
}

func (w window) FirstPoll(kind api.Kind) time.Duration { return poll.FirstPoll(kind) }

func (w window) Resolve(c *remote.Connection, j store.Job, a api.JobAnswer) {
	w.poller.Resolve(c, j, a)
}

// sent waits until a job's POST has its outcome (any phase after sending), or it
// is held and waits for the person.
func (e *engine) sent(ctx context.Context, id string) (Job, error) {
	return e.until(ctx, id, func(j Job) bool {
		return j.Phase != api.PhaseIntent && j.Phase != api.PhaseSending && !inTurn(j)
	})
}

// scale is that of the waits.
func (e *engine) scale() remote.Scale { return remote.Scale(e.settings.Get().TimeScale) }

// until waits until a job is as it should be.
func (e *engine) until(ctx context.Context, id string, there func(Job) bool) (Job, error) {
	for {
		changed := e.changes.changed()
		j, err := e.submitter.Find(ctx, id)
		if err != nil || there(j) {
			return j, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return j, ctx.Err()
		case <-e.ctx.Done():
			return j, errClosed
		}
	}
}

// inTurn reports whether a job is held and sent in its turn.
func inTurn(j Job) bool { return j.Phase == api.PhaseHeld && !j.Paused }
