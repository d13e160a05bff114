package state

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"darkroom/state/remote"
)

// changes collects what is different now until somebody asks; it never blocks.
type changes struct {
	mu      sync.Mutex
	ids     map[string]bool
	pending bool
	next    chan struct{} // closed and replaced at every change
}

// report takes changed jobs; without an id only the Health has changed.
func (c *changes) report(ids ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		c.ids[id] = true
	}
	c.pending = true
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
	if c.pending {
		ids = slices.AppendSeq([]string{}, maps.Keys(c.ids))
	}
	clear(c.ids)
	c.pending = false
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
)

// watch looks after what happens outside this window: changes that others wrote,
// the settings file, windows that died, a machine that slept.
func (e *engine) watch(seen int64) {
	every := max(e.scale().Of(watchEvery), watchEvery/20) // each look costs, at any scale
	before := time.Now()
	for remote.Sleep(e.ctx, every) {
		now := time.Now()
		if slept(time.Duration(now.UnixNano()-before.UnixNano()), now.Sub(before)) { // connections died, and what waits is planned again
			e.remote.Wake(now)
			e.poller.Wake()
		}
		before = now
		e.settings.Reread(false)
		ids, next, err := e.db().Changes(e.ctx, seen)
		if err == nil && next != seen {
			seen = next
			e.changes.report(ids...)
			e.poller.Wake()
		}
		_ = e.db().Expire(e.ctx, now) // it cannot be sent any more in any case
		_ = e.instance.keep()         // who sends asks again
		if e.instance.takeOver(e.ctx, e.db()) {
			e.poller.Wake()
		}
	}
}

// slept reports whether the wall clock went on and the monotonic one did not. A
// clock that was set does as much harm to what is planned.
func slept(wall, monotonic time.Duration) bool { return (wall - monotonic).Abs() > sleptGap }
