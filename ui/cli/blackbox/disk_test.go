//go:build linux

package blackbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"darkroom/api/sim/simtest"
)

// forbidden skips what the machine does not let a test do, by name.
func forbidden(t *testing.T, what string, err error) {
	t.Helper()
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOSYS) {
		t.Skipf("NOT TESTED: this machine forbids %s (%v)", what, err)
	}
	t.Fatalf("%s: %v", what, err)
}

// smallDisk mounts a disk of so many KiB at a folder until the test ends.
func smallDisk(t *testing.T, dir string, kib int) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dk,mode=0700", kib)); err != nil {
		forbidden(t, "mounting", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
}

// fill writes until nothing more fits; empty gives the room back.
func fill(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, "ballast"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	for size := 1 << 16; size >= 1; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			if !errors.Is(err, syscall.ENOSPC) {
				return err
			}
			size /= 2
		}
	}
	return nil
}

func empty(dir string) error { return os.Remove(filepath.Join(dir, "ballast")) }

// diskHome has its store on a small disk.
func diskHome(t *testing.T, service *simtest.Server) (h *home, disk string) {
	t.Helper()
	h = newHome(t, service.URL())
	disk = filepath.Join(h.dir, "data")
	smallDisk(t, disk, 1024)
	return h, disk
}

// TestFullDisk fills the disk at six moments of a job's life. Nothing is sent
// without a durable intent, and what was accepted is never lost.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	t.Run("store cannot be made", func(t *testing.T) {
		t.Parallel()
		service := startService(t, simtest.Options{})
		h, disk := diskHome(t, service)
		must(t, fill(disk))
		e := h.run("image", "x", "--yes").wantCode(t, 4)
		if creates(service) != 0 {
			t.Error("a create was sent without a store")
		}
		t.Logf("says: %s", e.stderr)
		must(t, empty(disk))
		h.run("image", "x", "--yes").wantCode(t, 0)
	})
	t.Run("intent cannot be recorded", func(t *testing.T) {
		t.Parallel()
		service := startService(t, simtest.Options{})
		h, disk := diskHome(t, service)
		h.run("jobs").wantCode(t, 0)
		service.AddFault(simtest.Fault{Endpoint: "estimate", Count: 1, Do: "before-status", Then: func() { _ = fill(disk) }})
		// longer than what the log's last page still takes
		e := h.run("image", strings.Repeat("a long prompt ", 300), "--yes").wantCode(t, 4)
		if creates(service) != 0 {
			t.Error("a create was sent without an intent")
		}
		t.Logf("says: %s", e.stderr)
		must(t, empty(disk))
		if jobs := h.jobs(); len(jobs) != 0 {
			t.Errorf("%d jobs were recorded", len(jobs))
		}
		h.run("image", "x", "--yes").wantCode(t, 0)
	})
	t.Run("answer cannot be saved", func(t *testing.T) { t.Parallel(); fullAtAnswer(t) })
	t.Run("a command is killed before its answer is saved", func(t *testing.T) {
		t.Parallel()
		service := startService(t, simtest.Options{})
		h, disk := diskHome(t, service)
		service.AddFault(simtest.Fault{Endpoint: "create", Count: 1, Do: "before-status",
			Header: map[string][]string{"X-Padding": {strings.Repeat("p", 6000)}}, Then: func() { _ = fill(disk) }})
		s := h.open(240, 12, "image", "x", "--model", "lumen/still-1", "--yes")
		s.waitFor("note its id")
		s.waitFor(service.Ledger()[0].ID)
		s.kill()
	})
	t.Run("answer cannot be saved at once", func(t *testing.T) {
		t.Parallel()
		service := startService(t, simtest.Options{})
		h, disk := diskHome(t, service)
		service.AddFault(simtest.Fault{Endpoint: "create", Count: 1, Do: "before-status",
			Header: map[string][]string{"X-Padding": {strings.Repeat("p", 6000)}},
			Then: func() {
				_ = fill(disk)
				time.AfterFunc(300*time.Millisecond, func() { _ = empty(disk) })
			}})
		h.run("image", "x", "--yes").wantCode(t, 0)
		jobs := h.jobs()
		if len(jobs) != 1 || jobs[0].Phase != "done" || creates(service) != 1 {
			t.Errorf("%d creates, jobs %+v", creates(service), jobs)
		}
	})
	t.Run("result cannot be written", func(t *testing.T) {
		t.Parallel()
		service := startService(t, simtest.Options{})
		h := newHome(t, service.URL())
		pictures := filepath.Join(h.dir, "pictures")
		smallDisk(t, pictures, 64)
		service.AddFault(simtest.Fault{Endpoint: "create", Count: 1, Do: "before-status", Then: func() { _ = fill(pictures) }})
		e := h.run("image", "x", "--yes", "--json").wantCode(t, 1)
		got := document[job](t, e)
		if got.Phase != "failed" || got.Error == nil || got.RemoteID == nil {
			t.Fatalf("the job: %s", e.stdout)
		}
		t.Logf("says: %s", *got.Error)
		noWrongFiles(t, pictures)
		must(t, unix.Unmount(pictures, unix.MNT_DETACH))
		h.run("fetch", got.ID).wantCode(t, 0)
		sameAsServed(t, service, h.jobs()[0])
		if n := creates(service); n != 1 {
			t.Errorf("%d creates, want 1", n)
		}
	})
}

// noWrongFiles: nothing but ballast and parts in the downloads folder.
func noWrongFiles(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		if e.Name() != "ballast" && !strings.HasSuffix(e.Name(), ".part") {
			t.Errorf("%s lies under a final name", e.Name())
		}
	}
}

// fullAtAnswer: the disk is full when the accepted job's id comes. The screens
// show it, hold on to it, and save it once there is room.
func fullAtAnswer(t *testing.T) {
	service := startService(t, simtest.Options{TimeScale: 0.05})
	h, disk := diskHome(t, service)
	h.configure("on_done = \"nothing\"\n") // the picture of what is done would hide its row
	s := h.open(120, 36)
	s.waitFor("/ 5,000", "credits")
	service.AddFault(simtest.Fault{Endpoint: "create", Count: 1, Do: "before-status", Then: func() { _ = fill(disk) },
		Header: map[string][]string{"X-Padding": {strings.Repeat("p", 6000)}}})
	s.submit("the disk fills up")
	s.toJobs()
	s.waitFor("not saved")
	ledger := service.Ledger()
	if len(ledger) != 1 {
		t.Fatalf("the service accepted %d jobs, want 1", len(ledger))
	}
	s.waitFor(ledger[0].ID)
	s.keys("<ctrl+q>")
	s.waitFor("Quit now?", "could not take")
	s.keys("<esc>")
	s.waitUntil("the question is closed", func(screen string) bool { return !strings.Contains(screen, "Quit now?") })
	must(t, empty(disk))
	s.waitUntil("the job is done and saved", func(screen string) bool {
		return strings.Contains(screen, "● done") && !strings.Contains(screen, "not saved")
	})
	s.keys("<ctrl+q>")
	s.end()
	jobs := h.jobs()
	if len(jobs) != 1 || jobs[0].Phase != "done" || jobs[0].RemoteID == nil || *jobs[0].RemoteID != ledger[0].ID {
		t.Errorf("after there was room: %+v", jobs)
	}
	if n := creates(service); n != 1 {
		t.Errorf("%d creates, want 1", n)
	}
}
