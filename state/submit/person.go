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
