//go:build linux

package blackbox

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// needPrograms skips loudly where a program is missing, and fails under CI,
// where it has to be there.
func needPrograms(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			text := "NOT TESTED: " + name + " is missing here"
			expect.Must(t, os.Getenv("CI") != "true", text)
			t.Skip(text)
		}
	}
}

// shortHome is a home without a key and with a short name, as the path of a socket needs it.
func shortHome(t *testing.T, service *simtest.Server) *home {
	t.Helper()
	dir := simtest.Must(os.MkdirTemp("", "kr"))(t)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return homeAt(t, dir, service.URL()).with("DARKROOM_API_KEY", "")
}

// keyringHome begins a test next to others: by a service, and a home that uses it, with
// a session bus and a Secret Service of its own, unlocked. Both end with the test.
func keyringHome(t *testing.T, o simtest.Options) *home {
	t.Helper()
	t.Parallel()
	needPrograms(t, "dbus-daemon", "gnome-keyring-daemon")
	h := shortHome(t, startService(t, o))
	bus := exec.CommandContext(t.Context(), "dbus-daemon", "--session", "--nofork", "--print-address=1",
		"--address=unix:path="+filepath.Join(h.dir, "bus")) // else its socket stays in /tmp
	bus.Env, bus.Dir = h.environ(), h.dir
	out := simtest.Must(bus.StdoutPipe())(t)
	must(t, bus.Start())
	t.Cleanup(func() { _ = bus.Process.Kill(); _ = bus.Wait() })
	h = h.with("DBUS_SESSION_BUS_ADDRESS", strings.TrimSpace(simtest.Must(bufio.NewReader(out).ReadString('\n'))(t)))
	// It goes to the background once it is unlocked, and ends with the bus. In
	// the foreground it could lose a race to a locked one that the bus starts.
	ring := exec.CommandContext(t.Context(), "gnome-keyring-daemon", "--unlock", "--components=secrets")
	ring.Env, ring.Dir = h.environ(), h.dir
	ring.Stdin = strings.NewReader("password of a test")
	must(t, ring.Run())
	process := keyringProcess(t, h)
	t.Cleanup(func() { _ = process.Kill() })
	return h
}

// TestLoginRealKeyring keeps, reads and removes a key with a real keyring,
// each by a process of its own.
func TestLoginRealKeyring(t *testing.T) {
	h := keyringHome(t, simtest.Options{Key: testKey})

	h.run("models").wantCode(t, 5)
	h.runWith("ak_a_wrong_key_00000\n", "login").wantCode(t, 5).says(t, "refused")
	h.run("models").wantCode(t, 5)
	e := h.runWith(testKey+"\n", "login").wantCode(t, 0).prints(t, "kept")
	expect.Lacks(t, e.stdout+e.stderr, testKey, "login says")
	h.run("models").wantCode(t, 0).prints(t, "seedance2")
	made := document[job](t, h.run("image", "with the kept key", "--yes", "--json").wantCode(t, 0))
	expect.That(t, made.Phase == "done" && len(made.Files) != 0, "the image made with the kept key", made)
	other := startService(t, simtest.Options{})
	h.with("DARKROOM_BASE_URL", other.URL()).run("models").wantCode(t, 5)
	expect.Equal(t, len(other.Calls()), 0, "calls with the key of another service")
	s := h.screens(100, 30, "credits")
	s.quit()
	h.run("logout").wantCode(t, 0).prints(t, "removed")
	h.run("models").wantCode(t, 5).says(t, "login")
	s = h.open(80, 24, "login")
	s.keysTo("", "not shown")
	s.waitUntil("the terminal shows nothing that is typed", func(string) bool { return s.modes().Lflag&unix.ECHO == 0 })
	s.keysTo("<ctrl+c>", "stopped")
	s.ends(2)
	expect.That(t, s.modes().Lflag&unix.ECHO != 0, "what is typed is not shown again")
	h.run("logout").wantCode(t, 0).prints(t, "there was no key")
	expect.Len(t, searchTree(t, h.dir, keyForms(testKey)).found, 0, "the key is in clear under the home")
}

// keyringProcess finds the Secret Service of a home, which has left its parent.
func keyringProcess(t *testing.T, h *home) *os.Process {
	t.Helper()
	entries := simtest.Must(os.ReadDir("/proc"))(t)
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		name, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "comm"))
		env, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if strings.HasPrefix(string(name), "gnome-keyring") && strings.Contains(string(env), "HOME="+h.dir+"\x00") {
			return simtest.Must(os.FindProcess(pid))(t)
		}
	}
	t.Fatal("the keyring's process is not found")
	return nil
}

// TestKeyringWaits: a keyring that does not answer, as while it asks a person
// for its password. It is said in time, nothing is lost, and it goes on by
// itself once the answer comes.
func TestKeyringWaits(t *testing.T) {
	h := keyringHome(t, simtest.Options{Key: testKey, TimeScale: 0.05})
	ring := keyringProcess(t, h)
	must(t, ring.Signal(syscall.SIGSTOP))
	t.Cleanup(func() { _ = ring.Signal(syscall.SIGCONT) })

	cmd := h.command(t.Context(), "login")
	cmd.Stdin = strings.NewReader(testKey + "\n")
	var out strings.Builder
	cmd.Stdout = &out
	errs := simtest.Must(cmd.StderrPipe())(t)
	began := time.Now()
	must(t, cmd.Start())
	line, err := bufio.NewReader(errs).ReadString('\n')
	told := time.Since(began)
	expect.That(t, err == nil && strings.Contains(line, "has not answered"), "login says", line, err)
	must(t, ring.Signal(syscall.SIGCONT))
	err = cmd.Wait()
	expect.That(t, err == nil && strings.Contains(out.String(), "kept"), "login after the keyring answered", err, &out)
	h.run("models").wantCode(t, 0)

	lines := func(e ended) string {
		for line := range strings.Lines(e.stdout) {
			if strings.Contains(line, " keyring ") {
				return line
			}
		}
		return ""
	}
	line = lines(h.run("doctor"))
	expect.That(t, strings.HasPrefix(line, "✓"), "doctor says", line, "of a keyring that answers")
	must(t, ring.Signal(syscall.SIGSTOP))
	line = lines(h.with("DARKROOM_API_KEY", testKey).run("doctor"))
	expect.That(t, !strings.HasPrefix(line, "✓") && strings.Contains(line, "does not answer"), "doctor says", line, "of a stopped keyring")
	h.run("models").wantCode(t, 5).says(t, "waits for the keyring")
	inTime(t, "login with a stopped keyring", 2*sayLimit, told, func() time.Duration {
		cmd, began := h.command(t.Context(), "login"), time.Now()
		cmd.Stdin = strings.NewReader(testKey + "\n")
		errs := simtest.Must(cmd.StderrPipe())(t)
		must(t, cmd.Start())
		_, _ = bufio.NewReader(errs).ReadString('\n')
		told := time.Since(began)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return told
	})
	began = time.Now()
	s := h.open(110, 34)
	s.waitFor("keyring has not answered", "type the key for", "for this session only")
	inTime(t, "the screen with a stopped keyring", 2*sayLimit, time.Since(began), func() time.Duration {
		s.kill()
		began, s = time.Now(), h.open(110, 34)
		s.waitFor("keyring has not answered", "type the key for", "for this session only")
		return time.Since(began)
	})
	must(t, ring.Signal(syscall.SIGCONT))
	s.waitFor("/ 5,000", "ak_…3Ls8") // its answer came, nothing was typed
	s.quits()
}

// muteSocket accepts and never answers, until the test ends.
func muteSocket(t *testing.T, path string) {
	t.Helper()
	listener := simtest.Must(net.Listen("unix", path))(t)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = conn.Close() })
		}
	}()
}

// sayLimit is how long the program may take to say that there is no keyring.
const sayLimit = 5 * time.Second // the keyring is given three, and other tests run beside

// TestNoKeyring: without a session bus, and with one that is mute, login says
// so in time, and the screens work with a key typed for this session.
func TestNoKeyring(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		says string
		bus  func(t *testing.T, dir string) (address string)
	}{
		"no bus": {"o keyring on this system", func(t *testing.T, _ string) string {
			if _, err := os.Stat(fmt.Sprintf("/run/user/%d/bus", os.Getuid())); err == nil {
				t.Skip("NOT TESTED: this user has a session bus; its absence cannot be tried")
			}
			return ""
		}},
		"mute bus": {"does not answer", func(t *testing.T, dir string) string {
			muteSocket(t, filepath.Join(dir, "mute"))
			return "unix:path=" + filepath.Join(dir, "mute")
		}},
		"mute bus in the run folder": {"does not answer", func(t *testing.T, dir string) string {
			muteSocket(t, filepath.Join(dir, "run", "bus"))
			return ""
		}},
		"bus that is gone": {"cannot be reached", func(_ *testing.T, dir string) string {
			return "unix:path=" + filepath.Join(dir, "gone")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := startService(t, simtest.Options{Key: testKey, TimeScale: 0.05})
			h := shortHome(t, service)
			h = h.with("DBUS_SESSION_BUS_ADDRESS", c.bus(t, h.dir))
			h.configure("on_done = \"nothing\"\n") // the picture of what is done would hide its row
			withoutKeyring(t, h, service, c.says)
		})
	}
}

// withoutKeyring tries login and the screens where there is no keyring; says
// is what they have to say.
func withoutKeyring(t *testing.T, h *home, service *simtest.Server, says string) {
	t.Helper()
	e := h.runWith(testKey+"\n", "login").wantCode(t, 1)
	expect.Equal(t, e.stderr, "darkroom: this system has no keyring: set DARKROOM_API_KEY\n", "login says")
	models := h.run("models").wantCode(t, 5)
	if !strings.HasSuffix(models.stderr, "darkroom: no API key: set DARKROOM_API_KEY\n") { // and not to log in, which cannot work
		t.Errorf("models says: %s", models.stderr)
	}
	expect.Equal(t, len(service.Calls()), 0, "the key was tried although it could not be kept")
	began := time.Now()
	s := h.open(110, 34)
	s.waitFor(says, "session", "Key")
	shown := time.Since(began)
	t.Logf("login said it after %v, models after %v, the key screen after %v", e.took.Round(time.Millisecond),
		models.took.Round(time.Millisecond), shown.Round(time.Millisecond))
	inTime(t, "login", sayLimit, e.took, func() time.Duration { return h.runWith(testKey+"\n", "login").wantCode(t, 1).took })
	inTime(t, "models", sayLimit, models.took, func() time.Duration { return h.run("models").wantCode(t, 5).took })
	inTime(t, "the key screen", sayLimit, shown, func() time.Duration {
		s.kill()
		began, s = time.Now(), h.open(110, 34)
		s.waitFor(says, "session", "Key")
		return time.Since(began)
	})
	s.keysTo("ak_a_wrong_key_00000<enter>", "refused")
	s.keys(strings.Repeat("\x7f", len("ak_a_wrong_key_00000")))
	s.keysTo(testKey+"<enter>", "/ 5,000")
	s.submit("with a typed key")
	s.toJobs()
	s.waitFor("● done")
	s.quits()
	outputs := searchBytes("output", []byte(e.stdout+e.stderr+models.stdout+models.stderr), keyForms(testKey))
	expect.Len(t, append(searchTree(t, h.dir, keyForms(testKey)).found, outputs...), 0, "a key for this session alone was written")
	expect.Len(t, searchBytes("stream", s.bytes(), keyForms(testKey)), 0, "the typed key was shown")
}
