package keys

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"darkroom/api"

	"github.com/godbus/dbus/v5"
)

const (
	keyringName = "Secret Service"
	busVariable = "DBUS_SESSION_BUS_ADDRESS"

	// busPatience is how long a bus may take to greet. One that lives does so in
	// milliseconds, whatever the keyring behind it waits for.
	busPatience = 1500 * time.Millisecond
)

// checkSystem looks for a session bus that answers. Without one the keyring library
// hangs for 4 minutes, with a mute one for ever, so it must not even be called.
func checkSystem(env func(string) string) State {
	why := orInstead("no keyring on this system: %v")
	if a := busAddress(env); a != "" {
		why = within("the session bus does not answer, so there is no keyring here: %v", func(ctx context.Context) api.Reason {
			return greet(ctx, a, nil)
		})
		// The library looks at its process's variable and at /run/user/UID alone.
		if why.IsZero() && os.Setenv(busVariable, a) != nil {
			why = orInstead(whyNoReach)
		}
	}
	return State{Usable: why.IsZero(), Name: keyringName, Why: why}
}

// examineSystem asks the keyring service of a bus that answers how it is.
func examineSystem(env func(string) string) State {
	s := State{Usable: true, Name: keyringName}
	why := within("the keyring service does not answer: start it again, %v", func(ctx context.Context) api.Reason {
		return greet(ctx, busAddress(env), &s)
	})
	if !why.IsZero() {
		return State{Name: keyringName, Why: why}
	}
	return s
}

// within runs f for busPatience; late is its answer when that runs out.
func within(late api.Sentence, f func(context.Context) api.Reason) api.Reason {
	ctx, cancel := context.WithTimeout(context.Background(), busPatience)
	defer cancel()
	why := orInstead(whyNoReach) // of a library that breaks down
	if ended, _ := api.Within(ctx, func() { why = f(ctx) }); ended && ctx.Err() == nil {
		return why
	}
	return orInstead(late)
}

// greet says hello to the bus, asks the keyring service how it is when a State is
// given, and hangs up. It gives why that failed; the end of ctx closes the connection.
func greet(ctx context.Context, address string, s *State) api.Reason {
	bus, err := dbus.Dial(address, dbus.WithContext(ctx))
	if err != nil {
		return orInstead(whyNoReach)
	}
	defer func() { _ = bus.Close() }()
	if bus.Auth(nil) != nil || bus.Hello() != nil {
		return orInstead(whyNoReach)
	}
	if s == nil {
		return api.Reason{}
	}
	// This asks for no password. A service may have no default collection.
	var locked dbus.Variant
	err = bus.Object("org.freedesktop.secrets", "/org/freedesktop/secrets/aliases/default").
		CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", 0, "org.freedesktop.Secret.Collection", "Locked").Store(&locked)
	if answer, ok := errors.AsType[dbus.Error](err); ok && absent(answer) {
		return orInstead(whyNoService)
	}
	if err == nil {
		s.Locked, _ = locked.Value().(bool)
	}
	return api.Reason{}
}

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
