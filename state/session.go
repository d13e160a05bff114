// Package state is what outlives a key press. Session is its one door: screens
// and the command line reach the store, the key, the service and the result
// files only through it.
package state

import (
	"context"
	"errors"
	"time"

	"darkroom/api"
	"darkroom/state/keys"
	"darkroom/state/store"
)

// Names of the store's shapes, so that callers need not know the room.
type (
	Job   = store.Job
	Row   = store.Row
	File  = store.File
	Query = store.Query
	Page  = store.Page
	Spent = store.Spent
)

var errStub = errors.New("not built yet")

// Errors that callers tell apart with errors.Is.
var (
	ErrNoBase     = errors.New("no service address is set: set DARKROOM_BASE_URL or base_url in the settings file")
	ErrNoKey      = errors.New("no API key: run 'darkroom login', or set DARKROOM_API_KEY for this run")
	ErrKeyRefused = errors.New("the service refused the API key: run 'darkroom login' with a valid one")
	ErrNoJob      = errors.New("there is no such job")
	ErrReadOnly   = errors.New("the store can only be read, so nothing can be sent")
)

// Refusal says why nothing was sent. Code is one of "problems", "budget",
// "max_credits", "again", "no_key", "key_refused", "no_base", "store",
// "credits", "not_sendable".
type Refusal struct {
	Code     string
	Text     string
	Problems []api.Problem
	Cause    error
}

func (r *Refusal) Error() string { return r.Text }

// Unwrap gives the cause.
func (r *Refusal) Unwrap() error { return r.Cause }

// Options are what a Session is made from.
type Options struct {
	Settings Settings
	// Env looks up a variable; nil is the process's environment.
	Env func(string) string
	// Version is sent as part of the user agent.
	Version string
	// Demo marks the embedded service: the key and base come from Settings.
	Demo bool
	// Poll starts the background poller. The command line turns it off for
	// commands that only read.
	Poll bool
	// Keyring stands in for the OS keyring; nil is the real one.
	Keyring keys.Ring
}

// Session is the door to state. It is safe for use by several goroutines.
type Session struct{}

// Open opens the store, finds the key (environment, then keyring, at most 3 s,
// in the background) and starts the poller. It fails only when there is
// nothing that could be shown; a store that cannot be written opens read-only.
func Open(ctx context.Context, o Options) (*Session, error) { return nil, errStub }

// Close stops the poller, waits for a send in progress (10 s at most, or until
// ctx ends) and closes the store.
func (s *Session) Close(ctx context.Context) error { return nil }

// Standing is how things are with the service and the store right now; it does
// no I/O.
type Standing struct {
	Base       string // as shown: host and path prefix; "" when not set
	KeyHint    string // ak_…9f3c, or ""
	KeySource  string // "environment", "keyring", "session", "demo" or ""
	KeyPending bool   // the keyring has not answered yet
	KeyError   string // why there is no key, in words
	KeyRefused bool   // the service refused the key; all calls rest
	Online     bool   // the last call had an answer
	Trouble    string // what is wrong with the service, in words; "" when nothing
	RetryAt    time.Time
	ReadOnly   string // why nothing can be sent, in words; "" when it can
	Sending    int    // creates in progress
	Unsaved    int    // accepted jobs that the store could not take yet
	Demo       bool
	Version    int64 // grows with every change
}

// Standing returns how things are now.
func (s *Session) Standing() Standing { return Standing{} }

// Wait blocks until something changed since the last call: jobs (their ids,
// coalesced) or the Standing (then ids may be empty). It ends with ctx.
func (s *Session) Wait(ctx context.Context) ([]string, error) { return nil, errStub }

// CheckKey tries a key at a base URL with one call (GET models) and keeps
// neither.
func (s *Session) CheckKey(ctx context.Context, base string, key api.Key) error { return errStub }

// UseKey takes a key into use and keeps it where keep says: keys.InKeyring or
// keys.ForSession. Polling resumes in place. The base URL is written to the
// settings file unless the environment sets it.
func (s *Session) UseKey(ctx context.Context, base string, key api.Key, keep keys.Keep) error {
	return errStub
}

// Forget removes the key from the keyring and from this session.
func (s *Session) Forget(ctx context.Context) error { return errStub }

// KeyringState says whether a keyring is there, in words, and its name.
func (s *Session) KeyringState(ctx context.Context) keys.State { return keys.State{} }

// Listing is the models with their age.
type Listing struct {
	Models []api.Model
	At     time.Time // when the service gave them; zero when never
	Cached bool      // from the store, because the service did not answer
	Err    error     // why the service did not answer
}

// KnownModels returns the last listing from the store, without a call.
func (s *Session) KnownModels(ctx context.Context) Listing { return Listing{} }

// Models asks the service, keeps the answer, and falls back to the last known.
func (s *Session) Models(ctx context.Context) Listing { return Listing{} }

// Estimate is the price of the request: the service's figure, else the table's
// with the error that kept the service's away. Same requests within 60 s are
// answered from memory.
func (s *Session) Estimate(ctx context.Context, r api.Request) (api.Estimate, error) {
	return api.Estimate{}, errStub
}

// Confirmed is what a person agreed to.
type Confirmed struct {
	ConfirmID  string // made once per key press; the same one is never sent twice
	Request    api.Request
	Estimate   api.Estimate
	MaxCredits api.Credits // 0: no limit; else an unknown or higher estimate is refused
	Again      bool        // agreed to send a body equal to one that is active or unknown
	OverBudget bool        // reserved; a budget is a hard stop
}

// NewConfirmID makes a random confirm id.
func NewConfirmID() string { return "" }

// Submit records, marks and sends the request once, in the background, and
// returns as soon as the intent is durable. A *Refusal means nothing was sent
// and nothing recorded. Progress comes through Wait.
func (s *Session) Submit(ctx context.Context, c Confirmed) (Job, error) { return Job{}, errStub }

// Sent waits until the job's POST has its outcome (any phase after sending).
func (s *Session) Sent(ctx context.Context, id string) (Job, error) { return Job{}, errStub }

// Ended waits until the job's phase is an end, unknown or unread.
func (s *Session) Ended(ctx context.Context, id string) (Job, error) { return Job{}, errStub }

// Jobs returns a window of the list.
func (s *Session) Jobs(ctx context.Context, q Query) (Page, error) { return Page{}, errStub }

// Job finds one job by local id, unique prefix of it, or the service's id.
func (s *Session) Job(ctx context.Context, id string) (Job, error) { return Job{}, errStub }

// RawAnswer is the newest raw answer about a job, as stored.
func (s *Session) RawAnswer(ctx context.Context, id string) ([]byte, error) { return nil, errStub }

// Today is what today cost, and the budget.
func (s *Session) Today(ctx context.Context) (Spent, error) { return Spent{}, errStub }

// Refresh polls a job now, at most every 2 s per job.
func (s *Session) Refresh(ctx context.Context, id string) error { return errStub }

// Fetch downloads a finished job's results again.
func (s *Session) Fetch(ctx context.Context, id string) error { return errStub }

// Attach gives an unknown or unread job the service's id; polling begins.
func (s *Session) Attach(ctx context.Context, id, remoteID string) error { return errStub }

// Dismiss declares an unknown or unread job not charged.
func (s *Session) Dismiss(ctx context.Context, id string) error { return errStub }

// Resend sends an unknown, unread, not_sent, rejected or intent job's body
// again as a new job.
func (s *Session) Resend(ctx context.Context, id, confirmID string) (Job, error) {
	return Job{}, errStub
}

// Delete is deliberately missing: jobs are never lost.

// OpenFile opens one of the job's files with the system's program.
func (s *Session) OpenFile(ctx context.Context, id string, n int) error { return errStub }

// MarkOpened records that a finished job was opened or previewed by itself; it
// reports whether this call was the first to do so, over all windows.
func (s *Session) MarkOpened(ctx context.Context, id string) (bool, error) { return false, errStub }

// SaveDraft keeps an unsent form's values under a name such as "image".
func (s *Session) SaveDraft(ctx context.Context, name string, r api.Request) error { return errStub }

// Draft returns a kept draft and whether there was one.
func (s *Session) Draft(ctx context.Context, name string) (api.Request, bool, error) {
	return api.Request{}, false, errStub
}

// Prompts returns prompts ever confirmed that contain the text, newest first.
func (s *Session) Prompts(ctx context.Context, contains string, limit int) ([]string, error) {
	return nil, errStub
}

// LastModel is the model last used for a kind, or "".
func (s *Session) LastModel(ctx context.Context, kind api.Kind) (string, error) { return "", errStub }

// Settings returns the settings in force.
func (s *Session) Settings() Settings { return Settings{} }
