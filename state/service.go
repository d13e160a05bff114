package state

import (
	"context"

	"darkroom/api"
	"darkroom/state/keys"
	"darkroom/state/remote"
)

// sender records what was confirmed and sends it once; it is a
// *submit.Submitter.
type sender interface {
	// Submit records, marks and sends the request once, in the background, and
	// returns as soon as the intent is durable. A *Refusal means nothing was sent
	// and nothing recorded. Progress comes through Wait. A confirm id that was
	// submitted before returns its job and sends nothing.
	Submit(ctx context.Context, c Confirmed) (Job, error)
	// ResendConfirm returns the confirm id that Resend takes, and the current
	// price, for the question whether a job is to be sent again. An id of "" means
	// that it cannot be; the error says why. Else the error says why the service's
	// own price is missing.
	ResendConfirm(ctx context.Context, id string) (confirmID string, price api.Estimate, err error)
	// Resend sends an unknown, unread, not_sent, rejected or intent job's body
	// again as a new job. A job that was sent again since the question, in any
	// window, is returned, and nothing is sent.
	Resend(ctx context.Context, id, confirmID string) (Job, error)
	// Attach gives an unknown or unread job the service's id; polling begins.
	Attach(ctx context.Context, id, remoteID string) error
	// Dismiss declares an unknown or unread job not charged. A job that still
	// waits to be sent is cancelled.
	Dismiss(ctx context.Context, id string) error
	// CallTool calls a tool once. A *Refusal means that nothing was sent. An
	// *api.Error with Sent after an agreed call does not say whether the tool
	// ran and was charged: see ToolDoubt. Every call is recorded. A *Refusal with
	// CodeAskTool asks for a person's agreement, ToolCall.UnderBudget.
	CallTool(ctx context.Context, c ToolCall) (ToolAnswer, error)
}

// keeper finds and keeps the key; it is a *remote.Remote.
type keeper interface {
	// CheckKey tries a key at a base URL with one call (GET models) and keeps
	// neither.
	CheckKey(ctx context.Context, base string, key api.Key) error
	// UseKey takes a key into use and keeps it where keep says: keys.InKeyring or
	// keys.ForSession. Polling resumes in place. The base URL is written to the
	// settings file unless the environment sets it. The key is in use even when it
	// could not be kept; the error then says why.
	UseKey(ctx context.Context, base string, key api.Key, keep keys.Keep) error
	// Forget removes the key from the keyring and from this session.
	Forget(ctx context.Context) error
	// ExamineKeyring is KeyringState, and asks the keyring itself how it is.
	ExamineKeyring() keys.State
	// KeyringState says whether a keyring is there, in words, and its name.
	KeyringState(ctx context.Context) keys.State
	// AwaitKey waits until every source of a key was asked, and returns nil when
	// there is a key, or an error that is ErrNoKey and says why there is none.
	AwaitKey(ctx context.Context) error
}

// answers are what the service says of itself; it is a *remote.Remote.
type answers interface {
	// KnownModels returns the last listing from the store, without a call.
	KnownModels(ctx context.Context) Listing
	// Models asks the service, keeps the answer, and falls back to the last known.
	Models(ctx context.Context) Listing
	// Unlisted reports whether the service's last listing does not have a model,
	// which is to be said before a request for it is confirmed. It makes no call.
	Unlisted(ctx context.Context, model string) bool
	// Estimate is the price of the request: the service's figure, else the table's
	// with the error that kept the service's away. Same requests within 60 s are
	// answered from memory. Without either the last figure the service gave comes
	// back, with its age in At.
	Estimate(ctx context.Context, r api.Request) (api.Estimate, error)
	// KnownEstimate is the best figure for a request without a call: the table's,
	// else the last one the service gave, with its age in At.
	KnownEstimate(ctx context.Context, r api.Request) api.Estimate
	// Profile is what is known of the service in use. It makes no call.
	Profile(ctx context.Context) (Profile, error)
	// KnownTools returns the last list from the store, without a call; the zero
	// Toolbox when there is none.
	KnownTools(ctx context.Context) Toolbox
	// Tools asks the tool-protocol entry for its tools.
	Tools(ctx context.Context) (Toolbox, error)
}

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
	h.ReadOnly, h.Choice, h.Damaged = s.storage.readOnly()
	h.Sending, h.Unsaved = s.submitter.Pending()
	return h
}

// Why this window cannot send.
var (
	whyNoLocks    = api.Declare("no_file_locks", "file locks do not work there")
	whyNotLocked  = api.Declare("not_locked", "it cannot be locked")
	whyLockGone   = api.Declare("lock_gone", "the lock file of this window in %v is gone and cannot be made again (%v)")
	whyLockFolder = api.Declare("lock_folder", "the folder of lock files cannot be written (%v): make it writable, then start again")
	whyNoTurns    = api.Declare("no_turns", "the windows of darkroom cannot take turns: the file create.lock in %v cannot be used (%v)")
	whyUnwritten  = api.Declare("store_cannot_be_written", "the store cannot be written: %v")
	whyNoFile     = api.Declare("job_no_file", "this job has no such file")
)
