package submit

import (
	"context"
	"errors"
	"time"

	"darkroom/api"
	"darkroom/state/remote"
	"darkroom/state/store"
)

// unsavedRetry is how often the store is asked again to take an outcome.
const unsavedRetry = time.Second

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
		why := whyLostOutcome.Reason(id, f.Phase)
		if f.RemoteID != "" {
			why, lost.Accepted = whyLost.Reason(f.RemoteID, id, f.RemoteID), true
		}
		lost.Jobs = append(lost.Jobs, why)
	}
	return lost
}

// Find finds one job by the local id, the service's id, or a prefix: also
// one that the store has lost while it is sent or its outcome is not saved.
func (s *Submitter) Find(ctx context.Context, id string) (store.Job, error) {
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
	return s.Overlay(j), nil
}

// Overlay shows what the store could not take yet.
func (s *Submitter) Overlay(j store.Job) store.Job {
	s.OverlayRow(&j.Row)
	return j
}

// OverlayRow is Overlay for what a list shows of a job.
func (s *Submitter) OverlayRow(r *store.Row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.unsaved[r.ID]
	if !ok || r.Phase != api.PhaseIntent && r.Phase != api.PhaseSending {
		return
	}
	r.Phase, r.RemoteID, r.Status, r.Error = f.Phase, f.RemoteID, f.Status, f.Error
	// None of the store's: a screen must not keep what it has drawn of the stored one.
	r.Version = ^r.Version
	if f.Phase == api.PhaseQueued {
		r.Error = whyUnsaved.Reason(f.RemoteID, r.ID, f.RemoteID)
	}
}

func (s *Submitter) observeCreate(conn *remote.Connection, out api.Outcome) {
	switch {
	case out.Err == nil:
		s.o.Remote.Observe(conn, nil)
	case out.Err.Class.UsedUp():
		s.o.Remote.Observe(conn, out.Err)
		s.mu.Lock()
		s.noCredits = noCredits{conn, time.Now(), out.Err.Class}
		s.mu.Unlock()
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
	whyProblems  = api.Sentence("invalid request: %v")
	whyNoCredits = api.Sentence("the service said that the key has no credits left: add credits on its page, then confirm again")
	whyNoCalls   = api.Sentence("the service said that the key has no calls left: raise its call limit on the service's API key page, " +
		"then confirm again")
	whyLimitPrice  = api.Sentence("the price of this request is not known, and a limit of %v was set: nothing was sent")
	whyLimit       = api.Sentence("the estimate of %v is above the limit of %v: nothing was sent")
	whyDearer      = api.Sentence("the price is %v now and was %v when it was shown: nothing was sent; confirm again to send it")
	whyPriceGone   = api.Sentence("the price of %v is older than a minute and is not known now: nothing was sent; confirm again to send it")
	whyPriceGoneOf = api.Sentence("the price of %v is older than a minute and is not known now (%v): nothing was sent; " +
		"confirm again to send it")
	whyUnconfirmed = api.Sentence("this was not confirmed: confirm it, then it is sent")
	whyNothingSent = api.Sentence("nothing was sent: %v")
	whyElsewhere   = api.Sentence("this job was meant for another service (%v): use its address to send it again, " +
		"or edit it and send it as a new one")

	whyCancelled  = api.Sentence("cancelled before it was sent")
	whyTurnUntil  = api.Sentence("waits for its turn: another request is being sent, until %v at the latest")
	whyRepeated   = api.Sentence("not sent yet, next try at %[2]v: %[1]v")
	whyKeyGone    = api.Sentence("not sent, because the key was removed meanwhile: log in, then send it")
	whyKeyRefused = api.Sentence("not sent, because the service refused the key: log in with a valid one, then send it")
	whyUnwritten  = api.Sentence("not sent, because the store could not be written: %v")
	whyUnsaved    = api.Sentence("accepted, but not saved yet: note the id %v; should darkroom end before it is saved, " +
		"'darkroom job %v --attach %v' gives it back")
	whyLost = api.Sentence("the service has accepted a job, but the store did not take its id: note the id %v; " +
		"'darkroom job %v --attach %v' gives it back")
	whyLostOutcome = api.Sentence("the store did not take the outcome of job %v: %v")
	whyIDNotTaken  = api.Sentence("the store does not take an accepted job (%v): note its id %v, and do not quit before it does")

	whyToolBudget = api.Sentence("a budget is set and what this tool costs is not known: it was not called; remove the budget to call it")
	whyToolAsk    = api.Sentence("the tool was not called: a budget is set, and only the service says that this tool is read-only; " +
		"agree to it to call it")
	whyJobNotKept = api.Sentence("the job %v that the tool began could not be kept: %v")
)
