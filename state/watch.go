package state

import (
	"time"
)

const (
	// watchEvery is how often the other windows are looked at; a dead one's
	// jobs are taken over within 2 s.
	watchEvery = time.Second
	// sleptGap is the gap between wall and monotonic clock that means that the
	// machine slept, or that somebody set its clock.
	sleptGap = 10 * time.Second
)

// watchLoop looks after what happens outside this window: changes that others
// wrote, windows that died, a machine that slept.
func (s *Session) watchLoop() {
	seen, _ := s.store().ChangeNumber(s.ctx)
	before := time.Now()
	for rest(s.ctx, s.scaled(watchEvery)) {
		now := time.Now()
		if slept(before, now) {
			s.woke(now)
		}
		before = now
		ids, next, err := s.store().Changes(s.ctx, seen)
		if err == nil && next != seen {
			seen = next
			s.tell(ids...)
			s.wake()
		}
		if s.own.lock != "" && s.store().Health().ReadOnly == "" && s.reap(s.ctx) {
			s.wake()
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

// woke drops connections that died with the sleep and plans anew.
func (s *Session) woke(now time.Time) {
	if l := s.linked(); l != nil {
		l.service.CloseIdle()
		s.replan(l, now)
	}
	s.wake()
}
