package poll

import (
	"context"
	"errors"
	"time"

	"darkroom/api"
	"darkroom/api/read"
	"darkroom/state/remote"
	"darkroom/state/settings"
	"darkroom/state/store"
)

// youngGrace bounds the head start of young jobs over old ones.
const youngGrace = 5 * time.Minute

// pollRound starts what is due and gives the time of the next round; zero
// means after the next Wake.
func (p *Poller) pollRound() time.Time {
	settings.CrashAt("poller")
	c := p.connection()
	preferred, free := p.work.free()
	if c == nil || free <= 0 {
		return time.Time{}
	}
	now := p.now()
	if err := p.o.Store().TakeBack(p.ctx, c.Base, now, p.longest()); err != nil {
		return p.storeFailed(err)
	}
	due, err := p.o.Store().Due(p.ctx, c.Base, preferred, now, p.scale.Of(youngGrace), 2*pollWorkers)
	if err != nil {
		return p.storeFailed(err)
	}
	for _, id := range due {
		if free == 0 {
			return time.Time{} // the end of a worker calls Wake
		}
		if !p.work.begin(id) {
			continue
		}
		until, started := p.start(c, id)
		if !started {
			p.work.end(id)
		} else {
			free--
		}
		if !until.IsZero() {
			return until
		}
	}
	if len(due) == 2*pollWorkers {
		return now.Add(p.scale.Of(pollPace))
	}
	next, err := p.o.Store().NextDue(p.ctx, c.Base)
	if err != nil {
		return p.storeFailed(err)
	}
	if !next.IsZero() && next.Before(now) {
		next = now.Add(p.scale.Of(pollPace)) // it waits for a worker, whose end calls Wake
	}
	return next
}

// start asks breaker and shared pace for a permit and starts a worker for a job
// that has begun. Without one it gives the time of the next round.
func (p *Poller) start(c *remote.Connection, id string) (until time.Time, started bool) {
	ok, until := p.breaker.Enter(time.Now())
	if !ok {
		if until.IsZero() { // a probe is out, whose end calls Wake
			until = time.Now().Add(p.scale.Of(remote.Backoff))
		}
		return p.now().Add(time.Until(until)), false
	}
	permit, err := p.o.Store().AcquireDue(p.ctx, c.Base, p.o.Instance, id, p.now(), p.pace())
	if err != nil || !permit.Until.IsZero() {
		p.breaker.Cancel()
	}
	switch {
	case errors.Is(err, store.ErrLate):
		return time.Time{}, false
	case err != nil:
		return p.storeFailed(err), false
	case !permit.Until.IsZero():
		p.showGate(permit.Until)
		return permit.Until, false
	}
	p.work.countPolling(1)
	p.o.Go(func() {
		defer func() {
			p.work.countPolling(-1)
			p.work.end(id)
			p.Wake()
		}()
		_ = p.poll(p.ctx, c, id, permit)
	})
	return time.Time{}, true
}

// poll makes the call, writes what it made of the job, and only then reports
// the change.
func (p *Poller) poll(ctx context.Context, c *remote.Connection, id string, permit store.Permit) error {
	file := p.o.Store()
	before, err := file.Job(ctx, id)
	if err != nil {
		p.release(c, permit, false)
		return err
	}
	call, done := context.WithCancel(ctx)
	defer done()
	// The answer takes minutes when it is the result itself.
	p.o.Go(func() { p.keep(call, done, id, permit) })
	a, callErr := c.Service.Job(call, before.RemoteID, before.Kind, p.otherIDs(ctx, before)...)
	lost := call.Err() != nil
	done()
	settings.CrashAt("poll")
	if lost && ctx.Err() == nil { // another window polls it by now
		p.release(c, permit, false)
		return store.ErrLate
	}
	if ctx.Err() != nil { // the program ends; the job keeps its plan
		p.release(c, permit, false)
		_ = file.Release(context.Background(), id, permit.Epoch, before.NextPoll)
		return ctx.Err()
	}
	now := p.now()
	// The gate closes before the place is free for the next call.
	wait := p.observe(c, callErr, now)
	p.release(c, permit, callErr == nil)
	tally, err := file.Tally(ctx, id)
	if err != nil {
		return err
	}
	a.Raw = c.Key.Redact(a.Raw)
	next := transition(before, tally, a, callErr, now, p.scale, p.outlived(before, now, callErr == nil))
	if next.NotFound > tally.NotFound && tally.NotFound < notFoundCount {
		p.reconsider(c, before)
	}
	next.Epoch = permit.Epoch
	if held := now.Add(wait); wait > 0 && !next.Phase.Ended() && held.After(next.NextPoll) {
		next.NextPoll = held
	}
	if err := file.Apply(ctx, next); err != nil {
		if !errors.Is(err, store.ErrLate) {
			p.storeFailed(err)
		}
		return err
	}
	if !next.Quiet {
		p.o.Changed(id)
	}
	return callErr
}

// keep renews the lease and the call of a permit until ctx ends, and ends it when
// the lease is lost.
func (p *Poller) keep(ctx context.Context, cancel func(), id string, permit store.Permit) {
	for remote.Sleep(ctx, p.scale.Of(renewEvery)) {
		err := p.o.Store().Renew(ctx, id, permit.Epoch, permit.Call, p.now().Add(p.scale.Of(leaseLimit)))
		if errors.Is(err, store.ErrLate) {
			cancel()
			return
		}
	}
}

// fetchRound starts downloads that are due and gives the time of the next
// round; zero means after the next Wake.
func (p *Poller) fetchRound() time.Time {
	c := p.connection()
	preferred, _ := p.work.free()
	if c == nil {
		return time.Time{}
	}
	now := p.now()
	due, err := p.o.Store().Fetchable(p.ctx, c.Base, preferred, now, fetchable)
	if err != nil {
		return p.storeFailed(err)
	}
	for _, id := range due {
		p.startFetch(c, id, true)
	}
	return time.Time{} // pollRound knows when the next one is due
}

// startFetch downloads a job's files in the background; bounded lets it only
// begin when a worker is free.
func (p *Poller) startFetch(c *remote.Connection, id string, bounded bool) {
	if p.ctx.Err() != nil || !p.work.beginFetch(id, bounded) {
		return
	}
	p.o.Go(func() {
		defer func() {
			p.work.endFetch(id)
			p.Wake()
		}()
		epoch, err := p.o.Store().Claim(p.ctx, id, p.o.Instance, p.now(), p.scale.Of(leaseLimit))
		if err == nil {
			p.fetchJob(c, id, epoch)
		}
	})
}

// otherIDs gives the ids in the answer to a job's create: polls may name the job
// by another one than the one that is asked for.
func (p *Poller) otherIDs(ctx context.Context, j store.Job) []string {
	a := p.created(ctx, j)
	return append(a.Candidates, a.ID)
}

// created is the answer to a job's create, the zero one without it.
func (p *Poller) created(ctx context.Context, j store.Job) api.JobAnswer {
	raw, err := p.o.Store().CreateAnswer(ctx, j.ID)
	if err != nil {
		return api.JobAnswer{}
	}
	return read.Create(200, nil, raw, j.Kind)
}
