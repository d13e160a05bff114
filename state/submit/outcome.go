package submit

import (
	"context"
	"errors"
	"time"

	"darkroom/api"
	"darkroom/state/remote"
	"darkroom/state/store"
	"darkroom/state/timing"
)

// unsavedRetry is how often the store is asked again to take an outcome.
const unsavedRetry = time.Second

// save writes an outcome. If the store refuses it is kept in memory, shown
// from there, and offered again each second: it may hold the id of something
// that was charged.
func (s *Submitter) save(f store.Finish) {
	err := s.record(f)
	for last := false; err != nil && !last; err = s.record(f) {
		s.mu.Lock()
		s.unsaved[f.ID] = f
		s.mu.Unlock()
		s.o.Remote.SetTrouble(whyNotTaken.Reason(store.Why(err)))
		s.o.Changed(f.ID)
		last = !timing.Sleep(s.sendCtx, s.scale.Of(unsavedRetry))
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

// record writes an outcome; a program that ends does not stop it.
func (s *Submitter) record(f store.Finish) error { return s.o.Finish(context.Background(), f) }

// LostError says what the store did not take of what was sent.
type LostError struct{ Jobs []api.Reason }

func (e *LostError) Error() string { return e.Why().String() }

// Why gives the reason.
func (e *LostError) Why() api.Reason {
	why := e.Jobs[0]
	for _, more := range e.Jobs[1:] {
		why = whyLostBoth.Reason(why, more)
	}
	return why
}

// Lost is a *LostError when the store did not take an outcome to the end.
func (s *Submitter) Lost() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	lost := &LostError{}
	for id, f := range s.unsaved {
		if f.RemoteID != "" {
			lost.Jobs = append(lost.Jobs, whyLost.Reason(f.RemoteID, id, f.RemoteID))
		} else {
			lost.Jobs = append(lost.Jobs, whyLostOutcome.Reason(id, f.Phase))
		}
	}
	if len(lost.Jobs) == 0 {
		return nil
	}
	return lost
}

// Find finds one job by local id, unique prefix of it, or the service's id. One
// that the store has lost is found while it is sent, and while its outcome is not
// saved.
func (s *Submitter) Find(ctx context.Context, id string) (store.Job, error) {
	j, err := s.o.Store().Find(ctx, id)
	if errors.Is(err, store.ErrMissing) {
		s.mu.Lock()
		if kept, ok := s.inHand[id]; ok {
			j, err = kept, nil
			j.Phase = api.PhaseSending
		}
		s.mu.Unlock()
	}
	if err != nil {
		return store.Job{}, store.Explain(err)
	}
	return s.Overlay(j), nil
}

// Overlay shows what the store could not take yet.
func (s *Submitter) Overlay(j store.Job) store.Job {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.unsaved[j.ID]
	if !ok || !unsettled(j.Phase) {
		return j
	}
	j.Phase, j.RemoteID, j.Status, j.Error = f.Phase, f.RemoteID, f.Status, f.Error
	j.Version = unsavedVersion(j.Version)
	if f.Phase == api.PhaseQueued {
		j.Error = whyUnsaved.Reason(f.RemoteID, j.ID, f.RemoteID)
	}
	return j
}

// unsettled reports whether the store has no outcome of a job yet.
func unsettled(p api.Phase) bool { return p == api.PhaseIntent || p == api.PhaseSending }

// unsavedVersion is another version than any of the store's, so that a screen
// does not keep what it has drawn of the stored one.
func unsavedVersion(stored int64) int64 { return -stored - 1 }

// observeCreate takes a create's outcome into the Health.
func (s *Submitter) observeCreate(conn *remote.Connection, out api.Outcome) {
	if out.Err == nil {
		s.o.Remote.Observe(conn, nil)
		return
	}
	s.o.Remote.Observe(conn, out.Err)
	switch {
	case out.Err.Class == api.ClassCredits:
		s.mu.Lock()
		s.noCredits = noCredits{conn, time.Now(), out.Err.AboutCalls()}
		s.mu.Unlock()
		s.o.Remote.SetTrouble(out.Err.Why())
	case out.HTTPStatus == 429 || out.HTTPStatus == 503:
		s.o.Remote.CloseGate(conn, out.Err)
	}
}

// afterCreate begins what follows an outcome by itself.
func (s *Submitter) afterCreate(conn *remote.Connection, j store.Job, out api.Outcome, f store.Finish) {
	candidates := out.Answer.Candidates
	switch {
	case f.Phase == api.PhaseDone:
		if done, err := s.o.Store().Job(s.sendCtx, j.ID); err == nil && s.o.Settings.Get().Recipes {
			_ = s.o.Fetcher(conn).WriteRecipe(done)
		}
	case len(candidates) > 0 && (f.Phase == api.PhaseQueued || f.Phase == api.PhaseUnread):
		s.o.Resolve(conn, j, out.Answer)
	}
	s.o.Accepted()
}

// OverlayRows shows in a list what the store could not take yet.
func (s *Submitter) OverlayRows(rows []store.Row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, r := range rows {
		if f, ok := s.unsaved[r.ID]; ok && unsettled(r.Phase) {
			rows[i].Phase, rows[i].RemoteID, rows[i].Error = f.Phase, f.RemoteID, f.Error
			rows[i].Version = unsavedVersion(r.Version)
		}
	}
}
