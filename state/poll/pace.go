package poll

import (
	"context"
	"errors"
	"time"

	"darkroom/api"
	"darkroom/state/remote"
	"darkroom/state/store"
	"darkroom/state/timing"
)

const (
	// callLimit is after how long a call of a dead window no longer counts.
	callLimit = time.Minute
	// pollPace is a little slower than 2 polls a second, so that jitter on the
	// way never makes 2.2 of them arrive in one.
	pollPace = 510 * time.Millisecond
)

// pace is the rate that all windows share.
func (p *Poller) pace() store.Pace {
	return store.Pace{Every: p.scale.Of(pollPace), Burst: 2, Calls: pollWorkers, Limit: p.scale.Of(callLimit)}
}

// acquire waits for the permit to make one call, with the job's lease when id
// is not "".
func (p *Poller) acquire(ctx context.Context, c *remote.Connection, id string) (store.Permit, error) {
	for {
		permit, err := p.o.Store().Acquire(ctx, c.Base, p.o.Instance, id, p.now(), p.pace())
		if err != nil || permit.Until.IsZero() {
			return permit, err
		}
		if now := p.now(); p.o.Remote.TooFar(permit.Until, now) {
			p.o.Remote.Replan(c, now)
			continue
		}
		// Not the whole of a long rest: it is taken back when the clock was set.
		wait := min(permit.Until.Sub(p.now()), p.scale.Of(remote.ReplanSpan))
		if !timing.Sleep(ctx, max(wait, timing.Floor)) {
			return store.Permit{}, ctx.Err()
		}
	}
}

// release ends the call of a permit; answered says that the service gave
// what was asked for.
func (p *Poller) release(c *remote.Connection, permit store.Permit, answered bool) {
	_ = p.o.Store().EndCall(context.Background(), c.Base, permit.Call, answered)
}

// observe takes a poll's outcome into Health, gate and breaker, and gives a wait
// that goes before the schedule's.
func (p *Poller) observe(c *remote.Connection, err error, now time.Time) time.Duration {
	p.o.Remote.Observe(c, err)
	var e *api.Error
	failed := errors.As(err, &e)
	if failed && e.Class == api.ClassNetwork && e.Status == 0 {
		return p.breaker.Failed(time.Now(), p.scale) // of the clock that cannot be set
	}
	if p.breaker.Worked() {
		p.o.Remote.Replan(c, now)
	}
	if failed && (e.Status == 429 || e.Status == 503 || e.Class == api.ClassRate) {
		return p.o.Remote.CloseGate(c, e)
	}
	return 0
}

// showGate shows a rest that another window was asked for, unless the wait is
// that of the pace.
func (p *Poller) showGate(until time.Time) {
	if until.Sub(p.now()) > p.scale.Of(2*pollPace) {
		p.o.Remote.ShowGate(until)
	}
}
