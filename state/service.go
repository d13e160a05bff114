package state

import (
	"context"

	"darkroom/api"
	"darkroom/state/keys"
	"darkroom/state/remote"
)

// A Session has the methods of these rooms that screens use; they are described
// there.
type (
	// sender records what was confirmed and sends it once; it is a
	// *submit.Submitter.
	sender interface {
		Submit(ctx context.Context, c Confirmed) (Job, error)
		ResendConfirm(ctx context.Context, id string) (confirmID string, price api.Estimate, err error)
		Resend(ctx context.Context, id, confirmID string) (Job, error)
		Attach(ctx context.Context, id, remoteID string) error
		Dismiss(ctx context.Context, id string) error
		CallTool(ctx context.Context, c ToolCall) (ToolAnswer, error)
	}

	// follower asks for jobs and their results; it is a *poll.Poller.
	follower interface {
		Refresh(ctx context.Context, id string) error
		Fetch(ctx context.Context, id string) error
		FreshLinks(ctx context.Context, id string) (Job, error)
		Prefer(id string)
	}

	// service is the service and the key for it; it is a *remote.Remote.
	service interface {
		CheckKey(ctx context.Context, base string, key api.Key) error
		UseKey(ctx context.Context, base string, key api.Key, keep keys.Keep) error
		KeyringState(ctx context.Context) keys.State
		KnownModels(ctx context.Context) Listing
		Models(ctx context.Context) Listing
		Estimate(ctx context.Context, r api.Request) (api.Estimate, error)
		KnownEstimate(ctx context.Context, r api.Request) api.Estimate
		KnownTools(ctx context.Context) Toolbox
		Tools(ctx context.Context) (Toolbox, error)
	}
)

// Health is how things are with the service and the store right now; it does
// no I/O.
type Health struct {
	remote.Health
	ReadOnly api.Reason // why nothing can be sent; none when it can
	Choice   bool       // ReadOnly can be lifted by ChooseStore
	Damaged  bool       // the store in use is an empty one in place of one that is damaged or cannot be read: it shows no earlier job
	Sending  int        // creates in progress
	Unsaved  int        // accepted jobs that the store could not take yet
	Demo     bool
	Version  int64 // grows with every change
}

// Health returns how things are now.
func (s *Session) Health() Health {
	version := s.changes.number() // first: what is newer than it is reported after it
	h := Health{Health: s.remote.Health(), Demo: s.o.Demo, Version: version}
	file := s.storage.health()
	h.ReadOnly, h.Choice, h.Damaged = file.ReadOnly, file.Choice, file.Hidden
	h.Sending, h.Unsaved = s.submitter.Pending()
	return h
}

// Why this window cannot send.
var (
	whyNoLocks    = api.Sentence("file locks do not work there")
	whyNotLocked  = api.Sentence("it cannot be locked")
	whyLockGone   = api.Sentence("the lock file of this window in %v is gone and cannot be made again (%v)")
	whyLockFolder = api.Sentence("the folder of lock files cannot be written (%v): make it writable, then start again")
	whyNoTurns    = api.Sentence("the windows of darkroom cannot take turns: the file create.lock in %v cannot be used (%v)")
	whyUnwritten  = api.Sentence("the store cannot be written: %v")
	whyNoFile     = api.Sentence("this job has no such file")
)
