package remote

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"darkroom/api"
)

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
	now, err := os.ReadFile(path)
	old, oldErr := os.ReadFile(path + ".old")
	if err := errors.Join(err, oldErr); err != nil {
		t.Fatal(err)
	}
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
