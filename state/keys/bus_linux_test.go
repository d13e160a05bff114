package keys

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

func lookup(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

// ownBus skips where the person who runs the tests has a session bus.
func ownBus(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(fmt.Sprintf("/run/user/%d/bus", os.Getuid())); err == nil {
		t.Skip("this user has a session bus; its absence cannot be tried")
	}
}

// The library, which would hang, is not called by a process without a bus.
func TestNoBusMeansNoCall(t *testing.T) {
	t.Parallel()
	ownBus(t)
	for name, vars := range map[string]map[string]string{
		"nothing":        {},
		"autolaunch":     {busVariable: "autolaunch:"},
		"empty folder":   {"XDG_RUNTIME_DIR": t.TempDir()},
		"relative":       {"XDG_RUNTIME_DIR": "run"},
		"bus is no sock": {"XDG_RUNTIME_DIR": filepath.Dir(simtest.File(t, filepath.Join(t.TempDir(), "bus"), ""))},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), Patience+500*time.Millisecond)
		defer cancel()
		g := NewGuard(nil, lookup(vars))
		_, err := g.Load(ctx, "https://a.example")
		expect.That(t, trouble(err) == "no keyring on this system: %v" && ctx.Err() == nil, name, "got", err, "want absent within", Patience)
		s := g.Examine()
		expect.That(t, !s.Usable && s.Why.Format() == "no keyring on this system: %v" && s.Name == "Secret Service", name, s)
	}
}

func TestBusIsFound(t *testing.T) {
	t.Parallel()
	dir, _ := listen(t)
	expect.Equal(t, busAddress(lookup(map[string]string{"XDG_RUNTIME_DIR": dir})), "unix:path="+strings.ReplaceAll(dir, " ", "%20")+"/bus")
	expect.Equal(t, busAddress(lookup(map[string]string{busVariable: "unix:path=/x", "XDG_RUNTIME_DIR": dir})), "unix:path=/x")
}

func listen(t *testing.T) (dir string, l net.Listener) {
	t.Helper()
	dir = must(os.MkdirTemp("", "bus"))(t) // a socket's path must be short
	l = must(net.Listen("unix", filepath.Join(dir, "bus")))(t)
	t.Cleanup(func() { l.Close(); os.RemoveAll(dir) })
	return dir, l
}

// startBus is a session bus that answers each call by what answer gives for its
// member: values, or the name of an error. A bus that gives nothing is mute.
func startBus(t *testing.T, answer func(member string) (values []any, failure string)) string {
	t.Helper()
	dir, l := listen(t)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serveBus(c, answer)
		}
	}()
	return "unix:path=" + dir + "/bus"
}

func serveBus(c net.Conn, answer func(member string) (values []any, failure string)) {
	defer c.Close()
	r := bufio.NewReader(c)
	for {
		line, err := r.ReadString('\n')
		switch {
		case err != nil:
			return
		case strings.HasPrefix(line, "BEGIN"):
		case strings.HasPrefix(line, "NEGOTIATE"):
			c.Write([]byte("ERROR\r\n"))
			continue
		case strings.Contains(line, "AUTH EXTERNAL"):
			c.Write([]byte("OK 0123456789abcdef0123456789abcdef\r\n"))
			continue
		default:
			c.Write([]byte("REJECTED EXTERNAL\r\n"))
			continue
		}
		break
	}
	for {
		m, err := dbus.DecodeMessage(r)
		if err != nil {
			return
		}
		values, failure := answer(m.Headers[dbus.FieldMember].Value().(string))
		if values == nil && failure == "" {
			continue
		}
		reply := &dbus.Message{Type: dbus.TypeMethodReply, Body: values, Headers: map[dbus.HeaderField]dbus.Variant{
			dbus.FieldReplySerial: dbus.MakeVariant(m.Serial()), dbus.FieldDestination: dbus.MakeVariant(":1.1"),
		}}
		if failure != "" {
			reply.Type = dbus.TypeError
			reply.Headers[dbus.FieldErrorName] = dbus.MakeVariant(failure)
		}
		if len(values) > 0 {
			reply.Headers[dbus.FieldSignature] = dbus.MakeVariant(dbus.SignatureOf(values...))
		}
		if reply.EncodeTo(c, binary.LittleEndian) != nil {
			return
		}
	}
}

// TestExamineSaysHowTheKeyringIs: without a call that could ask for a password.
func TestExamineSaysHowTheKeyringIs(t *testing.T) { // not parallel: the variable is the process's
	was := os.Getenv(busVariable)
	t.Cleanup(func() { os.Setenv(busVariable, was) })
	greets := func(values []any, failure string) func(string) ([]any, string) {
		return func(member string) ([]any, string) {
			switch member {
			case "Hello":
				return []any{":1.1"}, ""
			case "Get":
				return values, failure
			}
			t.Errorf("it calls %s", member)
			return nil, "x.y"
		}
	}
	for name, c := range map[string]struct {
		bus    func(string) ([]any, string)
		want   api.Sentence // "" is usable
		locked bool
	}{
		"unlocked":      {greets([]any{dbus.MakeVariant(false)}, ""), "", false},
		"locked":        {greets([]any{dbus.MakeVariant(true)}, ""), "", true},
		"no collection": {greets(nil, "org.freedesktop.DBus.Error.UnknownObject"), "", false},
		"no service":    {greets(nil, "org.freedesktop.DBus.Error.ServiceUnknown"), whyNoService, false},
		"mute service":  {greets(nil, ""), "the keyring service does not answer: start it again, %v", false},
		"mute bus":      {func(string) ([]any, string) { return nil, "" }, "the session bus does not answer, so there is no keyring here: %v", false},
		"no bus":        {func(string) ([]any, string) { return nil, "org.freedesktop.DBus.Error.Failed" }, whyNoReach, false},
	} {
		address := startBus(t, c.bus)
		began := time.Now()
		got := NewGuard(nil, lookup(map[string]string{busVariable: address})).Examine()
		expect.That(t, got.Usable == (c.want == "") && got.Why.Format() == c.want && got.Locked == c.locked && got.Name == keyringName, name, got)
		expect.That(t, strings.HasPrefix(name, "mute") == (time.Since(began) >= busPatience), name, "it took", time.Since(began))
		expect.That(t, !got.Usable || os.Getenv(busVariable) == address, name, "the library would look at", os.Getenv(busVariable))
	}
	got := NewGuard(&fakeRing{}, lookup(nil)).Examine()
	expect.That(t, got.Usable && !got.Locked, "another ring is", got)
}
