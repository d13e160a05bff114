package state

import (
	"context"
	"errors"
	"time"

	"darkroom/api"
	"darkroom/api/read"
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
	j.Version = unsavedVersion(j.Version)
	if f.Phase == api.PhaseQueued {
		j.Error = api.Clean("accepted, but not saved yet: note the id "+f.RemoteID+
			"; should darkroom end before it is saved, 'darkroom job "+j.ID+" --attach "+f.RemoteID+"' gives it back", api.MaxErrorText)
	}
	return j
}

// unsavedVersion is another version than any of the store's, so that a screen
// does not keep what it has drawn of the stored one.
func unsavedVersion(stored int64) int64 { return -stored - 1 }

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
		if done, err := s.store().Job(s.sendCtx, j.ID); err == nil && s.Settings().Recipes {
			_ = l.fetcher.WriteRecipe(done)
		}
	case len(candidates) > 0 && (f.Phase == api.PhaseQueued || f.Phase == api.PhaseUnread):
		s.start(func() { s.resolve(l, j, out.Answer) })
	}
	s.wake()
}

// resolve asks which of several ids in a create's answer is the job's: each
// with a leave of its own, as for every poll.
func (s *Session) resolve(l *link, j Job, a api.JobAnswer) {
	var id string
	for _, candidate := range append([]string{a.ID}, a.Candidates...) {
		if !read.PollableID(candidate) {
			continue
		}
		flight, _, err := s.leave(s.ctx, l, "")
		if err != nil {
			return
		}
		id, _, err = l.service.Resolve(s.ctx, []string{candidate}, j.Kind)
		s.sawPoll(l, err, time.Now())
		s.land(l, flight, err)
		var e *api.Error
		if err == nil {
			break
		}
		if !errors.As(err, &e) || e.Class != api.ClassNotFound {
			return // it says nothing about the id; a poll that is not known asks again
		}
	}
	if id == "" || id == a.ID {
		return
	}
	var err error
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

// reconsider looks for another id in the create's answer when the service does
// not know the one that was taken from it: the question which it is may never
// have been asked to its end.
func (s *Session) reconsider(l *link, j Job) {
	raw, err := s.store().CreateAnswer(s.ctx, j.ID)
	if err != nil {
		return
	}
	a := read.Create(200, nil, raw, j.Kind)
	if a.ID == j.RemoteID && len(a.Candidates) > 0 {
		s.start(func() { s.resolve(l, j, a) })
	}
}
