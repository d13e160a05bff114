package submit

import (
	"context"
	"errors"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/api/read"
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
		return whyNotAnID.Fault(nil)
	}
	err = s.o.Store().Attach(ctx, j.ID, remoteID, time.Now())
	switch {
	case errors.Is(err, store.ErrLate):
		return whyNoAttach.Fault(nil)
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
		err = s.o.Store().Unsend(ctx, j.ID, api.PhaseNotSent, whyCancelled.Reason(), "", time.Now())
	} else {
		err = s.o.Store().Dismiss(ctx, j.ID, time.Now())
	}
	if errors.Is(err, store.ErrLate) {
		return whyNoDismiss.Fault(nil)
	}
	if err != nil {
		return store.Explain(err)
	}
	s.o.Changed(j.ID)
	return nil
}
