// Package poll follows jobs to their end: when to ask, which window asks, what
// an answer makes of a job, and the download of its results.
package poll

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"darkroom/api"
	"darkroom/state/media"
	"darkroom/state/remote"
	"darkroom/state/store"
)

// Options are what a Poller is made from.
type Options struct {
	remote.Shared
	Remote *remote.Remote
	// Instance is this process among those that share the store. Without a lock
	// that the others can see (Locked), it polls by hand only: its leases could
	// not be distinguished from those of a dead one.
	Instance string
	Locked   bool
	Now      func() time.Time                                        // the wall clock, which may be set
	Find     func(ctx context.Context, id string) (store.Job, error) // that of submit.Submitter
	Fetcher  func(c *remote.Connection) media.Saver                  // saves the results of its service
}

// Poller polls jobs and downloads their results, for several goroutines.
type Poller struct {
	o       Options
	ctx     context.Context
	scale   remote.Scale
	wake    chan struct{}
	breaker remote.Breaker
	work    work

	preferred atomic.Pointer[string]
	wall      time.Time // when the program began
	began     time.Time // the same, with the reading of the monotonic clock
}

// New makes a Poller that stops when ctx ends. Run polls what is due.
func New(ctx context.Context, o Options) *Poller {
	p := &Poller{o: o, ctx: ctx, scale: remote.Scale(o.Settings.Get().TimeScale), wake: make(chan struct{}, 1),
		work: work{jobs: map[string]*jobWork{}}, wall: o.Now(), began: time.Now()}
	p.Prefer("")
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
func (p *Poller) Prefer(id string) { p.preferred.Store(&id) }

// Run gives due jobs to workers until the context ends.
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
		began := p.o.Now()
		if next := p.pollRound(); !next.IsZero() {
			// From before as from now: the clock may have been set in between.
			timer.Reset(max(min(next.Sub(began), next.Sub(p.o.Now())), remote.Floor))
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
	return p.o.Now().Add(p.scale.Of(time.Second))
}

const (
	day        = 24 * time.Hour
	staleAfter = 7 * day // the age at which a job is no longer polled by itself
	// clockStep is by how much clocks are set all the time, without harm.
	clockStep = time.Second
	// lateAnswers is how many polls of a job that seems to be too old must have been
	// answered before it is: the clock may have been set forward.
	lateAnswers = 4
	// leaseLimit is how long a lease or a call of a dead window counts.
	leaseLimit = time.Minute
	// pollPace is a little slower than 2 polls a second, so that jitter on the
	// way never makes 2.2 of them arrive in one.
	pollPace = 510 * time.Millisecond
)

// FirstPoll is the wait before a job's first poll.
func FirstPoll(kind api.Kind) time.Duration {
	if kind == api.KindVideo {
		return 10 * time.Second
	}
	return 2 * time.Second
}

type interval struct{ below, every time.Duration }

// intervals are the waits between polls below an age, unscaled and without
// jitter. The last one goes on until the job is stale.
var intervals = []interval{
	{30 * time.Second, 2 * time.Second}, {2 * time.Minute, 5 * time.Second}, {10 * time.Minute, 15 * time.Second},
	{time.Hour, 30 * time.Second}, {day, 2 * time.Minute}, {math.MaxInt64, 15 * time.Minute},
}

// plan gives the wait before the next poll of a job of an age.
func plan(kind api.Kind, age time.Duration, scale remote.Scale) time.Duration {
	age = scale.Undo(age)
	every := intervals[slices.IndexFunc(intervals, func(i interval) bool { return age < i.below })].every
	return scale.Of(remote.Jitter(max(every, FirstPoll(kind))))
}

// longest is what plans and rests can be at most: an interval of the table with
// its jitter, or the wait after a failure of the network, which is then planned
// again.
func (p *Poller) longest() store.Schedule {
	return store.Schedule{
		Min:  p.scale.Of(10*time.Second*6/5+time.Minute+remote.ReplanSpan) + clockStep,
		Max:  p.scale.Of(15 * time.Minute * 6 / 5),
		Rest: p.scale.Of(api.MaxWait) + clockStep,
		Span: p.scale.Of(remote.ReplanSpan),
	}
}

// outlived reports whether a job is too old to be polled by itself. Wall time
// alone does not prove that: it takes answered polls, or as long a time that this
// program saw pass.
func (p *Poller) outlived(j store.Job, now time.Time, answered bool) bool {
	limit, sent, passed := p.scale.Of(staleAfter), began(j), time.Since(p.began)
	// By the wall clock, and by what it would show if nobody had set it since.
	old := min(now.Sub(sent), p.wall.Add(passed).Sub(sent)) >= limit
	late := 0
	p.work.of(j.ID, func(w *jobWork) {
		switch {
		case !old:
			w.late = 0
		case answered:
			w.late++
		}
		late = w.late
	})
	return old && (late >= lateAnswers || passed >= limit)
}

// unknown limits how long a service has not known a job to what this program saw pass, and
// what the clock said before: the clock may have been set since.
func (p *Poller) unknown(id string, t store.Tally, now time.Time) store.Tally {
	if t.NotFound == 0 {
		t.NotFoundSince = now
	}
	seen := max(p.wall.Sub(t.NotFoundSince), 0)
	p.work.of(id, func(w *jobWork) {
		if t.NotFound == 0 || w.unknown.IsZero() {
			w.unknown = time.Now()
		}
		seen += time.Since(w.unknown)
	})
	if since := now.Add(-seen); since.After(t.NotFoundSince) {
		t.NotFoundSince = since
	}
	return t
}

// pace is the rate that all windows share.
func (p *Poller) pace() store.Pace {
	return store.Pace{Every: p.scale.Of(pollPace), Burst: 2, Calls: pollWorkers, Limit: p.scale.Of(leaseLimit)}
}

// acquire waits for the permit to make one call, with the lease of the job, if any.
func (p *Poller) acquire(ctx context.Context, c *remote.Connection, id string) (store.Permit, error) {
	for {
		permit, err := p.o.Store().Acquire(ctx, store.AnySent, c.Base, p.o.Instance, id, p.o.Now(), p.pace())
		if err != nil || permit.Until.IsZero() {
			return permit, err
		}
		if now := p.o.Now(); p.o.Remote.TooFar(permit.Until, now) {
			p.o.Remote.Replan(c, now)
			permit.Until = now // and soon again, should the store refuse that
		}
		// Not the whole of a long rest: it is taken back when the clock was set.
		if !remote.Sleep(ctx, max(min(permit.Until.Sub(p.o.Now()), p.scale.Of(remote.ReplanSpan)), remote.Floor)) {
			return store.Permit{}, ctx.Err()
		}
	}
}

// release ends the call of a permit, which may not have been made.
func (p *Poller) release(c *remote.Connection, permit store.Permit, answered bool) {
	p.breaker.Cancel()
	_ = p.o.Store().EndCall(context.Background(), c.Base, permit.Call, answered)
}

// observe takes a poll's outcome into Health, gate and breaker, and gives a wait
// that goes before the schedule's.
func (p *Poller) observe(c *remote.Connection, err error, now time.Time) time.Duration {
	e, failed := errors.AsType[*api.Error](err)
	if failed && e.Status == 403 && remote.RefusesKey(e) { // which may be about a job of another account
		ctx, cancel := context.WithTimeout(p.ctx, p.scale.Of(leaseLimit/3)) // with the poll less than a lease
		defer cancel()
		_, _, err = c.Service.Models(ctx)
		e, failed = errors.AsType[*api.Error](err)
	}
	p.o.Remote.Observe(c, err)
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

// Limits of what ends a job.
const (
	notFoundCount = 3 // 404 or 410 in a row …
	notFoundFor   = 10 * time.Minute
	noPageFor     = 24 * time.Hour // … of pages of HTML, as gateways send them while the service is away
	emptyCount    = 5              // further polls of a COMPLETED without a result
	emptyEvery    = 5 * time.Second
)

// GivenUp reports whether a job has ended by darkroom's judgement and not by the
// service's word, so that an answer about it counts when a person asks again:
// another account's key, or a gateway, does not know it either.
func GivenUp(phase api.Phase, why api.Reason) bool {
	return phase == api.PhaseStale || phase == api.PhaseFailed && (why.Is(whyForgotten) || why.Is(whyNoResult))
}

// transition says what one poll makes of a job: a pure function. An ended job
// stays ended unless it was given up; only its result addresses may be newer.
// outlived says that it is proven to be too old to be polled by itself.
func transition(j store.Job, t store.Tally, a api.JobAnswer, err error, now time.Time, scale remote.Scale, outlived bool) store.Transition {
	r := store.Transition{
		ID: j.ID, Phase: j.Phase, Status: j.Status, Error: j.Error, ErrClass: j.ErrClass, Progress: j.Progress,
		Tally: t, EndedAt: j.EndedAt, NextPoll: j.NextPoll, Raw: a.Raw, Now: now,
	}
	e, _ := errors.AsType[*api.Error](err)
	switch {
	case j.Phase == api.PhaseFetching, j.Phase.Ended() && !GivenUp(j.Phase, j.Error):
		if err == nil && a.Class == api.StatusSucceeded && len(a.Results) > 0 {
			r.Results = refreshed(j.Results, a.Results)
		}
		r.Quiet = r.Results == nil
		return r
	case unheardOf(err):
		r.Raw = e.Raw
		notFound(&r, bytes.HasPrefix(bytes.TrimSpace(e.Raw), []byte("<")), now, scale)
	case e != nil:
		r.Raw = e.Raw
	case err == nil:
		if r.NotFound, r.NotFoundSince = 0, (time.Time{}); r.Error.Is(whyNotKnown) {
			r.Error = api.Reason{}
		}
		if answered(&r, a, now); r.Error.IsZero() && j.Error == store.ErrTaken.Reason {
			r.Error = j.Error
		}
	}
	if !r.Phase.Ended() && r.Phase != api.PhaseFetching {
		schedule(&r, j, now, scale, outlived)
	}
	if r.Phase.Ended() && r.EndedAt.IsZero() {
		r.EndedAt, r.NextPoll = now, time.Time{}
	}
	r.Quiet = r.Results == nil && r.Phase == j.Phase && r.Status == j.Status && r.Error == j.Error && r.Progress == j.Progress
	return r
}

// unheardOf reports whether a service answered that it does not know the job.
func unheardOf(err error) bool {
	e, answered := errors.AsType[*api.Error](err)
	return answered && (e.Status == 404 || e.Status == 410)
}

// notFound counts answers that the service does not know the job.
func notFound(r *store.Transition, page bool, now time.Time, scale remote.Scale) {
	enough := notFoundFor
	if page {
		enough = noPageFor
	}
	if r.NotFound++; r.NotFound > 1 && !r.Phase.Ended() { // a new job is not known everywhere at once
		r.Error = whyNotKnown.Reason()
	}
	if r.NotFound >= notFoundCount && now.Sub(r.NotFoundSince) >= scale.Of(enough) {
		r.Phase = api.PhaseFailed
		r.Error = whyForgotten.Reason()
		r.ErrClass = api.ClassNotFound
		r.Completed = true // accepted once, so it counts as spent
	}
}

// answered applies a readable answer.
func answered(r *store.Transition, a api.JobAnswer, now time.Time) {
	if !a.Status.IsZero() {
		r.Status = a.Status
	}
	r.Progress = a.Progress
	if a.Class != api.StatusSucceeded {
		r.Empty = 0
	}
	if GivenUp(r.Phase, r.Error) && a.Class != api.StatusNone {
		r.Phase, r.EndedAt, r.Completed = api.PhaseRunning, time.Time{}, false
	}
	switch a.Class {
	case api.StatusWaiting:
		r.Phase, r.Error, r.ErrClass = api.PhaseQueued, api.Reason{}, ""
	case api.StatusRunning, api.StatusUnlisted:
		r.Phase, r.Error, r.ErrClass = api.PhaseRunning, api.Reason{}, ""
	case api.StatusFailed, api.StatusCancelled:
		r.Phase, r.Error = api.PhaseFailed, failure(a)
	case api.StatusSucceeded:
		succeeded(r, a, now)
	}
}

func succeeded(r *store.Transition, a api.JobAnswer, now time.Time) {
	r.Completed = true
	if len(a.Results) > 0 || !a.Left.IsZero() { // without them the download asks again
		r.Phase, r.Results, r.NextPoll, r.Progress = api.PhaseFetching, a.Results, now, 1
		r.Error, r.ErrClass, r.Empty = a.Left, "", 0
		return
	}
	r.Empty++
	r.Phase = api.PhaseRunning
	r.Error = api.Sentence("completed, but the response holds no result yet: it is asked again").Reason()
	if r.Empty > emptyCount {
		r.Phase = api.PhaseFailed
		r.Error = whyNoResult.Reason()
		r.ErrClass = api.ClassUnreadable
	}
}

func failure(a api.JobAnswer) api.Reason {
	if !a.Reason.IsZero() {
		return api.ReasonText.Reason(a.Reason)
	}
	word := strings.TrimSpace(a.Status.String())
	if a.Class == api.StatusCancelled {
		return api.Sentence("cancelled by the service (%v), which gave no reason").Reason(word)
	}
	return api.Sentence("the service gave no reason (%v)").Reason(word)
}

// schedule plans the next poll from now, after the answer.
func schedule(r *store.Transition, j store.Job, now time.Time, scale remote.Scale, outlived bool) {
	switch {
	case r.Empty > 0:
		r.NextPoll = now.Add(scale.Of(emptyEvery))
	case outlived:
		r.Phase = api.PhaseStale
		r.Error = api.Sentence("no end was seen within seven days: refresh it to ask once more").Reason()
	default:
		r.NextPoll = now.Add(plan(j.Kind, now.Sub(began(j)), scale))
	}
}

// began is when a job's age begins.
func began(j store.Job) time.Time { return cmp.Or(j.SentAt, j.CreatedAt) }

// Why a job is as it is, or is not asked about.
var (
	whyStore     = api.Sentence("the store does not answer: %v")
	whyNotKnown  = api.Sentence("the service does not know this job: darkroom keeps asking for at least ten minutes")
	whyForgotten = api.Sentence("the service does not know this job, at least not by this key: look on its page whether it was charged, " +
		"and refresh it to ask once more")
	whyNoResult = api.Sentence("completed, no result in the response: the raw response is kept with the job")
)
