package media

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestFramesAreSavedOnce: beside the results, under a name of their own, over nothing.
func TestFramesAreSavedOnce(t *testing.T) {
	t.Parallel()
	f := New(Options{Dir: filepath.Join(t.TempDir(), "results")})
	clip := "/elsewhere/20260301-koi-k3v9q2mx-1.mp4"
	var got []string
	for _, content := range []string{"one", "two", "one"} {
		got = append(got, filepath.Base(must(SaveFrame(f.Dir, clip, 4958*time.Millisecond, []byte(content)))(t)))
	}
	name := "20260301-koi-k3v9q2mx-1-frame-4.96s"
	if want := name + ".png " + name + "-2.png " + name + ".png"; strings.Join(got, " ") != want {
		t.Errorf("%v", got)
	}
	wantFolder(t, f, name+"-2.png", name+".png")
}

// TestANewFileIsWholeOrNotThere: of those that want a name at once one gets it, and one that
// fails leaves nothing.
func TestANewFileIsWholeOrNotThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	to, broken := filepath.Join(dir, "a.mp4"), errors.New("broken")
	var all sync.WaitGroup
	var made atomic.Int32
	for n := range 8 {
		all.Go(func() {
			err := NewFile(to, 0o600, func(path string) error { return os.WriteFile(path, fmt.Append(nil, "whole ", n), 0o600) })
			if err == nil {
				made.Add(1)
			} else if !errors.Is(err, fs.ErrExist) && !errors.Is(err, ErrBusy) {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if text, err := os.ReadFile(to); made.Load() != 1 || err != nil || !strings.HasPrefix(string(text), "whole ") {
		t.Errorf("%d made: %q, %v", made.Load(), text, err)
	}
	other := filepath.Join(dir, "b.mp4")
	if err := NewFile(other, 0o600, func(path string) error { return errors.Join(os.WriteFile(path, []byte("half"), 0o600), broken) }); !errors.Is(err, broken) {
		t.Error(err)
	}
	if left := must(os.ReadDir(dir))(t); len(left) != 1 {
		t.Errorf("%v", left)
	}
}
