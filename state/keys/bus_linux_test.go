package keys

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"darkroom/api"
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

func TestNoBusMeansNoCall(t *testing.T) {
	t.Parallel()
	ownBus(t)
	for name, vars := range map[string]map[string]string{
		"nothing":        {},
		"autolaunch":     {busVariable: "autolaunch:"},
		"empty folder":   {"XDG_RUNTIME_DIR": t.TempDir()},
		"relative":       {"XDG_RUNTIME_DIR": "run"},
		"bus is no sock": {"XDG_RUNTIME_DIR": fileNamedBus(t)},
	} {
		r := &fakeRing{values: map[string]string{"a": secret}}
		g := NewGuard(checkedRing{r}, lookup(vars))
		_, err := g.Load(t.Context(), "a")
		if trouble(err) != whyNoBus || r.calls != 0 {
			t.Errorf("%s: got %v after %d calls, want absent without a call", name, err, r.calls)
		}
		if s := g.Check(); s.Usable || s.Why.IsZero() || s.Name != "Secret Service" {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

func fileNamedBus(t *testing.T) string {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "bus"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestBusIsFound(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "bus") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "bus"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if got := busAddress(lookup(map[string]string{"XDG_RUNTIME_DIR": dir})); got != "unix:path="+strings.ReplaceAll(dir, " ", "%20")+"/bus" {
		t.Errorf("got %q", got)
	}
	if got := busAddress(lookup(map[string]string{busVariable: "unix:path=/x", "XDG_RUNTIME_DIR": dir})); got != "unix:path=/x" {
		t.Errorf("got %q", got)
	}
}

// The real library, as a process without a bus would meet it.
func TestSystemRingAnswersWithoutABus(t *testing.T) {
	t.Parallel()
	ownBus(t)
	ctx, cancel := context.WithTimeout(t.Context(), Patience+500*time.Millisecond)
	defer cancel()
	_, err := NewGuard(nil, noEnv).Load(ctx, "https://a.example")
	if trouble(err) != whyNoBus || ctx.Err() != nil {
		t.Errorf("got %v, want absent within %v", err, Patience)
	}
}

const stepVariable = "DARKROOM_TEST_KEYRING_STEP"

// TestSystemRing runs a real Secret Service on a bus of its own, and keeps,
// reads and removes a key from three processes.
func TestSystemRing(t *testing.T) {
	if step := os.Getenv(stepVariable); step != "" {
		keyringStep(t, step)
		return
	}
	for _, p := range []string{"dbus-run-session", "gnome-keyring-daemon", "bash"} {
		if _, err := exec.LookPath(p); err != nil {
			text := "NOT TESTED: the real keyring needs " + p + " (packages dbus and gnome-keyring)"
			if os.Getenv("CI") == "true" {
				t.Fatal(text)
			}
			t.Skip(text)
		}
	}
	t.Parallel()
	home, err := os.MkdirTemp("", "kr")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	script := `printf %s "password of a test" | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1 || exit 9
for step in keep read remove gone; do ` + stepVariable + `=$step "$0" -test.run='^TestSystemRing$' || exit 1; done`
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "dbus-run-session", "--", "bash", "-c", script, os.Args[0])
	cmd.Env = []string{"HOME=" + home, "XDG_RUNTIME_DIR=" + home, "PATH=" + os.Getenv("PATH")}
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := bytes.Count(out, []byte("PASS")); n != 4 {
		t.Errorf("%d steps passed, want 4:\n%s", n, out)
	}
	if bytes.Contains(out, []byte(secret)) {
		t.Error("the key was printed")
	}
}

func keyringStep(t *testing.T, step string) {
	const account = "https://service.example"
	g := NewGuard(nil, os.Getenv)
	key, err := api.ParseKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	switch step {
	case "keep":
		err = g.Store(t.Context(), account, key)
	case "read":
		var k api.Key
		if k, err = g.Load(t.Context(), account); err == nil && k.Reveal() != secret {
			t.Error("another key came back")
		}
		if _, none := g.Load(t.Context(), "https://other.example"); none != ErrNone {
			t.Errorf("another origin gave %v", none)
		}
	case "remove":
		err = g.Remove(t.Context(), account)
	case "gone":
		if _, none := g.Load(t.Context(), account); none != ErrNone {
			t.Errorf("after removal: %v", none)
		}
	}
	if err != nil && !strings.Contains(step, "gone") {
		t.Error(err)
	}
}
