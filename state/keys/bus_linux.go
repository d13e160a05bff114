package keys

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"
)

const (
	keyringName = "Secret Service"
	busVariable = "DBUS_SESSION_BUS_ADDRESS"
	noBusText   = "no keyring on this system: " + instead
	muteBusText = "the session bus does not answer, so there is no keyring here: " + instead

	// busPatience is how long a bus may take to greet. A bus that lives does so
	// in milliseconds, whatever the keyring behind it is waiting for.
	busPatience = 1500 * time.Millisecond
)

// checkSystem looks for a session bus that answers. Without one the keyring
// library starts a stray daemon and hangs for 4 minutes, and with a mute one it
// hangs for ever, so it must not even be called.
func checkSystem(env func(string) string) State {
	a := busAddress(env)
	if a == "" {
		return State{Name: keyringName, Why: noBusText}
	}
	if why := greet(a); why != "" {
		return State{Name: keyringName, Why: why}
	}
	return State{Usable: true, Name: keyringName}
}

// greet says hello to the bus and hangs up. It gives why there is no talking to
// it, or "".
func greet(address string) string {
	ctx, cancel := context.WithTimeout(context.Background(), busPatience)
	defer cancel()
	met := make(chan error, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil {
				met <- errPanicked
			}
		}()
		met <- hello(ctx, address)
	}()
	select {
	case err := <-met:
		if err == nil {
			return ""
		}
		if ctx.Err() == nil {
			return noReachText
		}
	case <-ctx.Done():
	}
	return muteBusText
}

// hello has a connection of its own, which the end of ctx closes.
func hello(ctx context.Context, address string) error {
	bus, err := dbus.Dial(address, dbus.WithContext(ctx))
	if err != nil {
		return err
	}
	defer func() { _ = bus.Close() }()
	if err := bus.Auth(nil); err != nil {
		return err
	}
	return bus.Hello()
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
