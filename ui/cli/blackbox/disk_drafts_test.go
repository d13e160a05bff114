//go:build linux

package blackbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
)

// TestSettingsWithoutADisk: the settings file stays as it was when a new
// address cannot be written to it, and takes it once it can.
func TestSettingsWithoutADisk(t *testing.T) {
	t.Parallel()
	t.Run("full", func(t *testing.T) {
		t.Parallel()
		h := newHome(t, "")
		disk := filepath.Join(h.dir, "config")
		smallDisk(t, disk, 64)
		settingsCannotBeSaved(t, h, "no space left", func() (back func()) {
			must(t, fill(disk))
			return func() { must(t, empty(disk)) }
		})
	})
	t.Run("read-only", func(t *testing.T) {
		t.Parallel()
		h := newHome(t, "")
		settingsCannotBeSaved(t, h, "read-only file system", func() (back func()) { return readOnly(t, filepath.Join(h.dir, "config")) })
	})
}

func settingsCannotBeSaved(t *testing.T, h *home, says string, turn func() (back func())) {
	t.Helper()
	service := startService(t, simtest.Options{})
	h = h.with("DARKROOM_API_KEY", "")
	file := filepath.Join(h.dir, "config", "darkroom", "config.toml")
	must(t, os.MkdirAll(filepath.Dir(file), 0o700))
	const before = "# mine\nbudget = 500\n"
	must(t, os.WriteFile(file, []byte(before), 0o600))
	back := turn()
	s := h.open(110, 34)
	s.waitFor("Service")
	s.keys(service.URL() + "<enter>")
	s.waitFor("▸ Key")
	s.keys(testKey + "<enter>")
	s.waitUntil("the settings file is said to be "+says, func(screen string) bool {
		plain := strings.NewReplacer("│", "", " ", "", "\n", "").Replace(screen) // wherever the lines break
		return strings.Contains(plain, "✕Thesettingsfile") && strings.Contains(plain, strings.ReplaceAll(says, " ", ""))
	})
	if now, err := os.ReadFile(file); err != nil || string(now) != before {
		t.Errorf("the settings file was changed: %q, %v", now, err)
	}
	back()
	s.keys("<enter>")
	s.waitFor("The key works")
	s.keys("<ctrl+q>")
	s.end()
	if now, err := os.ReadFile(file); err != nil || !strings.Contains(string(now), before) || !strings.Contains(string(now), service.URL()) {
		t.Errorf("the settings file after there was room: %q, %v", now, err)
	}
}

// TestDraftsWithoutADisk: typing goes on when drafts cannot be saved, it is
// said, what was saved before stays, and all of it is saved once it can be.
func TestDraftsWithoutADisk(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("then much more of it ", 150)
	for name, c := range map[string]struct {
		says string
		turn func(t *testing.T, s *terminal, disk string) (back func())
	}{
		"full": {"disk is full", func(t *testing.T, _ *terminal, disk string) func() {
			must(t, fill(disk))
			return func() { must(t, empty(disk)) }
		}},
		"read-only": {"he disk refused the store", func(t *testing.T, s *terminal, disk string) func() {
			needPrograms(t, "strace")
			store := filepath.Join(disk, "darkroom", "darkroom.db")
			back, err := refuseWrites(t, s.cmd.Process.Pid, "EROFS", store, store+"-wal")
			if err != nil {
				forbidden(t, "ptrace", err)
			}
			return back
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := startService(t, simtest.Options{})
			h, disk := diskHome(t, service)
			s := h.open(110, 34)
			s.t = t
			s.waitFor("Prompt")
			s.keys("the first words ")
			waitForBytes(t, disk, "the first words")
			back := c.turn(t, s, disk)
			s.keys(long)
			s.waitFor(c.says)
			again := h.open(110, 34) // another window has what was saved
			again.t = t
			again.waitFor("the first words")
			again.kill()
			back()
			s.keys("END")
			waitForBytes(t, disk, "more of it END")
			s.keys("<ctrl+q>")
			if code := s.end(); code != 0 {
				t.Errorf("exit code %d, want 0", code)
			}
			last := h.open(110, 34)
			last.t = t
			last.waitFor("more of it END")
			if n := len(service.Ledger()); n != 0 {
				t.Errorf("%d jobs were accepted", n)
			}
		})
	}
}

// waitForBytes waits until some file under a folder holds the text.
func waitForBytes(t *testing.T, dir, text string) {
	t.Helper()
	for limit := time.Now().Add(screenLimit); time.Now().Before(limit); time.Sleep(20 * time.Millisecond) {
		if len(searchTree(t, dir, []keyForm{{"text", []byte(text)}}).found) > 0 {
			return
		}
	}
	t.Fatalf("%q was not saved within %v", text, screenLimit)
}
