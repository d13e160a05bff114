// Package keys finds and keeps the API key: environment, OS keyring, this
// session only.
package keys

import (
	"context"
	"errors"

	"darkroom/api"
)

// Ring is a keyring. Calls may hang; Guard puts time limits around them.
type Ring interface {
	Load(account string) (string, error) // ErrNone when there is no key
	Store(account, secret string) error
	Remove(account string) error
}

// ErrNone says that the keyring holds no key for the account.
var ErrNone = errors.New("the keyring holds no key for this service")

// Keep says where a key is to be kept.
type Keep int

// Places for a key.
const (
	ForSession Keep = iota
	InKeyring
)

// State says how the keyring is.
type State struct {
	Usable bool
	Name   string // "Secret Service", "Keychain", "Credential Manager"
	Why    string // why it is not usable, and what to do
}

// Guard asks a Ring one call at a time, each with a time limit, and never
// calls a library that would hang.
type Guard struct{}

// NewGuard wraps a ring; nil is the OS keyring. env looks up a variable.
func NewGuard(r Ring, env func(string) string) *Guard { return &Guard{} }

// Check looks whether there is a keyring, without asking it for a key.
func (g *Guard) Check() State { return State{} }

// Load asks for the key of an account (the origin of the base URL).
func (g *Guard) Load(ctx context.Context, account string) (api.Key, error) { return api.Key{}, ErrNone }

// Store keeps a key.
func (g *Guard) Store(ctx context.Context, account string, k api.Key) error { return ErrNone }

// Remove forgets a key.
func (g *Guard) Remove(ctx context.Context, account string) error { return ErrNone }
