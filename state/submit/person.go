package submit

import (
	"context"
	"errors"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/api/read"
	"darkroom/state/remote"
	"darkroom/state/store"
)

// Attach gives an unknown or unread job the service's id; polling begins.
func (s *Submitter) Attach(ctx context.Context, id, remoteID string) error {
	j, err := s.Find(ctx, id)
	if err != nil {
		return err
	}
	remoteID = strings.TrimSpace(remoteID)
	if !read.PollableID(remoteID) {
		return errors.New("this is not an id that could be asked for: copy it from the service's page")
	}
	err = s.o.Store().Attach(ctx, j.ID, remoteID, time.Now())
	switch {
	case errors.Is(err, store.ErrLate):
		return errors.New("only a job whose outcome is unknown can be given an id")
	case errors.Is(err, store.ErrTaken):
		return err
	case err != nil:
		return store.Explain(err)
	}
	s.o.Changed(j.ID)
	s.o.Accepted()
	return nil
}

// Dismiss declares an unknown or unread job not charged. A job that still
// waits to be sent is cancelled.
func (s *Submitter) Dismiss(ctx context.Context, id string) error {
	j, err := s.Find(ctx, id)
	if err != nil {
		return err
	}
	if j.Phase == api.PhaseIntent {
		err = s.o.Store().Unsend(ctx, j.ID, api.PhaseNotSent, api.Clean("cancelled before it was sent", api.MaxErrorText), "", time.Now())
	} else {
		err = s.o.Store().Dismiss(ctx, j.ID, time.Now())
	}
	if errors.Is(err, store.ErrLate) {
		return errors.New("only a job whose outcome is unknown can be dismissed")
	}
	if err != nil {
		return store.Explain(err)
	}
	s.o.Changed(j.ID)
	return nil
}

// Resend sends an unknown, unread, not_sent, rejected or intent job's body
// again as a new job.
func (s *Submitter) Resend(ctx context.Context, id, confirmID string) (store.Job, error) {
	conn, refusal := s.ready(true)
	if refusal != nil {
		return store.Job{}, refusal
	}
	j, err := s.Find(ctx, id)
	if err != nil {
		return store.Job{}, err
	}
	if j.Base != conn.Base {
		return store.Job{}, &remote.Refusal{Code: "not_sendable", Text: "this job was meant for another service (" + api.Clean(j.Base, 200).String() +
			"): use its address to send it again, or edit it and send it as a new one"}
	}
	switch j.Phase {
	case api.PhaseUnknown, api.PhaseUnread, api.PhaseNotSent, api.PhaseRejected:
	case api.PhaseIntent:
		// Withdrawn first, so that it cannot be sent as well.
		err := s.o.Store().Unsend(ctx, j.ID, api.PhaseNotSent, api.Clean("sent again as another job", api.MaxErrorText), "", time.Now())
		if err != nil {
			return store.Job{}, &remote.Refusal{Code: "not_sendable", Text: "it is just being sent", Cause: err}
		}
		s.o.Changed(j.ID)
	default:
		return store.Job{}, &remote.Refusal{Code: "not_sendable", Text: "the service has this job already: it is not sent again. Edit it and send it as a new one"}
	}
	c := Confirmed{ConfirmID: confirmID, Request: j.Request, Estimate: j.Estimate, Again: true}
	return s.submit(ctx, conn, c, j.Body, j.ID)
}
