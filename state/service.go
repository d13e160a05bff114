package state

import (
	"context"

	"darkroom/api"
	"darkroom/state/keys"
)

// CheckKey tries a key at a base URL with one call (GET models) and keeps
// neither.
func (s *Session) CheckKey(ctx context.Context, base string, key api.Key) error {
	return s.remote.CheckKey(ctx, base, key)
}

// UseKey takes a key into use and keeps it where keep says: keys.InKeyring or
// keys.ForSession. Polling resumes in place. The base URL is written to the
// settings file unless the environment sets it. The key is in use even when it
// could not be kept; the error then says why.
func (s *Session) UseKey(ctx context.Context, base string, key api.Key, keep keys.Keep) error {
	return s.remote.UseKey(ctx, base, key, keep)
}

// Forget removes the key from the keyring and from this session.
func (s *Session) Forget(ctx context.Context) error { return s.remote.Forget(ctx) }

// ExamineKeyring is KeyringState, and asks the keyring itself how it is.
func (s *Session) ExamineKeyring() keys.State { return s.remote.ExamineKeyring() }

// KeyringState says whether a keyring is there, in words, and its name.
func (s *Session) KeyringState(ctx context.Context) keys.State { return s.remote.KeyringState(ctx) }

// AwaitKey waits until every source of a key was asked, and returns nil when
// there is a key, or an error that is ErrNoKey and says why there is none.
func (s *Session) AwaitKey(ctx context.Context) error { return s.remote.AwaitKey(ctx) }

// KnownModels returns the last listing from the store, without a call.
func (s *Session) KnownModels(ctx context.Context) Listing { return s.remote.KnownModels(ctx) }

// Models asks the service, keeps the answer, and falls back to the last known.
func (s *Session) Models(ctx context.Context) Listing { return s.remote.Models(ctx) }

// Estimate is the price of the request: the service's figure, else the table's
// with the error that kept the service's away. Same requests within 60 s are
// answered from memory. Without either the last figure the service gave comes
// back, with its age in At.
func (s *Session) Estimate(ctx context.Context, r api.Request) (api.Estimate, error) {
	return s.remote.Estimate(ctx, r)
}

// KnownEstimate is the best figure for a request without a call: the table's,
// else the last one the service gave, with its age in At.
func (s *Session) KnownEstimate(ctx context.Context, r api.Request) api.Estimate {
	return s.remote.KnownEstimate(ctx, r)
}

// Profile is what is known of the service in use. It makes no call.
func (s *Session) Profile(ctx context.Context) (Profile, error) { return s.remote.Profile(ctx) }

// KnownTools returns the last list from the store, without a call; the zero
// Toolbox when there is none.
func (s *Session) KnownTools(ctx context.Context) Toolbox { return s.remote.KnownTools(ctx) }

// Tools asks the tool-protocol entry for its tools.
func (s *Session) Tools(ctx context.Context) (Toolbox, error) { return s.remote.Tools(ctx) }
