package state

import (
	"context"
	"errors"
	"time"

	"darkroom/api"
	"darkroom/state/store"
)

const (
	pollWorkers  = 4
	fetchWorkers = 2
	// spread is the span over which waiting jobs are planned anew after a
	// lost network, a sleep or a gate.
	spread = 10 * time.Second
	// youngGrace bounds the head start of young jobs over old ones.
	youngGrace = 5 * time.Minute
	// callLimit is after how long a call of a dead window no longer counts.
	callLimit = time.Minute
	// pollPace is a little slower than 2 polls a second, so that jitter on the
	// way never makes 2.2 of them arrive in one.
	pollPace = 510 * time.Millisecond
)

func (s *Session) pace() store.Pace {
	return store.Pace{Every: s.scaled(pollPace), Burst: 2, Flying: pollWorkers, Limit: s.scaled(callLimit)}
}

// pollLoop gives due jobs to workers. It never waits for a screen, and it
// never gives up while the program lives.
func (s *Session) pollLoop() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-s.kick:
		case <-timer.C:
		}
		timer.Stop()
		wake := s.fetchRound()
		if next := s.pollRound(); wake.IsZero() || !next.IsZero() && next.Before(wake) {
			wake = next
		}
		if !wake.IsZero() {
			timer.Reset(max(time.Until(wake), leastWait))
		}
	}
}

// pollRound starts what is due and gives the time of the next look; zero means
// that only a wake-up brings something.
func (s *Session) pollRound() time.Time {
	crashAt("poller")
	l, prefer, free := s.pollState()
	if l == nil || free <= 0 {
		return time.Time{}
	}
	now := time.Now()
	due, err := s.store().Due(s.ctx, l.base, prefer, now, s.scaled(youngGrace), 2*pollWorkers)
	if err != nil {
		return s.storeFailed(err)
	}
	for _, d := range due {
		if free == 0 {
			return time.Time{} // the end of a worker wakes the loop
		}
		if !s.begin(d.ID) {
			continue
		}
		until, started := s.startPoll(l, d)
		if !started {
			s.end(d.ID)
		} else {
			free--
		}
		if !until.IsZero() {
			return until
		}
	}
	if len(due) == 2*pollWorkers {
		return now.Add(s.scaled(pollPace))
	}
	next, err := s.store().NextDue(s.ctx, l.base)
	if err != nil {
		return s.storeFailed(err)
	}
	if s.tooFar(next, now) {
		s.replan(l, now)
		return now.Add(leastWait)
	}
	return next
}

// farthest is later than any call or rest is ever planned for: what lies
// beyond was written while the clock was ahead.
const farthest = 2 * time.Hour

func (s *Session) tooFar(at, now time.Time) bool { return at.Sub(now) > s.scaled(farthest) }

// replan spreads the calls that wait over the next seconds.
func (s *Session) replan(l *link, now time.Time) {
	_ = s.store().Spread(s.ctx, l.base, now, s.scaled(spread), s.scaled(farthest))
}

// startPoll asks breaker and shared rate for leave and starts a worker.
func (s *Session) startPoll(l *link, d store.Due) (until time.Time, started bool) {
	ok, until := s.breaker.enter(time.Now())
	if !ok {
		if until.IsZero() {
			until = time.Now().Add(s.scaled(backOff))
		}
		return until, false
	}
	g, err := s.store().TakeDue(s.ctx, l.base, s.own.id, d.ID, time.Now(), s.pace())
	switch {
	case errors.Is(err, store.ErrLate):
		s.breaker.cancel()
		return time.Time{}, false
	case err != nil:
		s.breaker.cancel()
		return s.storeFailed(err), false
	case s.tooFar(g.Until, time.Now()):
		s.breaker.cancel()
		s.replan(l, time.Now())
		return time.Now().Add(leastWait), false
	case !g.Until.IsZero():
		s.breaker.cancel()
		s.noteGate(g.Until)
		return g.Until, false
	}
	s.mu.Lock()
	s.polling++
	s.mu.Unlock()
	s.start(func() {
		defer func() {
			s.mu.Lock()
			s.polling--
			s.mu.Unlock()
			s.end(d.ID)
			s.wake()
		}()
		_ = s.pollOne(s.ctx, l, d.ID, g)
	})
	return time.Time{}, true
}

// pollOne makes the call, writes what it made of the job, and only then tells.
func (s *Session) pollOne(ctx context.Context, l *link, id string, g store.Grant) error {
	file := s.store()
	before, err := file.Job(ctx, id)
	if err != nil {
		s.land(l, g.Flight, errClosed)
		return err
	}
	a, callErr := l.service.Job(ctx, before.RemoteID, before.Kind)
	crashAt("poll")
	if ctx.Err() != nil { // the program ends; the job keeps its plan
		s.land(l, g.Flight, errClosed)
		_ = file.Release(context.Background(), id, g.Epoch, before.NextPoll)
		return ctx.Err()
	}
	now := time.Now()
	// The gate closes before the place in the air is free for the next call.
	wait := s.sawPoll(l, callErr, now)
	s.land(l, g.Flight, callErr)
	tally, err := file.Tally(ctx, id)
	if err != nil {
		return err
	}
	r := settle(before, tally, redacted(l, a), callErr, now, s.scale)
	if r.Gone > tally.Gone && tally.Gone < goneCount {
		s.reconsider(l, before)
	}
	r.Epoch = g.Epoch
	if held := now.Add(wait); wait > 0 && !r.Phase.Ended() && held.After(r.NextPoll) {
		r.NextPoll = held
	}
	if err := file.Settle(ctx, r); err != nil {
		if !errors.Is(err, store.ErrLate) {
			s.storeFailed(err)
		}
		return err
	}
	if !r.Quiet {
		s.tell(id)
	}
	return callErr
}

func redacted(l *link, a api.JobAnswer) api.JobAnswer {
	a.Raw = l.key.Redact(a.Raw)
	return a
}

// sawPoll takes a poll's outcome into Standing, gate and breaker, and gives a
// wait that goes before the schedule's.
func (s *Session) sawPoll(l *link, err error, now time.Time) time.Duration {
	s.saw(l, err)
	var e *api.Error
	if err == nil || !errors.As(err, &e) {
		if s.breaker.worked() {
			s.replan(l, now)
		}
		return 0
	}
	if e.Class == api.ClassNetwork && e.Status == 0 {
		return s.breaker.failed(now, s.scale)
	}
	if s.breaker.worked() {
		s.replan(l, now)
	}
	if e.Status == 429 || e.Status == 503 || e.Class == api.ClassRate {
		return s.closeGate(l, e)
	}
	return 0
}

// Waits of the gate when the service names none.
const gateTop = 15 * time.Minute

// closeGate stops the calls of all windows and gives the wait.
func (s *Session) closeGate(l *link, e *api.Error) time.Duration {
	var asked time.Duration
	if e.RetryAfter > 0 {
		asked = s.scaled(api.ClampWait(e.RetryAfter))
	}
	now := time.Now()
	until, err := s.store().CloseGate(context.Background(), l.base, now, asked, s.scaled(api.DefaultWait), s.scaled(gateTop))
	if err != nil {
		return max(asked, s.scaled(api.DefaultWait))
	}
	s.change(func(st *Standing) { st.RetryAt, st.Trouble = until, e.Error() })
	// Jobs come back one after another, not all in the moment it opens.
	return until.Sub(now) + fullJitter(s.scaled(time.Second), s.scaled(time.Second), 1)
}

// noteGate shows a rest that another window was asked for.
func (s *Session) noteGate(until time.Time) {
	if time.Until(until) > s.scaled(2*pollPace) {
		s.change(func(st *Standing) { st.RetryAt = until })
	}
}

// leave waits for the leave to make one call, with the job's lease when id is
// not "".
func (s *Session) leave(ctx context.Context, l *link, id string) (flight, epoch int64, err error) {
	for {
		g, err := s.store().Take(ctx, l.base, s.own.id, id, time.Now(), s.pace())
		if err != nil {
			return 0, 0, err
		}
		if g.Until.IsZero() {
			return g.Flight, g.Epoch, nil
		}
		if now := time.Now(); s.tooFar(g.Until, now) {
			s.replan(l, now)
			continue
		}
		if !rest(ctx, max(time.Until(g.Until), leastWait)) {
			return 0, 0, ctx.Err()
		}
	}
}

// land ends a call.
func (s *Session) land(l *link, flight int64, err error) {
	_ = s.store().Land(context.Background(), l.base, flight, err == nil)
}

// pollState is the link to poll by (nil while calls rest), the job to prefer,
// and how many workers are free.
func (s *Session) pollState() (*link, string, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.standing.KeyRefused || s.own.lock == "" || s.file.Health().ReadOnly != "" {
		return nil, "", 0
	}
	return s.link, s.prefer, pollWorkers - s.polling
}

// begin marks a job as being worked on in this window.
func (s *Session) begin(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy[id] {
		return false
	}
	s.busy[id] = true
	return true
}

func (s *Session) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.busy, id)
}

// storeFailed shows a store's failure and gives the time to look again.
func (s *Session) storeFailed(err error) time.Time {
	if s.ctx.Err() == nil {
		s.change(func(st *Standing) { st.Trouble = "the store does not answer: " + store.Words(err) })
	}
	return time.Now().Add(s.scaled(time.Second))
}

// Prefer names the job that is polled before all others that are due, such as
// the selected one; "" names none.
func (s *Session) Prefer(id string) {
	s.mu.Lock()
	s.prefer = id
	s.mu.Unlock()
}
