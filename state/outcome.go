package state

import (
	"context"
	"time"

	"darkroom/api"
	"darkroom/state/store"
)

// unsavedRetry is how often the store is asked again to take an outcome.
const unsavedRetry = time.Second

// save writes an outcome. If the store refuses it is kept in memory, shown
// from there, and offered again each second: it may hold the id of something
// that was charged.
func (s *Session) save(f store.Finish) {
	err := s.record(f)
	for err != nil {
		s.mu.Lock()
		s.unsaved[f.ID] = f
		n := len(s.unsaved)
		s.mu.Unlock()
		text := "the store does not take the outcome of a job (" + store.Words(err) + "): do not quit before it does"
		s.change(func(st *Standing) { st.Unsaved, st.Trouble = n, text })
		s.tell(f.ID)
		if !rest(s.sendCtx, s.scaled(unsavedRetry)) {
			_ = s.record(f)
			return
		}
		err = s.record(f)
	}
	s.mu.Lock()
	_, was := s.unsaved[f.ID]
	delete(s.unsaved, f.ID)
	n := len(s.unsaved)
	s.mu.Unlock()
	if was {
		s.change(func(st *Standing) { st.Unsaved, st.Trouble = n, "" })
	}
	s.tell(f.ID)
}

// record writes an outcome; a program that ends does not stop it.
func (s *Session) record(f store.Finish) error {
	if s.o.refuse != nil {
		if err := s.o.refuse(); err != nil {
			return err
		}
	}
	return s.store().Finish(context.Background(), f)
}

// overlay shows what the store could not take yet.
func (s *Session) overlay(j Job) Job {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.unsaved[j.ID]
	if !ok || j.Phase != api.PhaseSending {
		return j
	}
	j.Phase, j.RemoteID, j.Status, j.Error = f.Phase, f.RemoteID, f.Status, f.Error
	if f.Phase == api.PhaseQueued {
		j.Error = api.Clean("accepted, but not saved yet: note the id "+f.RemoteID, api.MaxErrorText)
	}
	return j
}

// sawCreate takes a create's outcome into the Standing.
func (s *Session) sawCreate(l *link, out api.Outcome) {
	if out.Err == nil {
		s.saw(l, nil)
		return
	}
	s.saw(l, out.Err)
	switch {
	case out.Err.Class == api.ClassCredits:
		s.mu.Lock()
		s.creditsAt = time.Now()
		s.mu.Unlock()
		s.change(func(st *Standing) { st.Trouble = out.Err.Error() })
	case out.HTTPStatus == 429 || out.HTTPStatus == 503:
		s.closeGate(l, out.Err)
	}
}

// afterCreate begins what follows an outcome by itself.
func (s *Session) afterCreate(l *link, j Job, out api.Outcome, f store.Finish) {
	candidates := out.Answer.Candidates
	switch {
	case f.Phase == api.PhaseDone:
		if done, err := s.store().Job(s.sendCtx, j.ID); err == nil && s.settings.Recipes {
			_ = l.fetcher.WriteRecipe(done)
		}
	case len(candidates) > 0 && (f.Phase == api.PhaseQueued || f.Phase == api.PhaseUnread):
		s.start(func() { s.resolve(l, j, out.Answer) })
	}
	s.wake()
}

// resolve asks which of several ids in a create's answer is the job's.
func (s *Session) resolve(l *link, j Job, a api.JobAnswer) {
	flight, _, err := s.leave(s.ctx, l, "")
	if err != nil {
		return
	}
	id, _, err := l.service.Resolve(s.ctx, append([]string{a.ID}, a.Candidates...), j.Kind)
	s.land(l, flight, err)
	if err != nil || id == a.ID {
		return
	}
	if a.ID != "" {
		err = s.store().Rename(s.ctx, j.ID, a.ID, id)
	} else {
		err = s.store().Attach(s.ctx, j.ID, id, time.Now())
	}
	if err == nil {
		s.tell(j.ID)
		s.wake()
	}
}
