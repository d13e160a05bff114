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
	"time"

	"darkroom/state/store"
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
			if err != nil || filepath.Dir(path) != f.Dir || !strings.HasSuffix(path, partEnd) {
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

// TestNothingWaitsAtANamedPipe: a named pipe that stands in the place of a file
// of ours is not opened, which would wait for a writer for ever.
func TestNothingWaitsAtANamedPipe(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "a.png")
	noError(t, syscall.Mkfifo(pipe, 0o600))
	f := New(Options{Dir: t.TempDir()})
	inside := want("")
	inside.Result.File = pipe
	ended := make(chan string, 2)
	go func() {
		if Intact(t.Context(), store.File{Path: pipe}) {
			t.Error("a pipe is taken for the saved file")
		}
		ended <- "Intact"
		if _, err := f.Fetch(t.Context(), inside); err == nil {
			t.Error("a pipe is taken for a result inside an answer")
		}
		ended <- "Fetch"
	}()
	for _, name := range []string{"Intact", "Fetch"} {
		select {
		case <-ended:
		case <-time.After(time.Minute):
			t.Fatalf("%s waits at the pipe", name)
		}
	}
}

// TestRevealShowsTheFolder with the system's opener, and says so where there is none.
func TestRevealShowsTheFolder(t *testing.T) { // not parallel: it sets PATH
	file := saved(t, "boat.png")
	program, record := recorderProgram(t, "0")
	t.Setenv("PATH", filepath.Dir(program))
	for what, err := range map[string]error{"open": Open(t.Context(), "", "", file), "reveal": Reveal(t.Context(), file)} {
		if err == nil || !strings.Contains(err.Error(), "xdg-open is not there") {
			t.Errorf("%s: %v", what, err)
		}
	}
	noError(t, os.Rename(program, filepath.Join(filepath.Dir(program), "xdg-open")))
	noError(t, Reveal(t.Context(), file))
	if text := recorded(t, record); !strings.HasPrefix(text, "1\n"+filepath.Dir(file)+"\n") {
		t.Errorf("the program saw %q", text)
	}
}

// TestPaste saves what the clipboard's program writes, once, and nothing that is no picture.
func TestPaste(t *testing.T) {
	bin, dir := t.TempDir(), filepath.Join(t.TempDir(), "results")
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("WAYLAND_DISPLAY", "")
	now := time.Date(2026, 3, 1, 14, 15, 0, 0, time.Local)
	says := func(script string) (string, error) {
		noError(t, os.WriteFile(filepath.Join(bin, "xclip"), []byte("#!/bin/sh\n"+script), 0o700))
		return Paste(t.Context(), dir, now)
	}
	for range 2 { // the second is the same one
		path, err := says(`[ "$*" = "-selection clipboard -t image/png -o" ] && printf '\211PNG\r\n\032\nrest'`)
		text, _ := os.ReadFile(path)
		if err != nil || path != filepath.Join(dir, "pasted-20260301-141500.png") || string(text) != "\x89PNG\r\n\x1a\nrest" {
			t.Errorf("pasted as %s, %q, %v", path, text, err)
		}
	}
	for _, script := range []string{"echo no target", "exit 1", `printf '\211PNG\r\n\032\n'; head -c 70000000 /dev/zero`} {
		if path, err := says(script); err == nil {
			t.Errorf("%s was saved as %s", script, path)
		}
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 1 {
		t.Errorf("the folder has %d files, %v", len(all), err)
	}
}
