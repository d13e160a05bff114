package media

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestFetchResumesOnAStrongValidatorOnly(t *testing.T) {
	t.Parallel()
	for etag, resumes := range map[string]bool{`"strong"`: true, `W/"weak"`: false, "": false} {
		var ranges []string
		f, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
			ranges = append(ranges, r.Header.Get("Range")+r.Header.Get("If-Range"))
			if etag != "" {
				w.Header().Set("ETag", etag)
			}
			if len(ranges) == 1 {
				w.Header().Set("Content-Length", strconv.Itoa(len(pngBytes)))
				w.Write(pngBytes[:50000])
				return // and the rest never comes
			}
			http.ServeContent(w, r, "x.png", time.Time{}, bytes.NewReader(pngBytes))
		})
		if _, err := f.Fetch(t.Context(), want(base+"/x")); err == nil {
			t.Fatal("a cut download was taken")
		}
		if kept := len(folder(t, f)) == 1; kept != resumes {
			t.Errorf("ETag %s: part kept %v, want %v", etag, kept, resumes)
		}
		got, err := f.Fetch(t.Context(), want(base+"/x"))
		sum := sha256.Sum256(pngBytes)
		if err != nil || got.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("ETag %s: got %+v, %v", etag, got, err)
		}
		if asked := strings.HasPrefix(ranges[1], "bytes=") && strings.HasSuffix(ranges[1], etag); asked != resumes {
			t.Errorf("ETag %s: second call asked %q", etag, ranges[1])
		}
		wantFolder(t, f, "20260301-harbour-at-dawn-k3v9q2mx-1.png")
	}
}

func TestFetchTakesAChangedFileAsAWhole(t *testing.T) {
	t.Parallel()
	other := append([]byte("GIF89a"), bytes.Repeat([]byte("z"), 70000)...)
	calls := 0
	f, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if calls++; calls == 1 {
			w.Header().Set("ETag", `"one"`)
			w.Header().Set("Content-Length", strconv.Itoa(len(pngBytes)))
			w.Write(pngBytes[:50000])
			return
		}
		w.Header().Set("ETag", `"two"`)
		http.ServeContent(w, r, "x", time.Time{}, bytes.NewReader(other))
	})
	f.Fetch(t.Context(), want(base+"/x"))
	got, err := f.Fetch(t.Context(), want(base+"/x"))
	saved, _ := os.ReadFile(got.Path)
	if err != nil || got.MediaType != "image/gif" || !bytes.Equal(saved, other) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// A rest that does not begin where the part ends is not appended.
func TestFetchResumesAtTheSameByteOnly(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]int{"overlapping": 49990, "with a gap": 50010} {
		var calls atomic.Int32
		f, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"one"`)
			switch calls.Add(1) {
			case 1:
				w.Header().Set("Content-Length", strconv.Itoa(len(pngBytes)))
				w.Write(pngBytes[:50000])
			case 2:
				w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", begin, len(pngBytes)-1, len(pngBytes)))
				w.WriteHeader(http.StatusPartialContent)
				w.Write(pngBytes[begin:])
			default:
				w.Write(pngBytes)
			}
		})
		if _, err := f.Fetch(t.Context(), want(base+"/x")); err == nil {
			t.Fatalf("%s: the cut download was taken", name)
		}
		got, err := f.Fetch(t.Context(), want(base+"/x"))
		saved, _ := os.ReadFile(got.Path)
		if err != nil || !bytes.Equal(saved, pngBytes) || calls.Load() != 3 {
			t.Errorf("%s: %d bytes of %d after %d calls, %v", name, len(saved), len(pngBytes), calls.Load(), err)
		}
	}
}

func TestFetchClearsWhatAKilledProcessLeft(t *testing.T) {
	t.Parallel()
	f, base := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Write(pngBytes) })
	noError(t, os.MkdirAll(f.dir, 0o700))
	part := filepath.Join(f.dir, partName(job, 1))
	noError(t, os.WriteFile(part, bytes.Repeat([]byte("old"), 100000), 0o600))
	got := must(f.Fetch(t.Context(), want(base+"/x")))(t)
	if saved, _ := os.ReadFile(got.Path); !bytes.Equal(saved, pngBytes) {
		t.Error("the old part's bytes got into the file")
	}
	// Killed between the two names: the part leads to the result.
	noError(t, os.Link(got.Path, part))
	if again, err := f.Fetch(t.Context(), want(base+"/x")); err != nil || again != got {
		t.Errorf("got %+v, %v", again, err)
	}
	wantFolder(t, f, filepath.Base(got.Path))

	// The same, and the person has moved the result to another name since.
	mine := filepath.Join(f.dir, "mine.png")
	noError(t, errors.Join(os.Link(got.Path, part), os.Rename(got.Path, mine)))
	must(f.Fetch(t.Context(), want(base+"/x")))(t)
	if saved, _ := os.ReadFile(mine); !bytes.Equal(saved, pngBytes) {
		t.Error("the person's file was changed")
	}
	wantFolder(t, f, filepath.Base(got.Path), "mine.png")
}

func TestFetchOverwritesNothingAndFollowsNoLink(t *testing.T) {
	t.Parallel()
	f, base := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Write(pngBytes) })
	outside := filepath.Join(t.TempDir(), "precious")
	name := filepath.Join(f.dir, fileName("", want(""), 0, ".png"))
	err := errors.Join(os.MkdirAll(f.dir, 0o700), os.WriteFile(outside, []byte("mine"), 0o600),
		os.Symlink(outside, name), os.Symlink(outside, filepath.Join(f.dir, partName(job, 1))))
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.Fetch(t.Context(), want(base+"/x"))
	if err != nil || got.Path == name {
		t.Errorf("got %+v, %v", got, err)
	}
	if kept, _ := os.ReadFile(outside); string(kept) != "mine" {
		t.Errorf("a file outside the folder was changed to %d bytes", len(kept))
	}
	if again, err := f.Fetch(t.Context(), want(base+"/x")); err != nil || again != got {
		t.Errorf("second fetch: %+v, %v; want %+v", again, err, got)
	}
}

func TestFetchLeavesAnotherWindowAlone(t *testing.T) {
	t.Parallel()
	started, finish := make(chan struct{}), make(chan struct{})
	f, base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Write(pngBytes[:100])
		w.(http.Flusher).Flush()
		close(started)
		<-finish
		w.Write(pngBytes[100:])
	})
	other := New(Options{Base: f.base, Dir: f.dir})
	done := make(chan error, 1)
	go func() { _, err := f.Fetch(context.Background(), want(base+"/x")); done <- err }()
	<-started
	if _, err := other.Fetch(t.Context(), want(base+"/x")); !errors.Is(err, ErrBusy) {
		t.Errorf("the second window got %v, want ErrBusy", err)
	}
	close(finish)
	if err := <-done; err != nil {
		t.Errorf("the first window got %v", err)
	}
	wantFolder(t, f, "20260301-harbour-at-dawn-k3v9q2mx-1.png")
}

// A part that was taken over while its window was stopped is not published by it,
// wherever it was stopped: the part of the other window stays.
func TestPartThatWasTakenOver(t *testing.T) {
	t.Parallel()
	root := must(os.OpenRoot(t.TempDir()))(t)
	defer root.Close()
	old := must(openPart(root, "x.part", false))(t)
	defer old.close()
	if _, err := openPart(root, "x.part", false); !errors.Is(err, ErrBusy) {
		t.Fatalf("a second one: %v", err)
	}
	fresh := must(openPart(root, "x.part", true))(t)
	defer fresh.close()
	if err := publishAs(root, old, "x.png"); !errors.Is(err, errTakenAway) {
		t.Errorf("the old one is published: %v", err)
	}
	if _, err := root.Stat("x.png"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("x.png is there: %v", err)
	}
	if err := publishAs(root, fresh, "x.png"); err != nil {
		t.Errorf("the new one: %v", err)
	}
}
