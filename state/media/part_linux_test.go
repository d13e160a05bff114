package media

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// A process that is forked during a download has a copy of the part's handle, and
// with it of the lock, until it runs its program. The part is removed all the same.
func TestPartIsRemovedDespiteAForkedHandle(t *testing.T) {
	t.Parallel()
	var copied atomic.Int64
	copied.Store(-1)
	var f *Fetcher
	f, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		w.Write(pngBytes[:100])
		w.(http.Flusher).Flush()
		handles, _ := os.ReadDir("/proc/self/fd")
		for _, h := range handles {
			path, err := os.Readlink(filepath.Join("/proc/self/fd", h.Name()))
			if err != nil || filepath.Dir(path) != f.dir || !strings.HasSuffix(path, partEnd) {
				continue
			}
			n, _ := strconv.Atoi(h.Name())
			twin, err := syscall.Dup(n)
			if err != nil {
				t.Error(err)
			}
			copied.Store(int64(twin))
		}
	})
	if _, err := f.Fetch(t.Context(), want(base+"/x")); err == nil {
		t.Error("a cut download was taken")
	}
	if copied.Load() < 0 {
		t.Fatal("the handle was not found")
	}
	defer syscall.Close(int(copied.Load()))
	wantFolder(t, f)
}
