package state

import (
	"context"
	"sync"
)

// changes collects what is different now until somebody asks. Telling never
// blocks: the poller must not wait for a screen.
type changes struct {
	mu      sync.Mutex
	ids     map[string]bool
	pending bool
	bell    chan struct{} // closed and replaced at every change
}

func newChanges() *changes {
	return &changes{ids: map[string]bool{}, bell: make(chan struct{})}
}

// tell notes changed jobs; without an id only the Standing has changed.
func (c *changes) tell(ids ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		c.ids[id] = true
	}
	c.pending = true
	close(c.bell)
	c.bell = make(chan struct{})
}

// next returns a channel that is closed at the next change.
func (c *changes) next() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bell
}

// take returns what has changed since it was last called, and whether
// anything has; without a change the channel tells when to ask again.
func (c *changes) take() ([]string, bool, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.pending {
		return nil, false, c.bell
	}
	ids := make([]string, 0, len(c.ids))
	for id := range c.ids {
		ids = append(ids, id)
	}
	clear(c.ids)
	c.pending = false
	return ids, true, c.bell
}

// Wait blocks until something changed since the last call: jobs (their ids,
// coalesced) or the Standing (then ids may be empty). It ends with ctx.
func (s *Session) Wait(ctx context.Context) ([]string, error) {
	for {
		ids, some, bell := s.news.take()
		if some {
			return ids, nil
		}
		select {
		case <-bell:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-s.ctx.Done():
			return nil, errClosed
		}
	}
}

// tell reports changed jobs and makes the Standing newer.
func (s *Session) tell(ids ...string) {
	s.mu.Lock()
	s.standing.Version++
	s.mu.Unlock()
	s.news.tell(ids...)
}

// wake makes the poller look at the store again.
func (s *Session) wake() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}
