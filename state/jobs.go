package state

import (
	"context"
	"os"

	"darkroom/api"
	"darkroom/state/media"
)

// Submit records, marks and sends the request once, in the background, and
// returns as soon as the intent is durable. A *Refusal means nothing was sent
// and nothing recorded. Progress comes through Wait. A confirm id that was
// submitted before returns its job and sends nothing.
func (s *Session) Submit(ctx context.Context, c Confirmed) (Job, error) {
	return s.submitter.Submit(ctx, c)
}

// ResendConfirm returns the confirm id that Resend takes, and the current price,
// for the question whether a job is to be sent again. An id of "" means that it
// cannot be; the error says why. Else the error says why the service's own price
// is missing.
func (s *Session) ResendConfirm(ctx context.Context, id string) (confirmID string, price api.Estimate, err error) {
	return s.submitter.ResendConfirm(ctx, id)
}

// Resend sends an unknown, unread, not_sent, rejected or intent job's body
// again as a new job. A job that was sent again since the question, in any
// window, is returned, and nothing is sent.
func (s *Session) Resend(ctx context.Context, id, confirmID string) (Job, error) {
	return s.submitter.Resend(ctx, id, confirmID)
}

// Attach gives an unknown or unread job the service's id; polling begins.
func (s *Session) Attach(ctx context.Context, id, remoteID string) error {
	return s.submitter.Attach(ctx, id, remoteID)
}

// Dismiss declares an unknown or unread job not charged. A job that still
// waits to be sent is cancelled.
func (s *Session) Dismiss(ctx context.Context, id string) error { return s.submitter.Dismiss(ctx, id) }

// CallTool calls a tool once. A *Refusal means that nothing was sent. An
// *api.Error with Sent after an agreed call does not say whether the tool
// ran and was charged: see ToolDoubt. Every call is recorded. A *Refusal with
// CodeAskTool asks for a person's agreement, ToolCall.UnderBudget.
func (s *Session) CallTool(ctx context.Context, c ToolCall) (ToolAnswer, error) {
	return s.submitter.CallTool(ctx, c)
}

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

// Prefer names the job that is polled before all others that are due, such as
// the selected one; "" names none.
func (s *Session) Prefer(id string) { s.poller.Prefer(id) }

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
// and waits for the person. When the
// service refuses the key meanwhile nothing would end it: ErrKeyRefused.
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

// Deleting is deliberately missing: jobs are never lost.

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
