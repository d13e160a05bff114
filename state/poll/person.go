package poll

import (
	"context"
	"errors"
	"time"

	"darkroom/api"
	"darkroom/api/read"
	"darkroom/state/store"
)

// refreshEvery is how often a person may poll one job.
const refreshEvery = 2 * time.Second

// Refresh polls a job now, at most every 2 s per job; a refresh that comes
// earlier does nothing.
func (p *Poller) Refresh(ctx context.Context, j store.Job) error {
	c, err := p.o.Remote.Ready()
	switch {
	case err != nil:
		return err
	case !read.PollableID(j.RemoteID):
		return whyNoID.Fault(nil)
	case j.Base != c.Base:
		return whyElsewhere.Fault(nil, api.Clean(j.Base, 200))
	}
	if !p.work.mayRefresh(j.ID, p.scale.Of(refreshEvery)) || !p.work.begin(j.ID) {
		return nil
	}
	defer p.work.end(j.ID)
	permit, err := p.acquire(ctx, c, j.ID)
	if errors.Is(err, store.ErrLate) {
		return nil // it is being polled
	}
	if err != nil {
		return store.Explain(err)
	}
	err = p.poll(ctx, c, j.ID, permit)
	p.Wake()
	var answered *api.Error
	switch {
	case errors.Is(err, store.ErrLate):
		return nil // another poll took over
	case errors.As(err, &answered):
		return err
	}
	return store.Explain(err)
}

// Fetch downloads a finished job's results again, in the background.
func (p *Poller) Fetch(ctx context.Context, j store.Job) error {
	c, err := p.o.Remote.Ready()
	if err != nil {
		return err
	}
	if j.Base != c.Base && len(j.Results) == 0 {
		return whyFetchAt.Fault(nil, api.Clean(j.Base, 200))
	}
	if err := p.o.Store().Refetch(ctx, j.ID, p.now()); err != nil {
		if errors.Is(err, store.ErrLate) {
			return whyNoFetch.Fault(nil)
		}
		return store.Explain(err)
	}
	p.o.Changed(j.ID)
	p.startFetch(c, j.ID, false)
	return nil
}
