//go:build linux

package blackbox

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"darkroom/api/sim/simtest"
)

// TestALockFolderIsDeletedDuringACreate: another command does not take the live
// sender for dead, and the sender keeps its outcome.
func TestALockFolderIsDeletedDuringACreate(t *testing.T) {
	t.Parallel()
	called, looked := make(chan struct{}), make(chan struct{})
	service := startService(t, simtest.Options{TimeScale: endless, Faults: []simtest.Fault{
		{Endpoint: "create", Do: "before-status", Then: func() { close(called); <-looked }},
	}})
	look := sync.OnceFunc(func() { close(looked) })
	defer look()
	h := newHome(t, service.URL()).with("DARKROOM_TIME_SCALE", "1")
	cmd := h.command(t.Context(), "image", "x", "--model", "lumen/still-1", "--yes", "--json", "--no-wait")
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	must(t, cmd.Start())
	<-called
	removed := 0
	err := filepath.WalkDir(h.dir, func(path string, _ os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".lock") {
			removed++
			return os.Remove(path)
		}
		return err
	})
	if err != nil || removed < 2 {
		t.Fatalf("%d lock files removed: %v", removed, err)
	}
	if j := h.jobs()[0]; j.Phase != "sending" {
		t.Errorf("another command made it %s", j.Phase)
	}
	look()
	if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), `"queued"`) {
		t.Errorf("%v: %s%s", err, &out, &errs)
	}
}
