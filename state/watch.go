package state

import (
	"time"

	"darkroom/state/timing"
)

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
	every := timing.Scale(s.o.Settings.TimeScale).Of(watchEvery)
	seen, _ := s.storage.current().ChangeNumber(s.ctx)
	before := time.Now()
	for timing.Sleep(s.ctx, every) {
		now := time.Now()
		if slept(before, now) {
			s.afterSleep(now)
		}
		before = now
		s.SettingsFile.reread(false)
		ids, next, err := s.storage.current().Changes(s.ctx, seen)
		if err == nil && next != seen {
			seen = next
			s.changes.report(ids...)
			s.poller.Wake()
		}
		_ = s.instance.keep(s.ctx) // who sends asks again
		if s.instance.reap(s.ctx, s.storage.current()) {
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

// afterSleep drops connections that died with the sleep and plans anew.
func (s *Session) afterSleep(now time.Time) {
	s.remote.Wake(now)
	s.poller.Wake()
}
