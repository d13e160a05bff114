package state

import (
	"context"
	"os"

	"darkroom/api"
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
	return s.until(ctx, id, func(j Job) bool {
		return j.Phase != api.PhaseIntent && j.Phase != api.PhaseSending && !inTurn(j)
	})
}

// inTurn reports whether a job is held and sent in its turn.
func inTurn(j Job) bool { return j.Phase == api.PhaseHeld && !j.Paused }

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

func (s *Session) until(ctx context.Context, id string, there func(Job) bool) (Job, error) {
	for {
		changed := s.changes.changed()
		j, err := s.Job(ctx, id)
		if err != nil || there(j) {
			return j, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return j, ctx.Err()
		case <-s.ctx.Done():
			return j, errClosed
		}
	}
}

// OpenFile opens one of the job's files with the system's program; n counts
// from 1.
func (s *Session) OpenFile(ctx context.Context, id string, n int) error {
	j, err := s.Job(ctx, id)
	if err != nil {
		return err
	}
	if n < 1 || n > len(j.Files) {
		return whyNoFile.Fault(nil)
	}
	return s.OpenPath(ctx, j.Files[n-1].Path)
}

// OpenPath opens a file that a result or a tool's answer was saved in.
func (s *Session) OpenPath(ctx context.Context, path string) error {
	return media.Open(ctx, s.Settings().Opener, path, os.Environ())
}
