package state

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"darkroom/api/sim/simtest/expect"
	"darkroom/state/store"
)

// TestATurnEndsDespiteAForkedHandle: until a process that is forked during a turn runs its program,
// it has a copy of the lock file's handle.
func TestATurnEndsDespiteAForkedHandle(t *testing.T) {
	t.Parallel()
	lock := filepath.Join(t.TempDir(), "create.lock")
	turn := must(newTurns(filepath.Dir(lock), 1, 1, kept).acquire(t.Context(), quick, func(time.Time) {}))(t)
	copied := false
	for _, h := range must(os.ReadDir("/proc/self/fd"))(t) {
		if path, _ := os.Readlink("/proc/self/fd/" + h.Name()); path == lock {
			twin := must(syscall.Dup(must(strconv.Atoi(h.Name()))(t)))(t)
			defer syscall.Close(twin)
			copied = true
			break
		}
	}
	turn.Release()
	next := must(store.OpenLock(lock, os.O_RDWR))(t)
	defer next.Close()
	expect.All(t, "true true", copied, must(store.TryLock(next))(t))
}
