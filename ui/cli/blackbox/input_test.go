//go:build linux

package blackbox

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
)

// TestASignalEndsReading: a command that waits for its input, on standard input
// or at a named pipe that nobody writes to, ends by a signal like any other.
func TestASignalEndsReading(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	h := newHome(t, service.URL())
	pipe := filepath.Join(h.dir, "pipe")
	must(t, syscall.Mkfifo(pipe, 0o600))
	for _, args := range [][]string{
		{"image", "-", "--yes", "--model", "lumen/still-1"}, {"image", "@" + pipe, "--dry-run", "--model", "lumen/still-1"},
		{"tools", "call", "generate_image", "-", "--yes"}, {"tools", "call", "generate_image", "@" + pipe, "--yes"},
		{"edit", pipe},
	} {
		cmd := h.command(t.Context(), args...)
		_, err := cmd.StdinPipe() // open, and silent
		must(t, err)
		must(t, cmd.Start())
		ended := make(chan struct{})
		go func() { _ = cmd.Wait(); close(ended) }()
		limit := time.After(20 * time.Second)
		for waiting := true; waiting; {
			select {
			case <-ended:
				waiting = false
			case <-limit:
				t.Errorf("%v goes on after a signal", args)
				_ = cmd.Process.Kill()
				<-ended
				waiting = false
			case <-time.After(100 * time.Millisecond): // the first may come before it is heeded
				_ = cmd.Process.Signal(syscall.SIGTERM)
			}
		}
		if code := cmd.ProcessState.ExitCode(); code > 2 {
			t.Errorf("%v: exit code %d", args, code)
		}
	}
	if n := creates(service); n != 0 {
		t.Errorf("%d creates", n)
	}
}

// TestASignalEndsWriting: a command whose output nobody reads brings its job home
// all the same, and ends by a signal.
func TestASignalEndsWriting(t *testing.T) {
	t.Parallel()
	for _, of := range []string{"standard output", "standard error"} {
		t.Run(of, func(t *testing.T) {
			t.Parallel()
			service := startService(t, simtest.Options{LongSide: 64})
			h := newHome(t, service.URL())
			h.run("models").wantCode(t, 0)
			from, to, err := os.Pipe()
			must(t, err)
			defer from.Close()
			for _, size := range []int{512, 1} { // until it is full
				for err = nil; err == nil; _, err = to.Write(make([]byte, size)) {
					must(t, to.SetWriteDeadline(time.Now().Add(100*time.Millisecond)))
				}
			}
			cmd := h.command(t.Context(), "image", "x", "--model", "lumen/still-1", "--yes")
			if cmd.Stdout = to; of == "standard error" {
				cmd.Stdout, cmd.Stderr = nil, to
			}
			must(t, cmd.Start())
			ended := make(chan struct{})
			go func() { _ = cmd.Wait(); close(ended) }()
			awaitService(t, &window{cmd: cmd, done: ended}, func() bool {
				if of == "standard error" { // where the price is said
					return len(ofEndpoint(service.Calls(), "estimate")) > 0
				}
				list := h.jobs()
				return len(list) == 1 && list[0].Phase == "done"
			})
			_ = cmd.Process.Signal(syscall.SIGTERM)
			limit := time.After(30 * time.Second)
			for {
				select {
				case <-ended:
				case <-limit:
					_ = cmd.Process.Kill()
					<-ended
					t.Error("it goes on after a signal")
				case <-time.After(100 * time.Millisecond): // the first may come before it is heeded
					_ = cmd.Process.Signal(syscall.SIGTERM)
					continue
				}
				break
			}
			if code := cmd.ProcessState.ExitCode(); code == 0 {
				t.Errorf("exit code %d, although its output was not read", code)
			}
		})
	}
}

// TestSettingsFileThatIsNone: a named pipe in the place of the settings file is
// not waited for; it may have named a budget, so nothing is sent.
func TestSettingsFileThatIsNone(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	h := newHome(t, service.URL())
	h.configure("")
	file := filepath.Join(h.dir, "config", "darkroom", "config.toml")
	must(t, os.Remove(file))
	must(t, syscall.Mkfifo(file, 0o600))
	h.run("jobs").wantCode(t, 0)
	h.run("image", "x", "--yes", "--model", "lumen/still-1").wantCode(t, 2)
	if n := creates(service); n != 0 {
		t.Errorf("%d creates", n)
	}
}

// TestNamesThatAreNotKnownSendNothing: a setting, or a variable of ours, that
// does not exist may have been a budget.
func TestNamesThatAreNotKnownSendNothing(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	h := newHome(t, service.URL())
	for _, c := range []struct{ settings, variable, said string }{
		{"onn_done = \"open\"\n", "DARKROOM_BUDGET", "the nearest one is on_done"},
		{"[theme]\nbudget = 5\n", "DARKROOM_BUDGET", "write budget above all lines"},
		{"", "DARKROOM_BUDGTE", "DARKROOM_BUDGTE is not a variable of darkroom, so nothing is sent: the nearest one is DARKROOM_BUDGET"},
	} {
		h.configure(c.settings)
		e := h.with(c.variable, "1000").run("image", "x", "--yes", "--model", "lumen/still-1").wantCode(t, 2)
		if !strings.Contains(e.stderr, c.said) || !strings.Contains(e.stderr, "cannot be read: nothing was sent") {
			t.Errorf("%+v: %s", c, e.stderr)
		}
	}
	if n := creates(service); n != 0 {
		t.Errorf("%d creates", n)
	}
}
