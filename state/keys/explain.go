package keys

import (
	"errors"
	"io/fs"
	"net"
	"os/exec"
	"strings"

	"github.com/godbus/dbus/v5"
	"github.com/zalando/go-keyring"

	"darkroom/api"
)

// explain turns a ring's error into a sentence. secret is what the call was
// about; it is taken out of whatever the ring says.
func explain(err error, secret string) error {
	var known *Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrNone), errors.Is(err, keyring.ErrNotFound):
		return ErrNone
	case errors.As(err, &known):
		return known
	case errors.Is(err, keyring.ErrSetDataTooBig):
		return &Error{Trouble: TroubleTooBig, Reason: orInstead(whyTooLong)}
	case errors.Is(err, keyring.ErrUnsupportedPlatform):
		return &Error{Trouble: TroubleAbsent, Reason: orInstead(whyUnknown)}
	}
	text := err.Error()
	var noProgram *exec.Error
	var noBus *net.OpError
	var answer dbus.Error
	switch {
	case errors.As(err, &noProgram), errors.As(err, &noBus), errors.Is(err, fs.ErrNotExist):
		return &Error{Trouble: TroubleAbsent, Reason: orInstead(whyNoReach)}
	case strings.Contains(text, "failed to unlock"):
		return &Error{Trouble: TroubleLocked, Reason: orInstead(whyLocked)}
	case errors.As(err, &answer) && absentNames[answer.Name], strings.Contains(text, "was not provided by any .service"):
		return &Error{Trouble: TroubleAbsent, Reason: orInstead(whyNoService)}
	}
	if secret != "" {
		text = strings.ReplaceAll(text, secret, "(key)")
	}
	return &Error{Trouble: TroubleOther, Reason: whyFailed.Reason(api.Clean(text, 200), whyInstead.Reason())}
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
