package submit

import (
	"cmp"
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/state/media"
	"darkroom/state/remote"
	"darkroom/state/settings"
	"darkroom/state/store"
)

// unsentWaits are the waits before an intent that never left is sent again.
var unsentWaits = []time.Duration{time.Second, 4 * time.Second, 16 * time.Second}

const (
	turnPatience = time.Second // for which a request waits for another one without saying so
	ratedTries   = 3           // of an intent that is sent again after a 429
	unsavedRetry = time.Second // after which the store is asked again to take an outcome
	// ended stands for the wait of an intent that is not sent again.
	ended time.Duration = -1
)

// sender carries one intent to its outcome. Only outcomes that prove that
// nothing was accepted let it send again.
type sender struct {
	*Submitter
	conn    *remote.Connection
	job     store.Job
	max     api.Credits // 0: no limit
	granted bool        // an agent asked for it, and the settings let that be sent
	unsent  int
	rated   int
	last    *api.Error // why it was not accepted the last time
}

func (s *Submitter) send(w *sender) {
	for wait := w.once(); wait != ended; wait = w.once() {
		if !remote.Sleep(s.ctx, wait) {
			w.giveUp()
			return
		}
	}
}

// once sends the intent once, and gives the wait after which it may be sent once more.
func (w *sender) once() time.Duration {
	turn, err := w.turn()
	switch {
	case w.ctx.Err() != nil:
		if err == nil {
			turn.Release()
		}
		return w.giveUp()
	case err != nil:
		return w.unsend(api.PhaseNotSent, api.Sentence("not sent, because %v").Reason(err), "")
	}
	defer turn.Release()
	if now := w.o.Remote.Connection(); now != nil && now.Base == w.conn.Base {
		w.conn = now // the key may have been replaced while this waited
	}
	if wait, waits := w.hindrance(); waits {
		return wait
	}
	var attempt int64
	if err = w.stillAgreed(); err == nil {
		attempt, err = w.o.Store().MarkSending(w.ctx, w.job.ID, w.o.Instance, time.Now())
	}
	refusal, refused := errors.AsType[*remote.Refusal](err)
	switch {
	case errors.Is(err, store.ErrLate): // cancelled by the person
		return ended
	case err != nil && w.ctx.Err() != nil:
		return w.giveUp()
	case refused:
		return w.unsend(api.PhaseNotSent, refusal.Why(), "")
	case err != nil:
		if wait := w.later(); wait != ended && store.Busy(err) {
			return wait
		}
		return w.unsend(api.PhaseNotSent, api.Sentence("not sent, because the store could not be written: %v").Reason(store.Why(err)), "")
	}
	w.o.Changed(w.job.ID)
	var files []store.File
	var late bool
	out := w.conn.Service.Create(w.sendCtx, w.job.Request.Path(), w.job.Body, client.CreateOptions{
		Kind: w.job.Kind, Sync: w.sync(),
		Last: func() error {
			if late = turn.Over(); late {
				return api.Sentence("the turn to send is over").Fault(nil) // this process was stopped, and others are sending
			}
			return nil
		},
		Known: func(id string) bool { return w.o.Store().Knows(w.sendCtx, w.conn.Base, id) },
		Media: func(mediaType string, length int64, body io.Reader) error {
			result := api.Result{MediaType: mediaType, Kind: w.job.Kind}
			f, err := w.o.Fetcher(w.conn).Fetch(w.sendCtx, media.Want{Job: &w.job, N: 1, Result: result, Body: body, Length: length})
			if err == nil {
				files = append(files, f)
			}
			return err
		},
	})
	settings.CrashAt("send")
	if late { // it was marked but not sent: it goes back among those that wait
		now := time.Now()
		w.save(store.Finish{ID: w.job.ID, Attempt: attempt, Phase: api.PhaseIntent, Progress: -1, Now: now, NextPoll: now})
		return 0
	}
	return w.conclude(out, attempt, files)
}

// sync reports whether the create is answered with its result.
func (w *sender) sync() bool {
	return w.job.Request.Waits() || w.o.Remote.AnswersAtOnce(w.conn.Base)
}

// turn waits for the turn to send, and says so when another one has it for long.
func (w *sender) turn() (Turn, error) {
	var until atomic.Int64
	waiting := sync.OnceValue(func() *time.Timer {
		return time.AfterFunc(w.scale.Of(turnPatience), func() {
			why := api.Sentence("waits for its turn: another request is being sent").Reason()
			if at := until.Load(); at > 0 {
				until := time.UnixMilli(at).Format("15:04:05")
				why = api.Sentence("waits for its turn: another request is being sent, until %v at the latest").Reason(until)
			}
			w.explain(why, time.Time{})
		})
	})
	defer func() { waiting().Stop() }()
	return w.o.Turn(w.ctx, w.sync, func(at time.Time) { until.Store(at.UnixMilli()); waiting() })
}

// hindrance looks whether the key, the credits or the gate forbid sending now, and
// says so in the job.
func (w *sender) hindrance() (wait time.Duration, waits bool) {
	refused, current := w.o.Remote.Health().KeyRefused, w.o.Remote.Connection()
	none := cmp.Or(w.noCredits.Load(), &noCredits{})
	end := func(why api.Sentence, class api.ErrorClass) (time.Duration, bool) {
		return w.unsend(api.PhaseNotSent, why.Reason(), class), true
	}
	switch {
	case current == nil:
		return end("not sent, because the key was removed meanwhile: log in, then send it", api.ClassKey)
	case refused:
		return end("not sent, because the service refused the key: log in with a valid one, then send it", api.ClassKey)
	case none.conn == current && none.at.After(w.job.CreatedAt):
		return end(whyUnpaid[none.class], none.class)
	}
	until, err := w.o.Store().GateUntil(w.ctx, w.conn.Base)
	if now := time.Now(); w.o.Remote.TooFar(until, now) {
		w.o.Remote.Replan(w.conn, now)
	} else if left := until.Sub(now); err == nil && left > 0 {
		w.explain(api.Sentence("waits until %v: the service is busy").Reason(until.Format("15:04:05")), until)
		return left, true
	}
	return 0, false
}

// stillAgreed checks again what the intent was recorded under, since it may have waited: the price if it is
// no longer fresh, the limit, the links, the budgets and the grant.
func (w *sender) stillAgreed() error {
	j, now := &w.job, time.Now()
	if !j.Estimate.Fresh(now) || !j.Estimate.Known() && now.Sub(j.CreatedAt) > api.FreshFor {
		prices, refusal := w.prices(w.ctx, []Agreed{{Request: j.Request, Estimate: j.Estimate}})
		if refusal != nil {
			return refusal
		}
		j.Estimate = prices[0]
	}
	if refusal := w.within(w.ctx, w.max, j.Estimate, now, Agreed{Request: j.Request, Warned: j.CreatedAt}); refusal != nil {
		return refusal
	}
	var grant *store.Grant
	if w.granted {
		if grant = w.grant(j.Entry, j.Request); grant == nil {
			return refuse("not_granted", nil, "not sent, because the settings no longer let the agent spend: send it yourself")
		}
	}
	return w.o.Store().Affords(w.ctx, j, w.o.Settings.Budgets(), grant, now)
}

// conclude writes what became of the POST.
func (w *sender) conclude(out api.Outcome, attempt int64, files []store.File) time.Duration {
	now := time.Now()
	if e := out.Err; e != nil && out.Phase == api.PhaseUnknown && e.Class != api.ClassUnreadable { // to try again may be charged twice
		e.Do = api.Sentence("look at the job on the service's site before sending again").Reason()
	}
	f := w.finish(out, attempt, files, now)
	w.last = out.Err
	w.observeCreate(w.conn, out)
	wait := w.again(out)
	if wait != ended {
		f.Phase, f.NextPoll = api.PhaseIntent, now.Add(wait)
		f.Error = api.Sentence("not sent yet, next try at %[2]v: %[1]v").Reason(f.Error, f.NextPoll.Format("15:04:05"))
	}
	w.save(f)
	w.o.Remote.RecordCreate(w.conn.Base, w.job.Request.Waits(), out)
	if wait == ended {
		w.afterCreate(w.conn, w.job, out, f)
	}
	return wait
}

// again is the wait after which the same intent may be sent once more.
func (w *sender) again(out api.Outcome) time.Duration {
	if out.RetryAfter <= 0 || w.sendCtx.Err() != nil || out.Err != nil && remote.RefusesKey(out.Err) {
		return ended
	}
	switch out.Phase {
	case api.PhaseNotSent:
		return w.later()
	case api.PhaseRejected:
		if w.rated < ratedTries {
			w.rated++
			return w.scale.Of(api.ClampWait(out.RetryAfter))
		}
	}
	return ended
}

// later is the wait before an intent that never left is sent again.
func (w *sender) later() time.Duration {
	if w.unsent >= len(unsentWaits) {
		return ended
	}
	w.unsent++
	return w.scale.Of(remote.Jitter(unsentWaits[w.unsent-1]))
}

func (w *sender) finish(out api.Outcome, attempt int64, files []store.File, now time.Time) store.Finish {
	f := store.Finish{
		ID: w.job.ID, Attempt: attempt, Phase: out.Phase, HTTPStatus: out.HTTPStatus, Headers: out.Header,
		Raw: w.conn.Key.Redact(out.Raw), Now: now, Progress: -1,
	}
	if out.Err != nil {
		f.Error, f.ErrClass = out.Err.Why(), out.Err.Class
	}
	a := out.Answer
	switch out.Phase {
	case api.PhaseQueued:
		f.RemoteID, f.Status, f.Progress = a.ID, a.Status, a.Progress
		f.NextPoll = now.Add(w.scale.Of(remote.Jitter(w.o.FirstPoll(w.job.Kind))))
	case api.PhaseFetching:
		f.RemoteID, f.Status, f.Results, f.Error, f.Completed, f.NextPoll = a.ID, a.Status, a.Results, a.Left, true, now
		if len(files) > 0 {
			f.Phase, f.Files = api.PhaseDone, files
		}
	case api.PhaseUnread, api.PhaseUnknown:
		f.Status = a.Status
		if len(a.Candidates) > 0 {
			f.Error = api.Sentence("%v. An id was seen in the response: %v").Reason(f.Error, api.Clean(a.Candidates[0], api.MaxIDText))
		}
	}
	return f
}

// giveUp ends an intent that has to wait while the program ends. Like unsend it gives ended.
func (w *sender) giveUp() time.Duration {
	if w.rated > 0 && w.last != nil {
		return w.unsend(api.PhaseRejected, w.last.Why(), w.last.Class)
	}
	return w.unsend(api.PhaseNotSent, store.WhyNotSent.Reason(), "")
}

func (w *sender) unsend(phase api.Phase, why api.Reason, class api.ErrorClass) time.Duration {
	now := time.Now()
	err := w.o.Store().Unsend(context.Background(), w.job.ID, phase, why, class, now)
	if err != nil && !errors.Is(err, store.ErrLate) {
		// Whoever waits for the outcome would wait for ever.
		w.save(store.Finish{ID: w.job.ID, Phase: phase, Error: why, ErrClass: class, Progress: -1, Now: now})
	} else {
		w.o.Changed(w.job.ID)
	}
	return ended
}

func (w *sender) explain(why api.Reason, until time.Time) {
	_ = w.o.Store().Explain(w.ctx, w.job.ID, why, until)
	w.o.Changed(w.job.ID)
}

// save writes an outcome. What the store refuses is kept in memory, shown from
// there, and offered again each second: it may hold the id of something that was
// charged.
func (s *Submitter) save(f store.Finish) {
	err := s.record(f)
	for last := false; err != nil && !last; err = s.record(f) {
		s.mu.Lock()
		s.unsaved[f.ID] = f
		s.mu.Unlock()
		trouble := api.Sentence("the store does not take the outcome of a job (%v): do not quit before it does").Reason(store.Why(err))
		if f.RemoteID != "" {
			trouble = whyIDNotTaken.Reason(store.Why(err), api.Clean(f.RemoteID, api.MaxIDText))
		}
		s.o.Remote.SetTrouble(trouble)
		s.o.Changed(f.ID)
		last = !remote.Sleep(s.sendCtx, s.scale.Of(unsavedRetry))
	}
	if err != nil {
		return
	}
	s.mu.Lock()
	_, was := s.unsaved[f.ID]
	delete(s.unsaved, f.ID)
	s.mu.Unlock()
	if was {
		s.o.Remote.SetTrouble(api.Reason{})
	}
	s.o.Changed(f.ID)
}

func (s *Submitter) record(f store.Finish) error { return s.o.Store().Finish(context.Background(), f) }

// LostError says what the store did not take of what was sent.
type LostError struct {
	Jobs     []api.Reason
	Accepted bool // by the service, a job of them
}

func (e *LostError) Error() string { return e.Why().String() }

// Why gives the reason.
func (e *LostError) Why() api.Reason {
	why := e.Jobs[0]
	for _, more := range e.Jobs[1:] {
		why = api.Sentence("%v. %v").Reason(why, more)
	}
	return why
}

// Lost is a *LostError when the store did not take an outcome to the end.
func (s *Submitter) Lost() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.unsaved) == 0 {
		return nil
	}
	lost := &LostError{}
	for id, f := range s.unsaved {
		why := api.Sentence("the store did not take the outcome of job %v: %v").Reason(id, f.Phase)
		if f.RemoteID != "" {
			why, lost.Accepted = whyLost.Reason(f.RemoteID, id, api.QuoteShell(f.RemoteID)), true
		}
		lost.Jobs = append(lost.Jobs, why)
	}
	return lost
}

// Job finds one job by the local id, the service's id, or a prefix: also
// one that the store has lost while it is sent or its outcome is not saved.
func (s *Submitter) Job(ctx context.Context, id string) (store.Job, error) {
	base := ""
	if b := s.o.Remote.Base(); b != nil {
		base = b.String()
	}
	j, err := s.o.Store().Find(ctx, id, base)
	if errors.Is(err, store.ErrMissing) {
		s.mu.Lock()
		kept, ok := s.inHand[id]
		s.mu.Unlock()
		if ok {
			j, err = kept, nil
			j.Phase = api.PhaseSending
		}
	}
	if err != nil {
		return store.Job{}, store.Explain(err)
	}
	s.OverlayJob(&j)
	return j, nil
}

// OverlayJob is Overlay for a job, which also says that nobody asks for it if another service has it.
func (s *Submitter) OverlayJob(j *store.Job) {
	s.Overlay(&j.Row)
	base := s.o.Remote.Base()
	if base != nil && j.Base != base.String() && j.RemoteID != "" && j.Phase.Active() && j.Phase != api.PhaseFetching {
		j.Error = j.Elsewhere().Reason
	}
}

// Overlay shows in what a list shows of a job what the store could not take yet.
func (s *Submitter) Overlay(r *store.Row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.unsaved[r.ID]
	if !ok || r.Phase != api.PhaseIntent && r.Phase != api.PhaseSending {
		return
	}
	r.Phase, r.RemoteID, r.Status, r.Error = f.Phase, f.RemoteID, f.Status, f.Error
	r.Version++ // newer than what is stored, older than what will be
	if f.Phase == api.PhaseQueued {
		r.Error = whyUnsaved.Reason(f.RemoteID, r.ID, api.QuoteShell(f.RemoteID))
	}
}

func (s *Submitter) observeCreate(conn *remote.Connection, out api.Outcome) {
	switch {
	case out.Err == nil:
		s.o.Remote.Observe(conn, nil)
	case out.Err.Class.UsedUp():
		s.o.Remote.Observe(conn, out.Err)
		s.noCredits.Store(&noCredits{conn, time.Now(), out.Err.Class})
	default:
		s.o.Remote.ObserveCall(conn, out.Err)
	}
}

// afterCreate begins what follows an outcome by itself.
func (s *Submitter) afterCreate(conn *remote.Connection, j store.Job, out api.Outcome, f store.Finish) {
	switch {
	case f.Phase == api.PhaseDone:
		if done, err := s.o.Store().Job(s.sendCtx, j.ID); err == nil && s.o.Settings.Get().Recipes {
			_ = s.o.Fetcher(conn).WriteRecipe(done)
		}
	case len(out.Answer.Candidates) > 0 && (f.Phase == api.PhaseQueued || f.Phase == api.PhaseUnread):
		s.o.Resolve(conn, j, out.Answer)
	}
}

// Why something is not sent, or how a job waits.
var (
	whyProblems = api.Sentence("invalid request: %v")
	whyUsedUp   = map[api.ErrorClass]api.Sentence{
		api.ClassCredits: "the service said that the key has no credits left: add credits on its page, then confirm again",
		api.ClassCalls: "the service said that the key has no calls left: raise its call limit on the service's API key page, " +
			"then confirm again",
	}
	whyUnpaid = map[api.ErrorClass]api.Sentence{
		api.ClassCredits: "not sent, because the key has no credits left: add credits, then send it",
		api.ClassCalls:   "not sent, because the key has no calls left: raise its call limit, then send it",
	}
	whyDearer      = api.Sentence("the price is %v now and was %v when it was shown: nothing was sent; confirm again to send it")
	whyPriceGone   = api.Sentence("the price of %v is older than a minute and is not known now: nothing was sent; confirm again to send it")
	whyPriceGoneOf = api.Sentence("the price of %v is older than a minute and is not known now (%v): nothing was sent; " +
		"confirm again to send it")
	whyLinkEnded   = api.Sentence("not sent, because a link has expired meanwhile: send it with a new link, or as it is")
	whyUnconfirmed = api.Sentence("this was not confirmed: confirm it, then it is sent")
	whyElsewhere   = api.Sentence("this job was meant for another service (%v): use its address to send it again, " +
		"or edit it and send it as a new one")

	whyUnsaved = api.Sentence("accepted, but not saved yet: note the id %v; should darkroom end before it is saved, " +
		"'darkroom job %v --attach %v' gives it back")
	whyLost = api.Sentence("the service has accepted a job, but the store did not take its id: note the id %v; " +
		"'darkroom job %v --attach %v' gives it back")
	whyIDNotTaken = api.Sentence("the store does not take an accepted job (%v): note its id %v, and do not quit before it does")

	whyToolBudget = api.Sentence("a budget is set and what this tool costs is not known: it was not called; remove the budget to call it")
	whyToolAsk    = api.Sentence("the tool was not called: a budget is set, and only the service says that this tool is read-only; " +
		"agree to it to call it")
	whyJobNotKept = api.Sentence("the job %v that the tool began could not be kept: %v")
)
