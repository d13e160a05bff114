// Package keys finds and keeps the API key: environment, OS keyring, this
// session only.
package keys

import "darkroom/api"

// Ring is a keyring. Calls may hang; Guard puts time limits around them.
type Ring interface {
	Load(account string) (string, error) // ErrNone when there is no key
	Store(account, secret string) error
	Remove(account string) error // ErrNone when there is no key
}

// Checker is a Ring that can tell whether it is there without being asked for
// anything. A Ring without it counts as usable.
type Checker interface {
	Check(env func(string) string) State
}

// ErrNone says that the keyring holds no key for the account.
var ErrNone = whyNone.Fault(nil)

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
	Locked bool       // it is there, and will ask for its password before it gives a key
	Name   string     // "Secret Service", "Keychain", "Credential Manager"
	Why    api.Reason // why it is not usable, and what to do
}

// Trouble says what is wrong with a keyring.
type Trouble string

// Troubles of a keyring.
const (
	TroubleAbsent  Trouble = "absent"  // no bus, no service, an unsupported system
	TroubleLocked  Trouble = "locked"  // it was not unlocked
	TroubleWaiting Trouble = "waiting" // no answer yet; it may be asking for its password
	TroubleSilent  Trouble = "silent"  // no answer within Limit; not asked again
	TroubleTooBig  Trouble = "too_big" // the system refuses a key of this length
	TroubleContent Trouble = "content" // it holds something that is not a key
	TroubleOther   Trouble = "other"
)

// Error is a keyring's failure in words, with what to do. It never holds the
// key.
type Error struct {
	Trouble Trouble
	Reason  api.Reason
	Cause   error // the end of a context, if that was it; else nil
}

func (e *Error) Error() string { return e.Reason.String() }

// Why gives the reason.
func (e *Error) Why() api.Reason { return e.Reason }

// Unwrap gives the end of the context, if that was it.
func (e *Error) Unwrap() error { return e.Cause }
