package state

import (
	"context"
	"sync"
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

func newChanges() *changes {
	return &changes{ids: map[string]bool{}, next: make(chan struct{})}
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
