package login

import (
	"context"

	"darkroom/api"
	"darkroom/state/keys"
)

// Backend is what the key screen needs of what lies behind the screens; it
// is called from commands only.
type Backend interface {
	CheckKey(ctx context.Context, base string, key api.Key) error
	UseKey(ctx context.Context, base string, key api.Key, keep keys.Keep) error
	Forget(ctx context.Context) error
	KeyringState(ctx context.Context) keys.State
}
