package state

import (
	"context"
	"os"
	"slices"
	"time"

	"darkroom/api"
	"darkroom/state/media"
	"darkroom/state/store"
)

// hooks run the person's commands on events. One window takes each event before it
// runs anything: no hook runs twice on it, and none if that window is killed first.
type hooks struct {
	*engine
	document func(Event, Job) []byte // what a hook reads; nil: this session runs none
	slots    chan struct{}           // one for each event under way
	running  tasks
	lasting  context.Context // of what runs; it ends after the session's
	stop     context.CancelFunc
}

const (
	hooksAtOnce  = 4
	hookPatience = 3 * time.Second // for hooks that run when the session ends
)

func newHooks(e *engine, o Options) *hooks {
	h := &hooks{engine: e, slots: make(chan struct{}, hooksAtOnce), running: tasks{crash: o.Crash}}
	if o.Poll {
		h.document = o.Document
	}
	h.lasting, h.stop = context.WithCancel(context.Background())
	return h
}

// run starts hooks whenever something has changed.
func (h *hooks) run() {
	for h.ctx.Err() == nil {
		changed := h.changes.changed()
		h.start(h.ctx)
		select {
		case <-changed:
		case <-h.ctx.Done():
		}
	}
}

// start starts the hooks of the settings on every event that waits.
func (h *hooks) start(ctx context.Context) {
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

// await makes the events of the settings' hooks wait, and gives their phases.
func (h *hooks) await(ctx context.Context) (phases string) {
	for _, hook := range h.settings.Get().Hooks {
		for _, phase := range hook.On {
			phases += "," + string(phase)
		}
	}
	if phases != "" {
		phases += ","
	}
	_ = h.db().AwaitEvents(ctx, phases) // of a store that cannot be written none is taken
	return phases
}

// on runs the hooks of an event one after the other.
func (h *hooks) on(e Event) {
	job, err := h.submitter.Find(h.lasting, e.Job)
	if err != nil {
		return // it was held, and is removed
	}
	set := h.settings.Get()
	for _, hook := range set.Hooks {
		if !slices.Contains(hook.On, e.Phase) {
			continue
		}
		if err := media.Hook(h.lasting, hook.Run, set.DataDir, h.document(e, job), os.Environ()); err != nil {
			why := api.Sentence("hook: %v").Reason(api.ReasonOf(err))
			h.settings.Change(func(s *Settings) {
				if s.Problems, s.Version = slices.Clone(s.Problems), s.Version+1; !slices.Contains(s.Problems, why) {
					s.Problems = slices.Insert(s.Problems, 0, why)
				}
			})
			h.changes.report()
		}
	}
}

// close stops the hooks that have not ended when ctx does, or after hookPatience.
func (h *hooks) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, hookPatience)
	defer cancel()
	h.running.wait(ctx)
	h.stop()
}

// RunHooks runs the hooks on what has happened, and waits for those under way.
func (s *Session) RunHooks(ctx context.Context) {
	s.hooks.start(ctx)
	s.hooks.running.wait(ctx)
}

// Event is a change of a job's phase.
type Event = store.Event

// Events returns at most 1,000 events after a number, oldest first.
func (s *Session) Events(ctx context.Context, after int64) ([]Event, error) {
	return explained(s.db().Events(ctx, after))
}

// LastEvent is the number of the last event before a time; of the newest for the zero one.
func (s *Session) LastEvent(ctx context.Context, before time.Time) (int64, error) {
	return explained(s.db().LastEvent(ctx, before))
}
