package state

import (
	"context"
	"sync"
	"time"

	"darkroom/state/remote"
)

// changes collects what is different now until somebody asks. Reporting never
// blocks: the poller must not wait for a screen.
type changes struct {
	mu      sync.Mutex
	version int64
	ids     map[string]bool
	pending bool
	next    chan struct{} // closed and replaced at every change
}

// report takes changed jobs; without an id only the Health has changed.
func (c *changes) report(ids ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version++
	for _, id := range ids {
		c.ids[id] = true
	}
	c.pending = true
	close(c.next)
	c.next = make(chan struct{})
}

// number grows with every change.
func (c *changes) number() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version
}

// changed returns a channel that is closed at the next change.
func (c *changes) changed() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.next
}

// take returns what has changed since it was last called, and whether
// anything has; without a change the channel is closed at the next one.
func (c *changes) take() ([]string, bool, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.pending {
		return nil, false, c.next
	}
	ids := make([]string, 0, len(c.ids))
	for id := range c.ids {
		ids = append(ids, id)
	}
	clear(c.ids)
	c.pending = false
	return ids, true, c.next
}

// Wait blocks until something changed since the last call: jobs (their ids,
// coalesced) or the Health (then ids may be empty). It ends with ctx.
func (s *Session) Wait(ctx context.Context) ([]string, error) {
	for {
		ids, some, next := s.changes.take()
		if some {
			return ids, nil
		}
		select {
		case <-next:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-s.ctx.Done():
			return nil, errClosed
		}
	}
}

const (
	// watchEvery is how often the other windows are looked at; a dead one's
	// jobs are taken over within 2 s.
	watchEvery = time.Second
	// sleptGap is the gap between wall and monotonic clock that means that the
	// machine slept, or that somebody set its clock.
	sleptGap = 10 * time.Second
)

// watch looks after what happens outside this window until the session ends:
// changes that others wrote, the settings file, windows that died, a machine that
// slept.
func (s *Session) watch() {
	every := s.scale().Of(watchEvery)
	seen, _ := s.storage.current().ChangeNumber(s.ctx)
	before := time.Now()
	for remote.Sleep(s.ctx, every) {
		now := time.Now()
		if slept(before, now) {
			s.afterSleep(now)
		}
		before = now
		s.settings.Reread(false)
		ids, next, err := s.storage.current().Changes(s.ctx, seen)
		if err == nil && next != seen {
			seen = next
			s.changes.report(ids...)
			s.poller.Wake()
		}
		_ = s.instance.keep(s.ctx) // who sends asks again
		if s.instance.takeOver(s.ctx, s.storage.current()) {
			s.poller.Wake()
		}
	}
}

// slept reports whether the machine slept between two moments: the wall clock
// went on and the monotonic one did not. A clock that was set does as much harm
// to what is planned.
func slept(before, now time.Time) bool {
	return sleptFor(now.Round(0).Sub(before.Round(0)), now.Sub(before))
}

func sleptFor(wall, monotonic time.Duration) bool { return (wall - monotonic).Abs() > sleptGap }

// afterSleep drops connections that died with the sleep and plans again what waits.
func (s *Session) afterSleep(now time.Time) {
	s.remote.Wake(now)
	s.poller.Wake()
}
