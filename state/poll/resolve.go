package poll

import (
	"errors"

	"darkroom/api"
	"darkroom/api/read"
	"darkroom/state/remote"
	"darkroom/state/store"
)

// Resolve asks in the background which of several ids in the answer to a create
// is the job's, each with a permit of its own, as for every poll.
func (p *Poller) Resolve(c *remote.Connection, j store.Job, a api.JobAnswer) {
	p.o.Go(func() { p.resolve(c, j, a) })
}

func (p *Poller) resolve(c *remote.Connection, j store.Job, a api.JobAnswer) {
	var id string
	for _, candidate := range append([]string{a.ID}, a.Candidates...) {
		if !read.PollableID(candidate) {
			continue
		}
		permit, err := p.acquire(p.ctx, c, "")
		if err != nil {
			return
		}
		id, _, err = c.Service.Resolve(p.ctx, []string{candidate}, j.Kind)
		p.observe(c, err, p.now())
		p.release(c, permit, err == nil)
		var e *api.Error
		if err == nil {
			break
		}
		if !errors.As(err, &e) || e.Class != api.ClassNotFound {
			return // it says nothing about the id; a poll that is not known asks again
		}
	}
	if id == "" || id == a.ID {
		return
	}
	var err error
	if a.ID != "" {
		err = p.o.Store().Rename(p.ctx, j.ID, a.ID, id)
	} else {
		err = p.o.Store().Attach(p.ctx, j.ID, id, p.now())
	}
	if err == nil {
		p.o.Changed(j.ID)
		p.Wake()
	}
}

// reconsider looks for another id in the create's answer when the service does
// not know the one that was taken from it: the question which it is may never
// have been asked to its end.
func (p *Poller) reconsider(c *remote.Connection, j store.Job) {
	raw, err := p.o.Store().CreateAnswer(p.ctx, j.ID)
	if err != nil {
		return
	}
	a := read.Create(200, nil, raw, j.Kind)
	if a.ID == j.RemoteID && len(a.Candidates) > 0 {
		p.Resolve(c, j, a)
	}
}
