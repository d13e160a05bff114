package state

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"darkroom/api/sim/simtest"
)

// TestLog: off by default; on, a line for every call, from several windows,
// without the key, in a file that only its owner reads.
func TestLog(t *testing.T) {
	t.Parallel()
	service := simtest.Run(t, simtest.Options{TimeScale: 0.01, LongSide: 64})
	dir := t.TempDir()
	o, _ := testOptions(t, dir, service.URL())
	o.Settings.StateDir = filepath.Join(dir, "state")
	quiet := openSession(t, o)
	noError(t, quiet.Remote.AwaitKey(limited(t)))
	quiet.Models(limited(t))
	if _, err := os.Stat(o.Settings.LogPath()); err == nil {
		t.Fatal("it logs without being asked to")
	}
	o.Settings.Log = true
	a, b := openSession(t, o), openSession(t, o)
	for _, s := range []*Session{a, b} {
		noError(t, s.Remote.AwaitKey(limited(t)))
		s.Models(limited(t))
	}
	raw := must(os.ReadFile(o.Settings.LogPath()))(t)
	if n := strings.Count(string(raw), "GET /api/v1/models · - · status 200"); n != 2 {
		t.Errorf("%d lines of the calls in %q", n, raw)
	}
	if strings.Contains(string(raw), o.Settings.EnvKey) || o.Settings.EnvKey == "" {
		t.Errorf("the key stands in the log: %q", raw)
	}
	if info, err := os.Stat(o.Settings.LogPath()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}
