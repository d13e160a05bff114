// Package poll follows jobs to their end: when to ask, which window asks, what
// an answer makes of a job, and the download of its results.
package poll

import (
	"context"
	"time"

	"darkroom/api"
	"darkroom/state/media"
	"darkroom/state/remote"
	"darkroom/state/settings"
	"darkroom/state/store"
	"darkroom/state/timing"
)

// Options are what a Poller is made from.
type Options struct {
	Remote   *remote.Remote
	Settings *settings.Current
	Store    func() *store.Store
	// Fetcher saves the results of a connection's service.
	Fetcher func(c *remote.Connection) media.Saver
	// Instance is this process among those that share the store. Without a lock
	// that the others can see (Locked), it polls by hand only: its leases could
	// not be distinguished from those of a dead one.
	Instance string
	Locked   bool
	// Go runs a function in the background. Changed is called with the jobs that
	// are different now; it does not block.
	Go      func(func())
	Changed func(ids ...string)
	// Now is the wall clock; nil is time.Now.
	Now func() time.Time
}

// Poller polls jobs and downloads their results. It is safe for use by several
// goroutines.
type Poller struct {
	o       Options
	ctx     context.Context
	scale   timing.Scale
	wake    chan struct{}
	breaker remote.Breaker
	work    work
	now     func() time.Time // the wall clock, which may be set
	steady  steady
}

// New makes a Poller that stops when ctx ends. Run polls what is due.
func New(ctx context.Context, o Options) *Poller {
	p := &Poller{o: o, ctx: ctx, scale: timing.Scale(o.Settings.Get().TimeScale), wake: make(chan struct{}, 1), now: o.Now}
	if p.now == nil {
		p.now = time.Now
	}
	p.work.busy, p.work.refreshed = map[string]bool{}, map[string]time.Time{}
	p.work.slow, p.work.again, p.work.waiting = map[string]int{}, map[string]bool{}, map[string]time.Time{}
	p.steady = steady{wall: p.now().Round(0), began: time.Now(), late: map[string]int{}}
	return p
}

// Wake makes Run start a round now. It does not block.
func (p *Poller) Wake() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Prefer names the job that is polled before all others that are due, such as
// the selected one; "" names none.
func (p *Poller) Prefer(id string) { p.work.setPreferred(id) }

// Close starts no download from now on.
func (p *Poller) Close() { p.work.close() }

// Run gives due jobs to workers until the context ends. It never waits for a
// screen.
func (p *Poller) Run() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-p.wake:
		case <-timer.C:
		}
		timer.Stop()
		began, mark := p.now(), time.Now()
		next := p.fetchRound()
		if at := p.pollRound(); next.IsZero() || !at.IsZero() && at.Before(next) {
			next = at
		}
		if !next.IsZero() {
			// From before as from now: the clock may have been set in between.
			wait := min(next.Sub(began)-time.Since(mark), next.Sub(p.now()))
			timer.Reset(max(wait, timing.Floor))
		}
	}
}

// connection is the connection to poll by; nil while calls rest.
func (p *Poller) connection() *remote.Connection {
	if !p.o.Locked || p.o.Remote.Health().KeyRefused || p.o.Store().Health().ReadOnly != (api.Reason{}) {
		return nil
	}
	return p.o.Remote.Connection()
}

// storeFailed shows a store's failure and gives the time of the next round.
func (p *Poller) storeFailed(err error) time.Time {
	if p.ctx.Err() == nil {
		p.o.Remote.SetTrouble(whyStore.Reason(store.Why(err)))
	}
	return p.now().Add(p.scale.Of(time.Second))
}
