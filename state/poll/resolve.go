package poll

import (
	"context"
	"errors"
	"time"

	"darkroom/api"
	"darkroom/api/read"
	"darkroom/state/remote"
	"darkroom/state/store"
)

// Resolve asks in the background which of several ids in the answer to a create
// is the job's, each with a permit of its own, as for every poll.
func (p *Poller) Resolve(c *remote.Connection, j store.Job, a api.JobAnswer) {
	p.o.Go(func() {
		var id string
		for _, candidate := range append([]string{a.ID}, a.Candidates...) {
			if !read.PollableID(candidate) {
				continue
			}
			err := p.call(p.ctx, c, func() (err error) {
				id, _, err = c.Service.Resolve(p.ctx, []string{candidate}, j.Kind)
				return err
			})
			if err == nil {
				break
			}
			if e, ok := errors.AsType[*api.Error](err); !ok || e.Class != api.ClassNotFound {
				return // it says nothing about the id; a poll that is not known asks again
			}
		}
		var err error
		switch {
		case id == "" || id == a.ID:
			return
		case a.ID != "":
			err = p.o.Store().Rename(p.ctx, j.ID, a.ID, id)
		default:
			err = p.o.Store().Attach(p.ctx, j.ID, id, p.now())
		}
		if err == nil {
			p.o.Changed(j.ID)
		}
	})
}

// refreshEvery is how often a person may poll one job.
const refreshEvery = 2 * time.Second

// Refresh polls a job now; one that comes too early does nothing.
func (p *Poller) Refresh(ctx context.Context, id string) error {
	j, c, err := p.askable(ctx, id)
	if err != nil {
		return err
	}
	may := false
	p.work.of(j.ID, func(w *jobWork) {
		if may = w.deed == resting && time.Since(w.refreshed) >= p.scale.Of(refreshEvery); may {
			w.deed, w.refreshed = refreshing, time.Now()
		}
	})
	if !may {
		return nil
	}
	defer p.work.end(j.ID)
	permit, err := p.acquire(ctx, c, j.ID)
	if err == nil {
		err = p.poll(ctx, c, j.ID, permit)
		p.Wake()
	}
	var answered *api.Error
	switch {
	case errors.Is(err, store.ErrLate):
		return nil // another poll is under way, or took over
	case errors.As(err, &answered):
		return err
	}
	return store.Explain(err)
}

// Fetch downloads a finished job's results again, in the background.
func (p *Poller) Fetch(ctx context.Context, id string) error {
	j, err := p.o.Find(ctx, id)
	if err != nil {
		return err
	}
	if why := store.NoResult(j.Phase, j.ID); !why.IsZero() {
		return &api.Fault{Reason: why}
	}
	c, err := p.o.Remote.Ready()
	if err != nil {
		return err
	}
	if j.Base != c.Base && len(j.Results) == 0 {
		return api.Sentence("this job was sent to another service (%v): use its address to fetch it").Fault(nil, api.Clean(j.Base, api.MaxIDText))
	}
	err = p.o.Store().Refetch(ctx, j.ID, p.now())
	switch {
	case errors.Is(err, store.ErrLate):
		return whyNoFetch.Fault(nil)
	case err != nil:
		return store.Explain(err)
	}
	p.o.Changed(j.ID)
	p.startFetch(c, j.ID, false)
	return nil
}

// askable finds a job that the service in use can be asked about.
func (p *Poller) askable(ctx context.Context, id string) (store.Job, *remote.Connection, error) {
	j, err := p.o.Find(ctx, id)
	if err != nil {
		return j, nil, err
	}
	c, err := p.o.Remote.Ready()
	switch {
	case err != nil:
		return j, nil, err
	case !read.PollableID(j.RemoteID):
		return j, nil, errNoID
	case j.Base != c.Base:
		return j, nil, Elsewhere(j)
	}
	return j, c, nil
}

// Elsewhere says that a job was sent to another service.
func Elsewhere(j store.Job) error { return whyElsewhere.Fault(nil, api.Clean(j.Base, api.MaxIDText)) }

var errNoID = api.Sentence("the service gave no id for this job that could be asked for").Fault(nil)

// FreshLinks polls a completed job once for addresses of its results that work,
// keeps them, and gives the job as it is then. The service may have none: then
// nothing changes.
func (p *Poller) FreshLinks(ctx context.Context, id string) (store.Job, error) {
	j, c, err := p.askable(ctx, id)
	if errors.Is(err, errNoID) {
		return j, nil
	}
	var a api.JobAnswer
	if err == nil {
		a, err = p.ask(ctx, c, j)
	}
	if err != nil {
		return j, err
	}
	results, links := relinked(j.Results, a.Results)
	if len(links) == 0 {
		return j, nil
	}
	err = p.o.Store().SaveLinks(ctx, j.ID, results, links)
	if err == nil {
		p.o.Changed(j.ID)
	} else if !errors.Is(err, store.ErrLate) { // then its files are being fetched, with fresh addresses if they need them
		return j, store.Explain(err)
	}
	return p.o.Find(ctx, id)
}

// ask polls a job that is not followed any more.
func (p *Poller) ask(ctx context.Context, c *remote.Connection, j store.Job) (a api.JobAnswer, err error) {
	err = p.call(ctx, c, func() (err error) {
		a, err = c.Service.Job(ctx, j.RemoteID, j.Kind, p.otherIDs(ctx, j)...)
		return err
	})
	a.Raw = c.Key.Redact(a.Raw)
	return a, err
}

// call makes one call with a permit of its own, as for every poll.
func (p *Poller) call(ctx context.Context, c *remote.Connection, do func() error) error {
	permit, err := p.acquire(ctx, c, "")
	if err != nil {
		return store.Explain(err)
	}
	err = do()
	p.observe(c, err, p.now())
	p.release(c, permit, err == nil)
	return err
}
