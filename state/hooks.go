package state

import (
	"context"
	"encoding/json"
	"slices"

	"darkroom/api"
	"darkroom/state/media"
	"darkroom/state/store"
)

// Events are the changes of jobs' phases, on which the person's hooks run. One window
// takes each event before it runs anything: no hook runs twice on it, and none if that
// window is killed first.
type Events struct {
	*engine
	document func(Event, Job) any // what a hook reads as JSON; nil: this session runs none
	slots    chan struct{}        // one for each event under way
	running  tasks
}

const hooksAtOnce = 4

// start makes the events of the settings' hooks wait, and runs those on each that does.
func (h *Events) start(ctx context.Context) {
	phases := ""
	for _, hook := range h.settings.Get().Hooks {
		for _, phase := range hook.On {
			phases += "," + string(phase) + ","
		}
	}
	_ = h.db().AwaitEvents(ctx, phases) // of a store that cannot be written none is taken
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
		if failed := media.Hook(ctx, hook.Run, set.DataDir, append(text, '\n')); failed != nil {
			h.settings.Change(func(s *Settings) {
				why := api.Sentence("hook: %v").Reason(api.ReasonOf(failed))
				s.Problems, s.Version = append([]api.Reason{why}, s.Problems...), s.Version+1
			})
			h.changes.report()
		}
	}
}

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
