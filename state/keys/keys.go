// Package keys keeps the API key in the keyring of the system.
package keys

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os/exec"
	"strings"

	"github.com/godbus/dbus/v5"
	"github.com/zalando/go-keyring"

	"darkroom/api"
)

// Ring is a keyring. Calls may hang; Guard puts time limits around them.
type Ring interface {
	Load(account string) (string, error) // ErrNone when there is no key
	Store(account, secret string) error
	Remove(account string) error // ErrNone when there is no key
}

// ErrNone says that the keyring holds no key for the account.
var ErrNone = api.Sentence("the keyring holds no key for this service").Fault(nil)

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

// Waiting reports whether an error says that a keyring has not answered yet: it may
// be asking for its password. No error holds the key.
func Waiting(err error) bool { return api.ReasonOf(err).Format() == whyWaiting }

// Why the keyring gives or takes no key. Most end in what to do instead.
var (
	whyInstead = api.Sentence("keep the key for this session only, or set DARKROOM_API_KEY")

	whyTooLong   = api.Sentence("the keyring of this system cannot hold a key of this length: %v")
	whyUnknown   = api.Sentence("this system has no keyring that darkroom knows: %v")
	whyLocked    = api.Sentence("the keyring is locked: unlock it and try again, or %v")
	whyFailed    = api.Sentence("the keyring failed (%v): %v")
	whyNoService = api.Sentence("no keyring service is running (GNOME Keyring, KWallet and KeePassXC are such services): start one, %v")
	whyNoReach   = api.Sentence("the session bus cannot be reached, so there is no keyring: %v")
	whySilent    = api.Sentence("the keyring did not answer for 2 minutes and is not asked again in this session: %v")
	whyWaiting   = api.Sentence("the keyring has not answered; it may be asking for its password in a window: answer it, or %v")
	whyContent   = api.Sentence("what the keyring holds for this service is not an API key: run 'darkroom login' to replace it")
)

func orInstead(k api.Sentence) api.Reason { return k.Reason(whyInstead.Reason()) }

func failure(k api.Sentence, cause error) error { return k.Fault(cause, whyInstead.Reason()) }

// service is the name under which the OS keyring files our keys.
const service = "darkroom"

// osRing is the keyring of the system, asked only if Guard.Check says that it is usable.
type osRing struct{}

func (osRing) Load(account string) (string, error) { return keyring.Get(service, account) }

func (osRing) Store(account, secret string) error { return keyring.Set(service, account, secret) }

func (osRing) Remove(account string) error { return keyring.Delete(service, account) }

// explain turns a ring's error into a sentence without the secret.
func explain(err error, secret string) error {
	var known *api.Fault
	var noProgram *exec.Error
	var noBus *net.OpError
	var answer dbus.Error
	switch text := fmt.Sprint(err); {
	case err == nil:
		return nil
	case errors.Is(err, ErrNone), errors.Is(err, keyring.ErrNotFound):
		return ErrNone
	case errors.As(err, &known):
		return known
	case errors.Is(err, keyring.ErrSetDataTooBig):
		return failure(whyTooLong, nil)
	case errors.Is(err, keyring.ErrUnsupportedPlatform):
		return failure(whyUnknown, nil)
	case errors.As(err, &noProgram), errors.As(err, &noBus), errors.Is(err, fs.ErrNotExist):
		return failure(whyNoReach, nil)
	case strings.Contains(text, "failed to unlock"):
		return failure(whyLocked, nil)
	case errors.As(err, &answer) && absentNames[answer.Name], strings.Contains(text, "was not provided by any .service"):
		return failure(whyNoService, nil)
	default:
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "(key)")
		}
		return whyFailed.Fault(nil, api.Clean(text, 200), whyInstead.Reason())
	}
}

// absentNames are the D-Bus errors that mean that nobody keeps secrets there.
var absentNames = map[string]bool{
	"org.freedesktop.DBus.Error.ServiceUnknown":   true,
	"org.freedesktop.DBus.Error.NameHasNoOwner":   true,
	"org.freedesktop.DBus.Error.Spawn.ExecFailed": true,
	"org.freedesktop.DBus.Error.NoServer":         true,
	"org.freedesktop.DBus.Error.Disconnected":     true,
	"org.freedesktop.DBus.Error.TimedOut":         true,
	"org.freedesktop.DBus.Error.NoReply":          true,
}
