package state

import (
	"context"
	"os"

	"darkroom/state/media"
)

// Refresh polls a job now, at most every 2 s per job; a refresh that comes
// earlier does nothing.
func (s *Session) Refresh(ctx context.Context, id string) error {
	j, err := s.Job(ctx, id)
	if err != nil {
		return err
	}
	return s.poller.Refresh(ctx, j)
}

// Fetch downloads a finished job's results again, in the background.
func (s *Session) Fetch(ctx context.Context, id string) error {
	j, err := s.Job(ctx, id)
	if err != nil {
		return err
	}
	return s.poller.Fetch(ctx, j)
}

// FreshLinks polls a completed job once for addresses of its results that work,
// and gives the job as it is then. The service may have none.
func (s *Session) FreshLinks(ctx context.Context, id string) (Job, error) {
	j, err := s.Job(ctx, id)
	if err == nil {
		err = s.poller.FreshLinks(ctx, j)
	}
	if err != nil {
		return j, err
	}
	return s.Job(ctx, id)
}

// Sent waits until the job's POST has its outcome (any phase after sending), or
// it is held and waits for the person.
func (s *Session) Sent(ctx context.Context, id string) (Job, error) {
	return window{s.engine}.Sent(ctx, id)
}

// Ended waits until the job's phase is an end, unknown or unread, or it is held
// and waits for the person. When the service refuses the key meanwhile nothing
// would end it: ErrKeyRefused.
func (s *Session) Ended(ctx context.Context, id string) (Job, error) {
	refused := false
	j, err := s.until(ctx, id, func(j Job) bool {
		refused = j.Phase.Active() && j.RemoteID != "" && s.remote.Health().KeyRefused
		return refused || !j.Phase.Active() && !inTurn(j)
	})
	if refused && err == nil {
		err = ErrKeyRefused
	}
	return j, err
}

// OpenPath opens a file that a result or a tool's answer was saved in.
func (s *Session) OpenPath(ctx context.Context, path string) error {
	return media.Open(ctx, s.Settings().Opener, path, os.Environ())
}
