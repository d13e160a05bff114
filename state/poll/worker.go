package poll

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"darkroom/api"
	"darkroom/api/read"
	"darkroom/state/remote"
	"darkroom/state/settings"
	"darkroom/state/store"
)

// pollRound starts the downloads and polls that are due, and gives the time of the next
// round, if any.
func (p *Poller) pollRound() time.Time {
	settings.CrashAt("poller")
	c := p.connection()
	if c == nil {
		return time.Time{}
	}
	now := p.o.Now()
	due, err := p.o.Store().Fetchable(p.ctx, c.Base, *p.preferred.Load(), now)
	if err != nil {
		return p.storeFailed(err)
	}
	for _, id := range due {
		p.startFetch(c, id, true)
	}
	if err := p.o.Store().TakeBack(p.ctx, c.Base, p.o.Instance, now, p.longest()); err != nil {
		return p.storeFailed(err)
	}
	due, err = p.o.Store().Due(p.ctx, c.Base, *p.preferred.Load(), now, p.scale.Of(youngGrace), pollWorkers)
	if err != nil {
		return p.storeFailed(err)
	}
	for _, id := range due {
		if until := p.start(c, id); !until.IsZero() {
			return until
		}
	}
	next, err := p.o.Store().NextDue(p.ctx, c.Base)
	switch {
	case err != nil:
		return p.storeFailed(err)
	case next.IsZero() && p.o.Remote.Health().Trouble.Format() == whyStore: // what it held up is done, and no answer comes
		p.o.Remote.SetTrouble(api.Reason{})
	case !next.IsZero() && next.Before(now):
		next = now.Add(p.scale.Of(pollPace)) // it waits for a worker, whose end calls Wake
	}
	return next
}

// start asks breaker and shared pace for a permit and starts a worker, if one is free,
// for a job that none works on. Without a permit it gives the time of the next round.
func (p *Poller) start(c *remote.Connection, id string) time.Time {
	if !p.work.begin(id) {
		return time.Time{}
	}
	permit, until := p.permit(c, id)
	if permit.Call == 0 {
		p.work.end(id)
		return until
	}
	p.o.Go(func() {
		defer p.Wake()
		defer p.work.end(id)
		_ = p.poll(p.ctx, c, id, permit)
	})
	return time.Time{}
}

// permit is the permit to poll a job that is due, or the time of the next round.
func (p *Poller) permit(c *remote.Connection, id string) (store.Permit, time.Time) {
	ok, until := p.breaker.Enter(time.Now())
	if !ok {
		// The end of a probe that is out calls Wake.
		return store.Permit{}, p.o.Now().Add(max(time.Until(until), p.scale.Of(remote.Backoff)))
	}
	permit, err := p.o.Store().Acquire(p.ctx, store.DuePoll, c.Base, p.o.Instance, id, p.o.Now(), p.pace())
	if err != nil || !permit.Until.IsZero() {
		p.breaker.Cancel()
	}
	if err != nil && !errors.Is(err, store.ErrLate) {
		return permit, p.storeFailed(err)
	}
	return permit, permit.Until
}

// poll makes the call, writes what it made of the job, then reports the change.
func (p *Poller) poll(ctx context.Context, c *remote.Connection, id string, permit store.Permit) error {
	file := p.o.Store()
	answered := false
	defer func() { p.release(c, permit, answered) }()
	before, err := file.Job(ctx, id)
	if err != nil {
		return err
	}
	call, done := context.WithCancel(ctx)
	defer done()
	// The answer takes minutes when it is the result itself.
	p.o.Go(func() { p.keep(call, done, id, permit) })
	a, callErr := c.Service.Job(call, before.RemoteID, before.Kind, p.otherIDs(ctx, before)...)
	lost := call.Err() != nil
	done()
	settings.CrashAt("poll")
	if lost { // another window polls it by now, or the program ends: the job keeps its plan
		_ = file.Release(context.Background(), id, permit.Epoch, before.NextPoll)
		return cmp.Or[error](ctx.Err(), store.ErrLate)
	}
	now := p.o.Now()
	wait := p.observe(c, callErr, now)
	answered = callErr == nil
	tally := before.Tally
	if unheardOf(callErr) {
		tally = p.unknown(before.ID, tally, now)
	}
	a.Raw = c.Key.Redact(a.Raw)
	next := transition(before, tally, a, callErr, now, p.scale, p.outlived(before, now, callErr == nil))
	if next.NotFound > tally.NotFound && tally.NotFound < notFoundCount {
		// Which id in the create's answer is the job's may never have been asked to its end.
		if a := p.created(p.ctx, before); a.ID == before.RemoteID && len(a.Candidates) > 0 {
			p.Resolve(c, before, a)
		}
	}
	next.Epoch = permit.Epoch
	if held := now.Add(wait); wait > 0 && held.After(next.NextPoll) {
		next.NextPoll = held
	}
	if err := file.Apply(ctx, next); err != nil {
		if !errors.Is(err, store.ErrLate) {
			p.storeFailed(err)
		}
		return err
	}
	if !next.Quiet {
		p.o.Changed(id)
	}
	return callErr
}

// keep renews a permit's lease and call until ctx ends, or ends ctx when it is lost.
func (p *Poller) keep(ctx context.Context, cancel func(), id string, permit store.Permit) {
	for remote.Sleep(ctx, p.scale.Of(renewEvery)) {
		err := p.o.Store().Renew(ctx, id, permit.Epoch, permit.Call, p.o.Now().Add(p.scale.Of(leaseLimit)))
		if errors.Is(err, store.ErrLate) {
			cancel()
		}
	}
}

// startFetch downloads a job's files in the background, bounded if a worker is free.
func (p *Poller) startFetch(c *remote.Connection, id string, bounded bool) {
	if p.ctx.Err() != nil || !p.work.beginFetch(id, bounded) {
		return
	}
	p.o.Go(func() {
		defer p.Wake()
		defer p.work.end(id)
		epoch, err := p.o.Store().Claim(p.ctx, id, p.o.Instance, p.o.Now(), p.scale.Of(leaseLimit))
		if err == nil {
			p.fetchJob(c, id, epoch)
		} else if !errors.Is(err, store.ErrLate) {
			p.storeFailed(err)
			remote.Sleep(p.ctx, p.scale.Of(time.Second)) // its end wakes the next try
		}
	})
}

// otherIDs gives the ids in the answer to a job's create: polls may name the job
// by another one than the one that is asked for.
func (p *Poller) otherIDs(ctx context.Context, j store.Job) []string {
	a := p.created(ctx, j)
	return append(a.Candidates, a.ID)
}

// created is the answer to a job's create, without it one without an id.
func (p *Poller) created(ctx context.Context, j store.Job) api.JobAnswer {
	raw, _ := p.o.Store().Answer(ctx, j.ID, "create")
	return read.Create(200, nil, raw, j.Kind)
}

const (
	pollWorkers  = 4
	fetchWorkers = 2
	maxCrawling  = 6 // downloads that go on without a worker's place

	youngGrace   = 5 * time.Minute  // bounds the head start of young jobs over old ones
	renewEvery   = 20 * time.Second // leases and permits are renewed
	refreshEvery = 2 * time.Second  // a person may poll one job
)

// work is what this window does, and remembers of jobs.
type work struct {
	mu   sync.Mutex
	jobs map[string]*jobWork
}

// deed is what is being done with a job; a person's refresh needs no free worker.
type deed int

const (
	resting deed = iota
	refreshing
	polling
	fetching
)

type jobWork struct {
	deed      deed
	refreshed time.Time // when a person last polled it
	slow      int       // tries to download slowFile that were too slow
	slowFile  int
	kept      int64     // bytes of slowFile that had come when these were counted anew
	again     bool      // its download is tried again now, after such a try
	crawls    bool      // its download comes slowly and has given up its place
	waits     time.Time // since when its download waits for another window; zero: it does not
	late      int       // answered polls while it seems to be too old
	unknown   time.Time // when the service first said that it does not know it, by the clock that cannot be set
}

// of calls do with what is remembered of a job.
func (w *work) of(id string, do func(j *jobWork)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	j := cmp.Or(w.jobs[id], &jobWork{})
	w.jobs[id] = j
	if do(j); *j == (jobWork{}) {
		delete(w.jobs, id)
	}
}

// count counts the jobs of which is is true.
func (w *work) count(is func(j *jobWork) bool) (n int) {
	for _, j := range w.jobs {
		if is(j) {
			n++
		}
	}
	return n
}

// begin marks a job as being polled; false when something is done with it already, or
// no worker is free.
func (w *work) begin(id string) (begun bool) {
	w.of(id, func(j *jobWork) {
		if begun = j.deed == resting && w.count(func(o *jobWork) bool { return o.deed == polling }) < pollWorkers; begun {
			j.deed = polling
		}
	})
	return begun
}

func (w *work) end(id string) {
	w.of(id, func(j *jobWork) { j.deed, j.again, j.crawls = resting, false, false })
}

// crawl gives the place of a download to another, unless there are too many without.
func (w *work) crawl(id string) (given bool) {
	w.of(id, func(j *jobWork) {
		given = j.crawls || w.count(func(o *jobWork) bool { return o.crawls }) < maxCrawling
		j.crawls = given
	})
	return given
}

// beginFetch marks a job as being fetched; bounded lets it begin only when a
// worker is free, and of downloads that were too slow before all but one worker
// are kept free.
func (w *work) beginFetch(id string, bounded bool) (begun bool) {
	w.of(id, func(j *jobWork) {
		busy := w.count(func(o *jobWork) bool { return o.deed == fetching && !o.crawls })
		again := w.count(func(o *jobWork) bool { return o.again && !o.crawls })
		if j.deed == resting && (!bounded || busy < fetchWorkers && (j.slow == 0 || again < fetchWorkers-1)) {
			begun, j.deed, j.again = true, fetching, j.slow > 0
		}
	})
	return begun
}

// Resolve asks in the background which of several ids in the answer to a create
// is the job's, each with a permit of its own, as for every poll. Those of earlier jobs
// are not: an answer may also name the job that a request was made from.
func (p *Poller) Resolve(c *remote.Connection, j store.Job, a api.JobAnswer) {
	p.o.Go(func() {
		var id string
		for _, candidate := range append([]string{a.ID}, a.Candidates...) {
			if !read.PollableID(candidate) || candidate != a.ID && p.o.Store().Knows(p.ctx, c.Base, candidate) {
				continue
			}
			err := p.call(p.ctx, c, func() (err error) {
				id, _, err = c.Service.Resolve(p.ctx, []string{candidate}, j.Kind)
				return err
			})
			if err == nil {
				break
			}
			if e, ok := errors.AsType[*api.Error](err); !ok || e.Class != api.ClassNotFound {
				return // it says nothing about the id; a poll that is not known asks again
			}
		}
		switch { // one that was settled meanwhile stays as it is
		case id == "" || id == a.ID:
			return
		case a.ID != "":
			_ = p.o.Store().Rename(p.ctx, j.ID, a.ID, id)
		default:
			_ = p.o.Store().Attach(p.ctx, j.ID, id, p.o.Now())
		}
		p.o.Changed(j.ID)
	})
}

// Refresh polls a job now; one that comes too early does nothing.
func (p *Poller) Refresh(ctx context.Context, id string) error {
	j, c, err := p.askable(ctx, id)
	if err != nil {
		return err
	}
	may := false
	p.work.of(j.ID, func(w *jobWork) {
		if may = w.deed == resting && time.Since(w.refreshed) >= p.scale.Of(refreshEvery); may {
			w.deed, w.refreshed = refreshing, time.Now()
		}
	})
	if !may {
		return nil
	}
	defer p.work.end(j.ID)
	permit, err := p.acquire(ctx, c, j.ID)
	if err == nil {
		err = p.poll(ctx, c, j.ID, permit)
		p.Wake()
	}
	switch {
	case errors.Is(err, store.ErrLate):
		return nil // another poll is under way, or took over
	case errors.As(err, new(*api.Error)):
		return err
	}
	return store.Explain(err)
}

// Fetch downloads a finished job's results again, in the background. Another service may have a job of
// its own by that id, and files at the same relative addresses.
func (p *Poller) Fetch(ctx context.Context, id string) error {
	j, c, err := p.askable(ctx, id)
	if why := store.NoResult(j.Row); j.ID != "" && !why.IsZero() { // wherever it was to be sent
		return &api.Fault{Reason: why}
	}
	if err != nil && !errors.Is(err, errNoID) {
		return err
	}
	err = p.o.Store().Refetch(ctx, j.ID, p.o.Now())
	switch late := errors.Is(err, store.ErrLate); { // a window fetches them already
	case late && !j.Completed:
		return api.Sentence("this job has no result to fetch").Fault(nil)
	case err != nil && !late:
		return store.Explain(err)
	}
	p.o.Changed(j.ID)
	p.startFetch(c, j.ID, false)
	return nil
}

// askable finds a job of the service in use; errNoID says that it cannot be asked about.
func (p *Poller) askable(ctx context.Context, id string) (store.Job, *remote.Connection, error) {
	j, err := p.o.Find(ctx, id)
	if err != nil {
		return j, nil, err
	}
	c, err := p.o.Remote.Ready()
	switch {
	case err != nil:
		return j, nil, err
	case j.Base != c.Base:
		return j, nil, j.Elsewhere()
	case !read.PollableID(j.RemoteID):
		return j, c, errNoID
	}
	return j, c, nil
}

var errNoID = api.Sentence("the service gave no id for this job that could be asked for").Fault(nil)

// FreshLinks polls a completed job once for addresses of its results that work,
// keeps them, and gives the job as it is then. The service may have none: then
// nothing changes.
func (p *Poller) FreshLinks(ctx context.Context, id string) (store.Job, error) {
	j, c, err := p.askable(ctx, id)
	if errors.Is(err, errNoID) {
		return j, nil
	}
	var a api.JobAnswer
	if err == nil {
		a, err = p.ask(ctx, c, j)
	}
	if err != nil {
		return j, err
	}
	results, links := relinked(j.Results, a.Results)
	if len(links) == 0 {
		return j, nil
	}
	err = p.o.Store().SaveLinks(ctx, j.ID, results, links)
	if err == nil {
		p.o.Changed(j.ID)
	} else if !errors.Is(err, store.ErrLate) { // then its files are being fetched, with fresh addresses if they need them
		return j, store.Explain(err)
	}
	return p.o.Find(ctx, id)
}

// ask polls a job that is not followed any more.
func (p *Poller) ask(ctx context.Context, c *remote.Connection, j store.Job) (a api.JobAnswer, err error) {
	err = p.call(ctx, c, func() (err error) {
		a, err = c.Service.Job(ctx, j.RemoteID, j.Kind, p.otherIDs(ctx, j)...)
		return err
	})
	a.Raw = c.Key.Redact(a.Raw)
	return a, err
}

// call makes one call with a permit of its own, as for every poll.
func (p *Poller) call(ctx context.Context, c *remote.Connection, do func() error) error {
	permit, err := p.acquire(ctx, c, "")
	if err != nil {
		return store.Explain(err)
	}
	err = do()
	p.observe(c, err, p.o.Now())
	p.release(c, permit, err == nil)
	return err
}
