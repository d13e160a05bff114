package state

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"runtime/debug"
	"sync"
	"sync/atomic"
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
// jobs, and the queue before them.
type engine struct {
	ctx      context.Context // ends with Close
	settings *settings.Current
	storage  atomic.Pointer[storage]
	instance *instance
	turns    *turns
	fetchers *fetchers
	changes  *changes
	tasks    tasks
	remote   *remote.Remote

	submitter *submit.Submitter
	poller    *poll.Poller
	hooks     *Events
}

// window is the engine as those two rooms see it, none of which knows the other.
type window struct{ *engine }

func (w window) Store() *store.Store                                  { return w.db() }
func (w window) Find(ctx context.Context, id string) (Job, error)     { return w.submitter.Find(ctx, id) }
func (w window) Fetcher(c *remote.Connection) media.Saver             { return w.fetchers.of(c.URL) }
func (w window) Go(f func())                                          { w.tasks.Go(f) }
func (w window) FirstPoll(kind api.Kind) time.Duration                { return poll.FirstPoll(kind) }
func (w window) Resolve(c *remote.Connection, j Job, a api.JobAnswer) { w.poller.Resolve(c, j, a) }

// Changed makes changed jobs known, to the poller too.
func (w window) Changed(ids ...string) {
	w.changes.report(ids...)
	w.poller.Wake()
}

func (w window) ReadOnly() api.Reason {
	if why := w.storage.Load().health().ReadOnly; !why.IsZero() {
		return why
	}
	if err := w.instance.keep(); err != nil {
		return api.ReasonOf(err)
	}
	return api.Reason{}
}

func (w window) Turn(ctx context.Context, sync func() bool, waits func(until time.Time)) (submit.Turn, error) {
	return w.turns.acquire(ctx, sync, waits)
}

// Sent waits until a job's POST has its outcome (any phase after sending), or it
// is held and waits for the person.
func (e *engine) Sent(ctx context.Context, id string) (Job, error) {
	return e.until(ctx, id, func(j Job) bool {
		return j.Phase != api.PhaseIntent && j.Phase != api.PhaseSending && !inTurn(j)
	})
}

// db is the store to use now, asked for at each use.
func (e *engine) db() *store.Store { return e.storage.Load().file }

func (e *engine) scale() remote.Scale { return remote.Scale(e.settings.Get().TimeScale) }

func (e *engine) until(ctx context.Context, id string, there func(Job) bool) (Job, error) {
	return until(ctx, e, func() (Job, error) { return e.submitter.Find(ctx, id) }, there)
}

// until looks again after each change until something is there.
func until[T any](ctx context.Context, e *engine, find func() (T, error), there func(T) bool) (T, error) {
	for {
		changed := e.changes.changed()
		one, err := find()
		if err != nil || there(one) {
			return one, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return one, ctx.Err()
		case <-e.ctx.Done():
			return one, errClosed
		}
	}
}

// follow calls do now and whenever something has changed, until the session ends.
func (e *engine) follow(do func()) {
	_, _ = until(e.ctx, e, func() (any, error) { do(); return nil, nil }, func(any) bool { return false })
}

// inTurn reports whether a job is held and will be sent without the person.
func inTurn(j Job) bool { return j.Phase == api.PhaseHeld && !j.Paused }

// storage is the open store, and why nothing is written although it could be.
type storage struct {
	file *store.Store
	why  api.Reason
}

// health is how the store is; its ReadOnly says why nothing can be sent.
func (st *storage) health() store.Health {
	h := st.file.Health()
	h.ReadOnly = cmp.Or(h.ReadOnly, h.Held, st.why)
	return h
}

// explained is an answer of the store, with its error as people read it.
func explained[T any](answer T, err error) (T, error) { return answer, store.Explain(err) }

type tasks struct {
	crash func(cause any, stack []byte) // nil: a panic goes on
	group sync.WaitGroup
}

func (t *tasks) Go(f func()) {
	t.group.Go(func() {
		if t.crash != nil {
			defer func() {
				if cause := recover(); cause != nil {
					t.crash(cause, debug.Stack())
				}
			}()
		}
		f()
	})
}

func (t *tasks) wait(ctx context.Context) {
	done := make(chan struct{})
	go func() { t.group.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// fetchers are the Fetchers of the services that were used, one for each base and
// the settings that it was made with: it bounds the downloads at a time.
type fetchers struct {
	settings *settings.Current
	demo     func(file string) (address string, err error) // nil but in the demo
	make     func(media.Options) Fetcher

	mu   sync.Mutex
	made map[[3]string]Fetcher
}

// of is the Fetcher of a service, whose address is nil when none is set.
func (f *fetchers) of(base *url.URL) Fetcher {
	f.mu.Lock()
	defer f.mu.Unlock()
	set := f.settings.Get()
	key := [3]string{fmt.Sprint(base), set.Downloads, set.Names}
	if f.made[key] == nil {
		f.made[key] = f.make(media.Options{Base: base, Dir: set.Downloads, Scale: remote.CallScale(set), Names: set.Names})
	}
	return f.made[key]
}
