package keys

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/godbus/dbus/v5"
)

const (
	keyringName = "Secret Service"
	busVariable = "DBUS_SESSION_BUS_ADDRESS"
	noBusText   = "there is no session bus, so there is no keyring here: " + instead
)

// checkSystem looks for a session bus. Without one the keyring library starts
// a stray daemon and hangs for 4 minutes, so it must not even be called.
func checkSystem(env func(string) string) State {
	if busAddress(env) == "" {
		return State{Name: keyringName, Why: noBusText}
	}
	return State{Usable: true, Name: keyringName}
}

// busAddress is where the session bus is, or "".
func busAddress(env func(string) string) string {
	if a := env(busVariable); a != "" && !strings.HasPrefix(a, "autolaunch:") {
		return a
	}
	folders := []string{fmt.Sprintf("/run/user/%d", os.Getuid())}
	if d := env("XDG_RUNTIME_DIR"); filepath.IsAbs(d) {
		folders = append([]string{d}, folders...)
	}
	for _, d := range folders {
		bus := filepath.Join(d, "bus")
		if info, err := os.Stat(bus); err == nil && info.Mode().Type() == os.ModeSocket {
			return "unix:path=" + dbus.EscapeBusAddressValue(bus)
		}
	}
	return ""
}

// prepare makes the bus known to the library, which looks at its own process's
// variable and at /run/user/UID alone, and starts a daemon when it finds
// nothing there.
func prepare(env func(string) string) error {
	a := busAddress(env)
	if a == "" {
		return &Error{Trouble: TroubleAbsent, Text: noBusText}
	}
	if os.Getenv(busVariable) == a {
		return nil
	}
	if err := os.Setenv(busVariable, a); err != nil {
		return &Error{Trouble: TroubleAbsent, Text: "the session bus has an address that cannot be used: " + instead}
	}
	return nil
}
