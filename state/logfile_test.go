package state

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"darkroom/api"
	"darkroom/api/sim"
)

// TestLog: off by default; on, a line for every call, from several windows,
// without the key, in a file that only its owner reads.
func TestLog(t *testing.T) {
	t.Parallel()
	service := startSim(t, sim.Options{TimeScale: 0.01, LongSide: 64})
	dir := t.TempDir()
	o, _ := testOptions(t, dir, service.URL())
	o.Settings.StateDir = filepath.Join(dir, "state")
	quiet := openSession(t, o)
	if err := quiet.AwaitKey(limited(t)); err != nil {
		t.Fatal(err)
	}
	quiet.Models(limited(t))
	if _, err := os.Stat(o.Settings.LogPath()); err == nil {
		t.Fatal("it logs without being asked to")
	}
	o.Settings.Log = true
	a, b := openSession(t, o), openSession(t, o)
	for _, s := range []*Session{a, b} {
		if err := s.AwaitKey(limited(t)); err != nil {
			t.Fatal(err)
		}
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

func TestLogTurnsOverAndKeepsLines(t *testing.T) {
	t.Parallel()
	key, err := api.ParseKey("ak_Zq7vT2mXw9Kd4RbYh")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "state", "darkroom.log")
	l := &logFile{path: path, most: 4000, key: key}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 25 {
				l.printf("a call\nwith %s and ak_another_key_000000", key.Reveal())
			}
		})
	}
	all.Wait()
	now, old := must(os.ReadFile(path))(t), must(os.ReadFile(path+".old"))(t)
	for _, text := range []string{string(now), string(old)} {
		for line := range strings.Lines(text) {
			if !strings.HasSuffix(line, "Z a call with ak_…RbYh and ak_…\n") {
				t.Fatalf("the line %q", line)
			}
		}
		if int64(len(text)) > l.most+200 {
			t.Errorf("%d bytes", len(text))
		}
	}
	// A link in its place is set aside, not written through.
	target := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Skip("no symbolic links here")
	}
	l.printf("x")
	if _, err := os.Stat(target); err == nil {
		t.Error("it wrote through a link")
	}
}
