//go:build linux

package blackbox

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"darkroom/api/sim/simtest"
)

// readOnly makes a folder read-only for everybody, root too, until the test
// ends or back is called.
func readOnly(t *testing.T, dir string) (back func()) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o700))
	if err := unix.Mount(dir, dir, "", unix.MS_BIND, ""); err != nil {
		forbidden(t, "bind mounts", err)
	}
	undo := func() { _ = unix.Unmount(dir, unix.MNT_DETACH) }
	if err := unix.Mount("", dir, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		undo()
		forbidden(t, "read-only mounts", err)
	}
	t.Cleanup(undo)
	return undo
}

// TestReadOnlyHome: the program runs, shows what it has, sends nothing and
// says why; results that cannot be written are fetched later.
func TestReadOnlyHome(t *testing.T) {
	t.Parallel()
	t.Run("from the start", func(t *testing.T) {
		service, h := begin(t, simtest.Options{})
		back := readOnly(t, h.dir)
		e := h.run("image", "x", "--yes").wantCode(t, 4)
		t.Logf("says: %s", e.stderr)
		h.run("models").wantCode(t, 0)
		h.run("jobs").wantCode(t, 0)
		h.run("doctor").wantCode(t, 1).prints(t, "✗ store", "writable")
		s := h.open(100, 30)
		s.waitFor("/ 5,000")
		s.keys("nothing is sent")
		s.waitFor("nothing is sent", "credits")
		s.keys("<ctrl+s><enter>")
		s.waitFor("writ") // writable, written
		s.quit()
		wantCreates(t, service, 0)
		back()
		h.run("image", "x", "--yes").wantCode(t, 0)
	})
	t.Run("with jobs", func(t *testing.T) {
		service, h := begin(t, simtest.Options{})
		h.run("image", "made before", "--yes").wantCode(t, 0)
		back := readOnly(t, h.dir)
		if jobs := h.jobs(); len(jobs) != 1 || jobs[0].Phase != "done" {
			t.Errorf("the job is not shown: %+v", jobs)
		}
		h.run("image", "x", "--yes").wantCode(t, 4)
		s := h.open(110, 30)
		s.keys("<alt+2>")
		s.waitFor("made before")
		s.quit()
		wantCreates(t, service, 1)
		back()
		h.run("image", "x", "--yes").wantCode(t, 0)
	})
}

// TestDownloadsTurnReadOnly: the result is fetched later, and the job is not
// made again.
func TestDownloadsTurnReadOnly(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	pictures := filepath.Join(h.dir, "pictures")
	readOnly(t, pictures)() // skips where that is not possible
	var back func()
	service.AddFault(simtest.Fault{Endpoint: "create", Count: 1, Do: "before-status", Then: func() { back = readOnly(t, pictures) }})
	e := h.run("image", "x", "--yes", "--json").wantCode(t, 1)
	got := document[job](t, e)
	if got.Phase != "failed" || got.Error == nil || !strings.Contains(*got.Error, "Fetch it again") {
		t.Fatalf("the job: %s", e.stdout)
	}
	t.Logf("says: %s", *got.Error)
	noWrongFiles(t, pictures)
	back()
	h.run("fetch", got.ID).wantCode(t, 0)
	sameAsServed(t, service, h.jobs()[0])
	wantCreates(t, service, 1)
}

// refuseWrites makes every write of a running program to the files fail, as
// after an error of the disk, until the returned function is called.
func refuseWrites(t *testing.T, pid int, errno string, paths ...string) (back func(), err error) {
	args := []string{"-f", "-o", "/dev/null", "-p", strconv.Itoa(pid)}
	for _, path := range paths {
		args = append(args, "-P", path)
	}
	const calls = "pwrite64,write,ftruncate,fallocate"
	args = append(args, "-e", "trace="+calls, "-e", "inject="+calls+":error="+errno)
	cmd := exec.Command("strace", args...)
	said, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var heard strings.Builder
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		fmt.Fprintln(&heard, lines.Text())
		if strings.Contains(lines.Text(), "attached") {
			go func() { _, _ = io.Copy(io.Discard, said) }()
			return func() { _ = cmd.Process.Signal(os.Interrupt); _ = cmd.Wait() }, nil
		}
	}
	_ = cmd.Wait()
	if strings.Contains(heard.String(), "not permitted") {
		return nil, fmt.Errorf("%w: %s", unix.EPERM, &heard)
	}
	return nil, errors.New(heard.String())
}

// TestDiskRefuses: the store's disk turns read-only or full under the running
// program. It needs no mounts.
func TestDiskRefuses(t *testing.T) {
	t.Parallel()
	needPrograms(t, "strace")
	for name, c := range map[string]struct {
		errno    string
		moment   simtest.Fault
		accepted int
		codes    []int
	}{
		"read-only before the intent": {"EROFS", simtest.Fault{Endpoint: "estimate", Count: 1, Do: "before-status"}, 0, []int{4}},
		"read-only before the answer": {"EROFS", simtest.Fault{Endpoint: "create", Count: 1, Do: "before-status"}, 1, []int{4}},
		"read-only before the result": {"EROFS", simtest.Fault{Endpoint: "result", Count: 1, Do: "at-headers"}, 1, []int{1, 7}},
		"full before the intent":      {"ENOSPC", simtest.Fault{Endpoint: "estimate", Count: 1, Do: "before-status"}, 0, []int{4}},
		"full before the answer":      {"ENOSPC", simtest.Fault{Endpoint: "create", Count: 1, Do: "before-status"}, 1, []int{4}},
	} {
		t.Run(name, func(t *testing.T) {
			service, h := begin(t, simtest.Options{})
			h.run("jobs").wantCode(t, 0)
			store := filepath.Join(h.dir, "data", "darkroom", "darkroom.db")
			patience := map[bool]string{true: "5s", false: "1s"}[c.moment.Endpoint == "result"] // which has to be reached in it
			cmd := h.command(t.Context(), "image", "x", "--yes", "--timeout", patience)
			var out, errs strings.Builder
			cmd.Stdout, cmd.Stderr = &out, &errs
			type turn struct {
				back func()
				err  error
			}
			turned := make(chan turn, 1)
			c.moment.Then = func() {
				back, err := refuseWrites(t, cmd.Process.Pid, c.errno, store, store+"-wal")
				turned <- turn{back, err}
			}
			service.AddFault(c.moment)
			must(t, cmd.Start())
			_ = cmd.Wait()
			var how turn
			select {
			case how = <-turned:
			default:
				t.Fatalf("the moment never came\n%s%s", &out, &errs)
			}
			if how.err != nil {
				forbidden(t, "ptrace", how.err)
			}
			how.back()
			code := cmd.ProcessState.ExitCode()
			t.Logf("exit code %d, says: %s", code, &errs)
			if !slices.Contains(c.codes, code) {
				t.Errorf("exit code %d, want one of %v", code, c.codes)
			}
			if n := len(service.Ledger()); n != c.accepted || creates(service) != c.accepted {
				t.Errorf("%d creates, %d accepted, want %d", creates(service), n, c.accepted)
			}
			for _, entry := range service.Ledger() {
				if strings.HasSuffix(name, "before the answer") && !strings.Contains(errs.String(), entry.ID) {
					t.Errorf("the id %s of an accepted job was not given", entry.ID)
				}
			}
			checkNothingLost(t, h, service)
			finishAll(t, h, service)
		})
	}
}

// finishAll does what a person does once there is a disk again, and looks at
// what is there then: each accepted job with its result, once.
func finishAll(t *testing.T, h *home, service *simtest.Server) {
	t.Helper()
	accepted := service.Ledger()
	for _, j := range h.jobs() {
		if j.Phase == "unknown" && len(accepted) == 1 {
			h.run("job", j.ID, "--attach", accepted[0].ID).wantCode(t, 0)
		}
		if len(accepted) == 1 {
			h.run("wait", j.ID)
			h.run("fetch", j.ID).wantCode(t, 0)
			sameAsServed(t, service, h.jobs()[0])
		}
	}
	if n := creates(service); n != len(accepted) || n > 1 {
		t.Errorf("%d creates, %d accepted", n, len(accepted))
	}
	names := simtest.Must(filepath.Glob(filepath.Join(h.dir, "pictures", "*")))(t)
	if len(names) != 2*len(accepted) {
		t.Errorf("%d files for %d results, want each with its recipe: %v", len(names), len(accepted), names)
	}
}

// checkNothingLost: each job that the service accepted is in the store by its
// id, or by one whose outcome is said to be unknown.
func checkNothingLost(t *testing.T, h *home, service *simtest.Server) {
	t.Helper()
	jobs := h.jobs()
	accepted := service.Ledger()
	if len(accepted) > 1 || creates(service) > 1 {
		t.Errorf("sent %d times, accepted %d", creates(service), len(accepted))
	}
	for _, entry := range accepted {
		found := false
		for _, j := range jobs {
			found = found || j.RemoteID != nil && *j.RemoteID == entry.ID || j.Phase == "unknown"
		}
		if !found {
			t.Errorf("the accepted job %s is lost: %+v", entry.ID, jobs)
		}
	}
}
