package state

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/api/read"
	"darkroom/state/media"
	"darkroom/state/store"
)

// Sent waits until the job's POST has its outcome (any phase after sending).
func (s *Session) Sent(ctx context.Context, id string) (Job, error) {
	return s.until(ctx, id, func(j Job) bool { return j.Phase != api.PhaseIntent && j.Phase != api.PhaseSending })
}

// Ended waits until the job's phase is an end, unknown or unread. When the
// service refuses the key meanwhile nothing would end it: ErrKeyRefused.
func (s *Session) Ended(ctx context.Context, id string) (Job, error) {
	refused := false
	j, err := s.until(ctx, id, func(j Job) bool {
		refused = j.Phase.Active() && j.RemoteID != "" && s.Standing().KeyRefused
		return refused || !j.Phase.Active()
	})
	if refused && err == nil {
		err = ErrKeyRefused
	}
	return j, err
}

func (s *Session) until(ctx context.Context, id string, there func(Job) bool) (Job, error) {
	for {
		bell := s.news.next()
		j, err := s.Job(ctx, id)
		if err != nil || there(j) {
			return j, err
		}
		select {
		case <-bell:
		case <-ctx.Done():
			return j, ctx.Err()
		case <-s.ctx.Done():
			return j, errClosed
		}
	}
}

// Jobs returns a window of the list.
func (s *Session) Jobs(ctx context.Context, q Query) (Page, error) {
	p, err := s.store().List(ctx, q)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.unsaved) > 0 {
		for i, r := range p.Rows {
			if f, ok := s.unsaved[r.ID]; ok && r.Phase == api.PhaseSending {
				p.Rows[i].Phase, p.Rows[i].RemoteID, p.Rows[i].Error = f.Phase, f.RemoteID, f.Error
				p.Rows[i].Version = unsavedVersion(r.Version)
			}
		}
	}
	return p, storeError(err)
}

// Job finds one job by local id, unique prefix of it, or the service's id.
func (s *Session) Job(ctx context.Context, id string) (Job, error) {
	j, err := s.store().Find(ctx, id)
	if err != nil {
		return Job{}, storeError(err)
	}
	return s.overlay(j), nil
}

// RawAnswer is the newest raw answer about a job, as stored.
func (s *Session) RawAnswer(ctx context.Context, id string) ([]byte, error) {
	j, err := s.Job(ctx, id)
	if err != nil {
		return nil, err
	}
	raw, err := s.store().Answer(ctx, j.ID)
	if errors.Is(err, store.ErrMissing) {
		return nil, nil
	}
	return raw, storeError(err)
}

// Today is what today cost, and the budget.
func (s *Session) Today(ctx context.Context) (Spent, error) {
	sp, err := s.store().Spent(ctx, dayStart(time.Now()))
	sp.Budget = s.set.Budget()
	return sp, storeError(err)
}

// Ledger is what was spent since a moment, by local day, model and kind,
// newest day first.
func (s *Session) Ledger(ctx context.Context, since time.Time) ([]Line, error) {
	lines, err := s.store().Ledger(ctx, since)
	return lines, storeError(err)
}

// refreshEvery is how often a person may poll one job.
const refreshEvery = 2 * time.Second

// Refresh polls a job now, at most every 2 s per job; a refresh that comes
// earlier does nothing.
func (s *Session) Refresh(ctx context.Context, id string) error {
	j, err := s.Job(ctx, id)
	if err != nil {
		return err
	}
	l, err := s.calling()
	switch {
	case err != nil:
		return err
	case !read.PollableID(j.RemoteID):
		return errors.New("the service gave no id for this job that could be asked for")
	case j.Base != l.base:
		return errors.New("this job was sent to another service (" + api.Clean(j.Base, 200).String() + "): use its address to ask for it")
	}
	s.mu.Lock()
	early := time.Since(s.refreshed[j.ID]) < s.scaled(refreshEvery)
	if !early {
		s.refreshed[j.ID] = time.Now()
	}
	s.mu.Unlock()
	if early || !s.begin(j.ID) {
		return nil
	}
	defer s.end(j.ID)
	flight, epoch, err := s.leave(ctx, l, j.ID)
	if errors.Is(err, store.ErrLate) {
		return nil // it is being polled
	}
	if err != nil {
		return storeError(err)
	}
	err = s.pollOne(ctx, l, j.ID, store.Grant{Flight: flight, Epoch: epoch})
	s.wake()
	return err
}

// Fetch downloads a finished job's results again, in the background.
func (s *Session) Fetch(ctx context.Context, id string) error {
	j, err := s.Job(ctx, id)
	if err != nil {
		return err
	}
	l, err := s.calling()
	if err != nil {
		return err
	}
	if j.Base != l.base && len(j.Results) == 0 {
		return errors.New("this job was sent to another service (" + api.Clean(j.Base, 200).String() + "): use its address to fetch it")
	}
	if err := s.store().Refetch(ctx, j.ID, time.Now()); err != nil {
		if errors.Is(err, store.ErrLate) {
			return errors.New("this job has no result to fetch")
		}
		return storeError(err)
	}
	s.tell(j.ID)
	s.startFetch(l, j.ID, false)
	return nil
}

// Attach gives an unknown or unread job the service's id; polling begins.
func (s *Session) Attach(ctx context.Context, id, remoteID string) error {
	j, err := s.Job(ctx, id)
	if err != nil {
		return err
	}
	remoteID = strings.TrimSpace(remoteID)
	if !read.PollableID(remoteID) {
		return errors.New("this is not an id that could be asked for: copy it from the service's page")
	}
	err = s.store().Attach(ctx, j.ID, remoteID, time.Now())
	switch {
	case errors.Is(err, store.ErrLate):
		return errors.New("only a job whose outcome is unknown can be given an id")
	case errors.Is(err, store.ErrTaken):
		return err
	case err != nil:
		return storeError(err)
	}
	s.tell(j.ID)
	s.wake()
	return nil
}

// Dismiss declares an unknown or unread job not charged. A job that still
// waits to be sent is cancelled.
func (s *Session) Dismiss(ctx context.Context, id string) error {
	j, err := s.Job(ctx, id)
	if err != nil {
		return err
	}
	if j.Phase == api.PhaseIntent {
		err = s.store().Unsend(ctx, j.ID, api.PhaseNotSent, api.Clean("cancelled before it was sent", api.MaxErrorText), "", time.Now())
	} else {
		err = s.store().Dismiss(ctx, j.ID, time.Now())
	}
	if errors.Is(err, store.ErrLate) {
		return errors.New("only a job whose outcome is unknown can be dismissed")
	}
	if err != nil {
		return storeError(err)
	}
	s.tell(j.ID)
	return nil
}

// Resend sends an unknown, unread, not_sent, rejected or intent job's body
// again as a new job.
func (s *Session) Resend(ctx context.Context, id, confirmID string) (Job, error) {
	l, refusal := s.ready(true)
	if refusal != nil {
		return Job{}, refusal
	}
	j, err := s.Job(ctx, id)
	if err != nil {
		return Job{}, err
	}
	if j.Base != l.base {
		return Job{}, &Refusal{Code: "not_sendable", Text: "this job was meant for another service (" + api.Clean(j.Base, 200).String() +
			"): use its address to send it again, or edit it and send it as a new one"}
	}
	switch j.Phase {
	case api.PhaseUnknown, api.PhaseUnread, api.PhaseNotSent, api.PhaseRejected:
	case api.PhaseIntent:
		// Withdrawn first, so that it cannot leave as well.
		err := s.store().Unsend(ctx, j.ID, api.PhaseNotSent, api.Clean("sent again as another job", api.MaxErrorText), "", time.Now())
		if err != nil {
			return Job{}, &Refusal{Code: "not_sendable", Text: "it is just being sent", Cause: err}
		}
		s.tell(j.ID)
	default:
		return Job{}, &Refusal{Code: "not_sendable", Text: "the service has this job already: it is not sent again. Edit it and send it as a new one"}
	}
	c := Confirmed{ConfirmID: confirmID, Request: j.Request, Estimate: j.Estimate, Again: true}
	return s.submit(ctx, l, c, j.Body, j.ID)
}

// Delete is deliberately missing: jobs are never lost.

// OpenFile opens one of the job's files with the system's program; n counts
// from 1.
func (s *Session) OpenFile(ctx context.Context, id string, n int) error {
	j, err := s.Job(ctx, id)
	if err != nil {
		return err
	}
	if n < 1 || n > len(j.Files) {
		return errors.New("this job has no such file")
	}
	return media.Open(ctx, s.Settings().Opener, j.Files[n-1].Path, os.Environ())
}

// OthersEnviron is an environment for programs that are not ours, without our
// variables, the key among them.
func OthersEnviron(env []string) []string { return media.OthersEnviron(env) }

// MarkOpened records that a finished job was opened or previewed by itself; it
// reports whether this call was the first to do so, over all windows.
func (s *Session) MarkOpened(ctx context.Context, id string) (bool, error) {
	first, err := s.store().MarkOpened(ctx, id)
	return first, storeError(err)
}

// SaveDraft keeps an unsent form's values under a name such as "image".
func (s *Session) SaveDraft(ctx context.Context, name string, r api.Request) error {
	if s.holdsKey(r) {
		return errHoldsKey
	}
	return storeError(s.store().SaveDraft(ctx, name, r, time.Now()))
}

// holdsKey reports whether a request holds the key in use.
func (s *Session) holdsKey(r api.Request) bool {
	l := s.linked()
	if l == nil {
		return false
	}
	text, err := json.Marshal(r)
	return err == nil && l.key.In(text)
}

// Draft returns a kept draft and whether there was one.
func (s *Session) Draft(ctx context.Context, name string) (api.Request, bool, error) {
	r, ok, err := s.store().Draft(ctx, name)
	return r, ok, storeError(err)
}

// Prompts returns prompts ever confirmed that contain the text, newest first.
func (s *Session) Prompts(ctx context.Context, contains string, limit int) ([]string, error) {
	list, err := s.store().Prompts(ctx, contains, limit)
	return list, storeError(err)
}

// LastModel is the model last used for a kind, or "".
func (s *Session) LastModel(ctx context.Context, kind api.Kind) (string, error) {
	m, err := s.store().LastModel(ctx, kind)
	return m, storeError(err)
}
