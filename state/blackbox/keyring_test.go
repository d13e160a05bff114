package blackbox

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"darkroom/api/sim"
)

// needPrograms skips loudly where a program is missing, and fails under CI,
// where it has to be there.
func needPrograms(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			text := "NOT TESTED: " + name + " is missing here"
			if os.Getenv("CI") == "true" {
				t.Fatal(text)
			}
			t.Skip(text)
		}
	}
}

// startKeyring starts a session bus and a Secret Service of the test's own,
// unlocked, and returns the bus's address. Both end with the test.
func startKeyring(t *testing.T, h *home) string {
	t.Helper()
	bus := exec.CommandContext(t.Context(), "dbus-daemon", "--session", "--nofork", "--print-address=1")
	bus.Env, bus.Dir = h.environ(), h.dir
	out, err := bus.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := bus.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bus.Process.Kill(); _ = bus.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the bus gave no address: %v", err)
	}
	address := strings.TrimSpace(line)
	// It goes to the background once it is unlocked, and ends with the bus. In
	// the foreground it could lose a race to a locked one that the bus starts.
	ring := exec.CommandContext(t.Context(), "gnome-keyring-daemon", "--unlock", "--components=secrets")
	ring.Env, ring.Dir = h.with("DBUS_SESSION_BUS_ADDRESS", address).environ(), h.dir
	ring.Stdin = strings.NewReader("password of a test")
	if err := ring.Run(); err != nil {
		t.Fatalf("the keyring did not start: %v", err)
	}
	return address
}

// TestLoginRealKeyring keeps, reads and removes a key with a real keyring,
// each by a process of its own.
func TestLoginRealKeyring(t *testing.T) {
	t.Parallel()
	needPrograms(t, "dbus-daemon", "gnome-keyring-daemon")
	service := startService(t, sim.Options{Key: testKey})
	dir, err := os.MkdirTemp("", "kr") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	h := homeAt(t, dir, service.URL()).with("DARKROOM_API_KEY", "")
	h = h.with("DBUS_SESSION_BUS_ADDRESS", startKeyring(t, h))

	h.run("models").wantCode(t, 5)
	if e := h.runWith("ak_a_wrong_key_00000\n", "login").wantCode(t, 5); !strings.Contains(e.stderr, "refused") {
		t.Errorf("a refused key: %s", e.stderr)
	}
	h.run("models").wantCode(t, 5)
	e := h.runWith(testKey+"\n", "login").wantCode(t, 0)
	if !strings.Contains(e.stdout, "kept") || strings.Contains(e.stdout+e.stderr, testKey) {
		t.Errorf("login says: %s%s", e.stdout, e.stderr)
	}
	if e := h.run("models").wantCode(t, 0); !strings.Contains(e.stdout, "seedance2") {
		t.Errorf("models with the kept key: %s", e.stdout)
	}
	other := startService(t, sim.Options{})
	h.with("DARKROOM_BASE_URL", other.URL()).run("models").wantCode(t, 5)
	if n := len(other.Calls()); n != 0 {
		t.Errorf("the key of one service made %d calls to another", n)
	}
	s := h.open(100, 30)
	s.waitFor("Prompt", "credits")
	s.keys("<ctrl+q>")
	s.end()
	h.run("logout").wantCode(t, 0)
	if e := h.run("models").wantCode(t, 5); !strings.Contains(e.stderr, "login") {
		t.Errorf("models after logout: %s", e.stderr)
	}
	h.run("logout").wantCode(t, 0)
	if hits := searchTree(t, h.dir, keyForms(testKey)); len(hits.found) != 0 {
		t.Errorf("the key is in clear under the home: %v", hits.found)
	}
}

// TestNoKeyring: without a session bus login says so at once, and the screens
// work with a key typed for this session.
func TestNoKeyring(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(fmt.Sprintf("/run/user/%d/bus", os.Getuid())); err == nil {
		t.Skip("NOT TESTED: this user has a session bus; its absence cannot be tried")
	}
	service := startService(t, sim.Options{Key: testKey, TimeScale: 0.05})
	h := newHome(t, service.URL()).with("DARKROOM_API_KEY", "")
	e := h.runWith(testKey+"\n", "login").wantCode(t, 1)
	if !strings.Contains(e.stderr, "no session bus") || strings.Contains(e.stdout+e.stderr, testKey) {
		t.Errorf("login says: %s%s", e.stdout, e.stderr)
	}
	t.Logf("login without a session bus answered in %v", e.took.Round(time.Millisecond))
	if len(service.Calls()) != 0 {
		t.Error("the key was tried although it could not be kept")
	}
	s := h.open(110, 34)
	s.waitFor("session", "Key")
	s.keys("ak_a_wrong_key_00000<enter>")
	s.waitFor("refused")
	for range len("ak_a_wrong_key_00000") {
		s.keys("\x7f")
	}
	s.keys(testKey + "<enter>")
	s.waitFor("Prompt")
	s.submit("with a typed key")
	s.waitFor("● done")
	s.keys("<ctrl+q>")
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	if hits := searchTree(t, h.dir, keyForms(testKey)); len(hits.found) != 0 {
		t.Errorf("a key for this session alone was written: %v", hits.found)
	}
	if hits := searchBytes("stream", s.bytes(), keyForms(testKey)); len(hits) != 0 {
		t.Errorf("the typed key was shown: %v", hits)
	}
}
