//go:build unix

package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// saved is a file such as darkroom saves.
func saved(t *testing.T, name string) string {
	t.Helper()
	return simtest.File(t, filepath.Join(t.TempDir(), name), pngBytes)
}

// A command gets its words as they are and nothing else of ours: no shell, no
// variable, nothing to read, no terminal. What it writes is cleaned and bounded.
func TestOwnCommand(t *testing.T) {
	file := saved(t, "my $(touch evil); boat.png")
	dir := filepath.Dir(file)
	for _, name := range []string{"DARKROOM_API_KEY", "darkroom_x", "MINE"} {
		t.Setenv(name, "1")
	}
	program := script(t, "own", `printf '<%s>\n' "$@"`, "pwd", "env | grep -ci ^darkroom_", "echo $MINE", "cat | wc -c", "(echo x > /dev/tty) 2> /dev/null || echo no terminal", `printf 'a\033[31mred\007\n' >&2`)
	got, err := Run(t.Context(), []string{program, "a b", "{file}", "to:{id}:{file}:{id}", "{title}"}, "7f3a", file)
	want := "<a b>\n<" + file + ">\n<to:7f3a:" + file + ":7f3a>\n<{title}>\n" + dir + "\n0\n1\n0\nno terminal\na\uFFFD[31mred\uFFFD"
	expect.That(t, err == nil && got.String() == want, got, err, "want", want)
	expect.Fails(t, expect.Err(os.Stat(filepath.Join(dir, "evil"))), "", "a shell took the file's name apart")
	loud := script(t, "own", "yes x | head -c 600000 | tr -d '\\n'", "echo", "echo the end")
	said := must(Run(t.Context(), []string{loud, "{file}"}, "7f3a", file))(t).String()
	expect.That(t, len(said) <= (64<<10) && strings.HasSuffix(said, "x\nthe end"), len(said), "bytes")
	told := must(Run(t.Context(), []string{script(t, "own", "echo uploaded with ak_live_0123456789abcdef"), "{file}"}, "7f3a", file))(t).String()
	expect.That(t, strings.HasPrefix(told, "uploaded with ") && !strings.Contains(told, "0123456789"), "a key is told:", told)
	leaves := script(t, "own", "sleep 4 &", "echo done")
	expect.Equal(t, must(Run(t.Context(), []string{leaves}, "7f3a", file))(t).String(), "done", "one that leaves another program behind")
	for name, c := range map[string]struct {
		words []string
		file  string
		want  string
	}{
		"failed":         {[]string{script(t, "own", "echo one >&2", "echo no room >&2", "exit 3"), "{file}"}, file, "own failed: no room"},
		"failed silent":  {[]string{script(t, "own", "exit 3"), "{file}"}, file, "own failed"},
		"no program":     {[]string{filepath.Join(dir, "none"), "{file}"}, file, "is not there: check the settings"},
		"no such name":   {[]string{"no-such-program-anywhere", "{file}"}, file, "no-such-program-anywhere is not there"},
		"a file gone":    {[]string{program, "{file}"}, filepath.Join(dir, "none.png"), "it is gone"},
		"not of ours":    {[]string{program, "{file}"}, program, "is not opened"},
		"a type unknown": {[]string{program, "{id}"}, strings.TrimSuffix(file, ".png") + ".bin", "is not opened"},
	} {
		got, err := Run(t.Context(), c.words, "7f3a", c.file)
		expect.That(t, err != nil && strings.Contains(err.Error(), c.want) && err.(*Error).Final != strings.HasPrefix(name, "failed"), name, got, err)
	}
}

// A command that is cancelled ends, with what it has started, also when it does
// not want to.
func TestOwnCommandIsCancelled(t *testing.T) {
	t.Parallel()
	file := saved(t, "boat.png")
	pids := filepath.Join(t.TempDir(), "pids")
	stubborn := script(t, "own", "trap ': > "+pids+".asked' TERM", "(trap '' TERM; sleep 600) &", "echo $$ $! > '"+pids+".new'", "mv '"+pids+".new' '"+pids+"'", "sleep 600 & wait", "sleep 600 & wait")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := Run(ctx, []string{stubborn, "{file}"}, "7f3a", file)
		ended <- err
	}()
	var both []string
	for len(both) < 2 {
		text, _ := os.ReadFile(pids)
		both = strings.Fields(string(text))
		select {
		case err := <-ended:
			t.Fatalf("it ended by itself: %v", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
	stop()
	err := <-ended
	expect.That(t, err != nil && err.Error() == "own was stopped", "it ends with", err)
	expect.Is(t, expect.Err(os.Stat(pids+".asked")), nil, "it was not asked to end")
	for _, pid := range both {
		n, _ := strconv.Atoi(pid)
		for until := time.Now().Add(30 * time.Second); syscall.Kill(n, 0) == nil && !zombie(n); {
			expect.Must(t, !time.Now().After(until), "process", n, "is still there")
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// zombie reports whether a process has ended and nobody has asked how.
func zombie(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, rest, _ := strings.Cut(string(text), ") ")
	return err == nil && strings.HasPrefix(rest, "Z")
}

// A command may write without an end: what is kept of it stays bounded.
func TestTheEndOfLongOutputIsKept(t *testing.T) {
	t.Parallel()
	kept := tail{most: keptOutput}
	long := strings.Repeat("0123456789abcdef", 1<<17)
	must(io.Copy(&kept, struct{ io.Reader }{strings.NewReader(long + "end")}))(t)
	got, room := kept.kept.String(), kept.kept.Cap()
	expect.That(t, len(got) == 64<<10 && strings.HasSuffix(got, "fend") && room <= 4*(64<<10), len(got), "bytes are kept, with room for", room)
}

// TestClip hands the picture to the program as it is, with its type, and says which one is missing.
func TestClip(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("its program reads the file itself")
	}
	file, bin := saved(t, "boat.png"), t.TempDir()
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	noError(t, os.WriteFile(filepath.Join(bin, "xclip"), []byte("#!/bin/sh\necho \"$@\" >\"$0.words\"\ncat >\"$0.got\"\n"), 0o700))
	noError(t, Clip(t.Context(), file))
	got := must(os.ReadFile(filepath.Join(bin, "xclip.got")))(t)
	expect.That(t, bytes.Equal(got, pngBytes), len(got), "bytes")
	expect.Equal(t, string(must(os.ReadFile(filepath.Join(bin, "xclip.words")))(t)), "-selection clipboard -t image/png\n")
	t.Setenv("PATH", t.TempDir())
	err := Clip(t.Context(), file)
	expect.That(t, err != nil && strings.HasPrefix(err.Error(), "xclip is not there"), "without it", err)
}

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
	expect.Equal(t, strings.Join(got, " "), name+".png "+name+"-2.png "+name+".png")
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
			}
			expect.That(t, err == nil || errors.Is(err, fs.ErrExist) || errors.Is(err, ErrBusy), err)
		})
	}
	all.Wait()
	text, err := os.ReadFile(to)
	expect.That(t, made.Load() == 1 && err == nil && strings.HasPrefix(string(text), "whole "), made.Load(), "made", string(text), err)
	other := filepath.Join(dir, "b.mp4")
	expect.Is(t, NewFile(other, 0o600, func(path string) error { return errors.Join(os.WriteFile(path, []byte("half"), 0o600), broken) }), broken)
	expect.Len(t, must(os.ReadDir(dir))(t), 1)
}
