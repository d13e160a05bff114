package state

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"darkroom/api"
	"darkroom/state/media"
	"darkroom/state/remote"
	"darkroom/state/store"
)

// changes collects what is different now until somebody asks; it never blocks.
type changes struct {
	mu   sync.Mutex
	ids  map[string]bool // nil: nothing is different
	next chan struct{}   // closed and replaced at every change
}

// report takes changed jobs; without an id only the Health has changed.
func (c *changes) report(ids ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ids == nil {
		c.ids = map[string]bool{}
	}
	for _, id := range ids {
		c.ids[id] = true
	}
	close(c.next)
	c.next = make(chan struct{})
}

func (c *changes) changed() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.next
}

// take returns what has changed since it was last called; nil: nothing has.
func (c *changes) take() (ids []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ids != nil {
		ids = slices.AppendSeq([]string{}, maps.Keys(c.ids))
	}
	c.ids = nil
	return ids
}

// Wait blocks until jobs changed since the last call (their ids, coalesced) or
// the Health (then ids may be empty). It ends with ctx.
func (s *Session) Wait(ctx context.Context) ([]string, error) {
	return until(ctx, s.engine, func() ([]string, error) { return s.changes.take(), nil }, func(ids []string) bool { return ids != nil })
}

const (
	// watchEvery is how often the other windows are looked at.
	watchEvery = time.Second
	// sleptGap between wall and monotonic clock tells of a sleep.
	sleptGap = 10 * time.Second
	// clearEvery is how often what is too old is removed, and how long nothing may have
	// been wrong with the clock before.
	clearEvery = 10 * time.Minute
)

// watch looks after what happens outside this window: changes that others wrote,
// the settings file, windows that died, a machine that slept.
func (e *engine) watch(seen int64) {
	every := max(e.scale().Of(watchEvery), watchEvery/20) // each look costs, at any scale
	before := time.Now()
	cleared := before
	for remote.Sleep(e.ctx, every) {
		now := time.Now()
		if slept(time.Duration(now.UnixNano()-before.UnixNano()), now.Sub(before)) { // connections died, and what waits is planned again
			e.remote.Wake(now)
			e.poller.Wake()
			cleared = now
		}
		if now.YearDay() != before.YearDay() { // today's budget is another one
			e.changes.report()
		}
		before = now
		e.settings.Reread(false)
		ids, next, err := e.db().Changes(e.ctx, seen)
		if err == nil && next != seen {
			seen = next
			e.changes.report(ids...)
			e.poller.Wake()
		}
		if now.Sub(cleared) >= e.scale().Of(clearEvery) {
			_ = e.db().Expire(e.ctx, now) // it cannot be sent any more in any case
			e.remote.ClearInbox()
			cleared = now
		}
		_ = e.instance.keep() // who sends asks again
		if e.instance.takeOver(e.ctx, e.db()) {
			e.poller.Wake()
		}
	}
}

// slept reports whether the wall clock went on and the monotonic one did not. A
// clock that was set does as much harm to what is planned.
func slept(wall, monotonic time.Duration) bool { return (wall - monotonic).Abs() > sleptGap }

// Events are the changes of jobs' phases, on which the person's hooks run. One window
// takes each event before it runs anything: no hook runs twice on it, and none if that
// window is killed first.
type Events struct {
	*engine
	document func(Event, Job) any // what a hook reads as JSON; nil: this session runs none
	failed   func(error)
	slots    chan struct{} // one for each event under way
	running  tasks
	awaited  atomic.Value // the phases of the hooks when they were noted last, a string
}

// start makes the events of the settings' hooks wait, and runs those on each that does.
func (h *Events) start(ctx context.Context) {
	phases := h.await(ctx)
	for h.document != nil && phases != "" {
		select {
		case h.slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		e, ok, err := h.db().TakeEvent(ctx, phases)
		if !ok || err != nil { // an error is one of the next change, too
			<-h.slots
			return
		}
		h.running.Go(func() {
			defer func() { <-h.slots }()
			h.on(e)
		})
	}
}

// await makes the events of the settings' hooks wait, and gives their phases. Events of
// other phases wait on for other windows, and for hooks that could not be read.
func (h *Events) await(ctx context.Context) (phases string) {
	set := h.settings.Get()
	for _, hook := range set.Hooks {
		for _, phase := range hook.On {
			phases += "," + string(phase) + ","
		}
	}
	had, noted := h.awaited.Load().(string)
	others := noted || set.Partial
	if !others {
		all, err := h.db().Instances(ctx)
		others = err != nil || slices.ContainsFunc(all, func(id string) bool { return id != h.instance.id })
	}
	// Of a store that cannot be written none is taken.
	if h.db().AwaitEvents(ctx, phases, had, others) == nil && !set.Partial {
		h.awaited.Store(phases)
	}
	return phases
}

// on runs the hooks of an event one after the other. They outlive the session.
func (h *Events) on(e Event) {
	ctx, set := context.WithoutCancel(h.ctx), h.settings.Get()
	job, err := h.submitter.Find(ctx, e.Job)
	var text []byte
	if err == nil { // else it was held, and is removed
		text, err = json.Marshal(h.document(e, job))
	}
	for _, hook := range set.Hooks {
		if err != nil || !slices.Contains(hook.On, e.Phase) {
			continue
		}
		failed := media.Hook(ctx, hook.Run, set.DataDir, append(text, '\n'))
		switch why := whyHook.Fault(failed, failed); {
		case failed == nil:
		case h.failed != nil:
			h.failed(why)
		default:
			h.settings.Change(func(s *Settings) {
				before := slices.DeleteFunc(slices.Clone(s.Problems), func(p api.Reason) bool { return p.Format() == whyHook })
				s.Problems, s.Version = append([]api.Reason{why.Reason}, before...), s.Version+1
			})
			h.changes.report()
		}
	}
}

const whyHook = api.Sentence("hook: %v")

// Event is a change of a job's phase.
type Event = store.Event

// Events gives the changes of jobs' phases.
func (s *Session) Events() *Events { return s.hooks }

// After returns at most 1,000 events after a number, oldest first.
func (h *Events) After(ctx context.Context, number int64) ([]Event, error) {
	return explained(h.db().Events(ctx, number))
}

// Last is the number of the newest event.
func (h *Events) Last(ctx context.Context) (int64, error) { return explained(h.db().LastEvent(ctx)) }

// Run runs the hooks on what has happened, and waits for those under way.
func (h *Events) Run(ctx context.Context) {
	h.start(ctx)
	h.running.wait(ctx)
}
