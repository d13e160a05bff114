//go:build linux

package blackbox

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"darkroom/api/sim/simtest"
)

// TestStoreOfAnotherKind: what is not a store of ours is kept byte for byte
// under another name, said, and nothing is sent until the person chooses.
func TestStoreOfAnotherKind(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, path string){
		"random bytes": func(t *testing.T, path string) {
			must(t, os.WriteFile(path, bytes.Repeat([]byte{0xde, 0xad, 0x00, 0x17}, 5000), 0o600))
		},
		"truncated": func(t *testing.T, path string) { must(t, os.Truncate(path, 5000)) },
		"overwritten in the middle": func(t *testing.T, path string) {
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			must(t, err)
			defer f.Close()
			_, err = f.WriteAt(bytes.Repeat([]byte("damage! "), 4096), 4096)
			must(t, err)
		},
		"of another program": func(t *testing.T, path string) { patch(t, path, 68, 0x41, 0x42, 0x43, 0x44) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := startService(t, simtest.Options{})
			h := newHome(t, service.URL())
			h.run("image", "before the damage", "--yes").wantCode(t, 0)
			path := filepath.Join(h.dir, "data", "darkroom", "darkroom.db")
			spoil(t, path)
			before, err := os.ReadFile(path)
			must(t, err)
			e := h.run("image", "x", "--yes").wantCode(t, 4)
			t.Logf("says: %s", e.stderr)
			if !strings.Contains(e.stderr, "kept") {
				t.Errorf("it does not say that the file is kept: %s", e.stderr)
			}
			if n := creates(service); n != 1 {
				t.Errorf("%d creates, want the first alone", n)
			}
			if !keptSomewhere(t, filepath.Dir(path), before) {
				t.Error("the file was not kept byte for byte")
			}
			h.run("jobs").wantCode(t, 4)                // the new, empty one is no answer
			h.run("image", "x", "--yes").wantCode(t, 4) // a restart chooses nothing
			wantDoctor(t, h, "kept as")
			s := h.open(120, 34)
			s.waitFor("Continue with a new database", "kept as")
			s.keys("<esc>")
			s.waitUntil("the question is put off", func(screen string) bool { return !strings.Contains(screen, "Continue with a new database") })
			s.keys("nothing yet")
			s.waitFor("nothing yet", "credits")
			s.keys("<ctrl+s><enter>")
			s.waitFor("kept as")
			s.keys("<ctrl+q>")
			s.end()
			if n := creates(service); n != 1 {
				t.Errorf("%d creates after a restart, want the first alone", n)
			}
			choose(t, h, name == "truncated")
			h.run("image", "after the choice", "--yes").wantCode(t, 0)
			if !keptSomewhere(t, filepath.Dir(path), before) {
				t.Error("the choice took the kept file away")
			}
			h.run("doctor", "--new-store").wantCode(t, 2) // there is nothing to choose now
		})
	}
	t.Run("zero length", func(t *testing.T) {
		t.Parallel()
		service := startService(t, simtest.Options{})
		h := newHome(t, service.URL())
		dir := filepath.Join(h.dir, "data", "darkroom")
		must(t, os.MkdirAll(dir, 0o700))
		must(t, os.WriteFile(filepath.Join(dir, "darkroom.db"), nil, 0o644))
		h.run("image", "x", "--yes").wantCode(t, 0) // as a new one: nothing was in it
	})
	t.Run("newer", func(t *testing.T) {
		t.Parallel()
		service := startService(t, simtest.Options{})
		h := newHome(t, service.URL())
		h.run("image", "made by a newer one", "--yes").wantCode(t, 0)
		path := filepath.Join(h.dir, "data", "darkroom", "darkroom.db")
		patch(t, path, 60, 0, 0, 3, 0x84) // user_version 900
		before, err := os.ReadFile(path)
		must(t, err)
		e := h.run("image", "x", "--yes").wantCode(t, 4)
		if !strings.Contains(e.stderr, "newer") {
			t.Errorf("says: %s", e.stderr)
		}
		if jobs := h.jobs(); len(jobs) != 1 {
			t.Errorf("the newer store shows %d jobs, want 1", len(jobs))
		}
		after, err := os.ReadFile(path)
		must(t, err)
		if !bytes.Equal(before, after) {
			t.Error("the newer store was changed")
		}
		wantDoctor(t, h, "newer")
		h.run("doctor", "--new-store").wantCode(t, 0)
		h.run("image", "after the choice", "--yes").wantCode(t, 0)
		if !keptSomewhere(t, filepath.Dir(path), before) {
			t.Error("the newer file was not kept byte for byte")
		}
	})
	t.Run("damaged on a full disk", func(t *testing.T) {
		t.Parallel()
		service := startService(t, simtest.Options{})
		h, disk := diskHome(t, service)
		path := filepath.Join(disk, "darkroom", "darkroom.db")
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		before := bytes.Repeat([]byte("not a store "), 9000)
		must(t, os.WriteFile(path, before, 0o600))
		must(t, fill(disk))
		e := h.run("image", "x", "--yes").wantCode(t, 4)
		t.Logf("says: %s", e.stderr)
		must(t, empty(disk))
		h.run("image", "x", "--yes").wantCode(t, 4) // it asks still
		wantDoctor(t, h, "kept as")
		if n := creates(service); n != 0 {
			t.Errorf("%d creates beside a damaged store", n)
		}
		if !keptSomewhere(t, filepath.Dir(path), before) {
			t.Error("the file was not kept byte for byte")
		}
	})
}

// choose goes on with a new store, on screen or by command.
func choose(t *testing.T, h *home, screen bool) {
	t.Helper()
	if !screen {
		h.run("doctor", "--new-store").wantCode(t, 0)
		return
	}
	s := h.open(120, 34)
	s.t = t
	s.waitFor("Continue with a new database")
	s.keys("y")
	s.waitFor("A new database is in use")
	s.keys("<ctrl+q>")
	s.end()
}

// wantDoctor wants the doctor to find the store unwell, in these words, and to
// say how to go on.
func wantDoctor(t *testing.T, h *home, words string) {
	t.Helper()
	e := h.run("doctor").wantCode(t, 1)
	for _, line := range strings.SplitAfter(e.stdout, "\n") {
		if strings.HasPrefix(line, "✗ store") {
			if strings.Contains(line, words) && strings.Contains(e.stdout, "doctor --new-store") {
				return
			}
		}
	}
	t.Errorf("the doctor says nothing of %q:\n%s", words, e.stdout)
}

func patch(t *testing.T, path string, at int64, content ...byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	defer f.Close()
	_, err = f.WriteAt(content, at)
	must(t, err)
}

func keptSomewhere(t *testing.T, dir string, content []byte) bool {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		f, err := os.Open(filepath.Join(dir, e.Name()))
		if err != nil {
			continue
		}
		got, _ := io.ReadAll(f)
		f.Close()
		if bytes.Equal(got, content) && e.Name() != "darkroom.db" {
			return true
		}
	}
	return false
}
