package media

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// script makes a program of the person's. No other test starts a program while
// it is written: a child has our open files until it has become its program,
// and a file that is open for writing cannot be run.
func script(t *testing.T, name string, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	syscall.ForkLock.RLock()
	err := os.WriteFile(path, []byte("#!/bin/sh\n"+strings.Join(lines, "\n")+"\n"), 0o700)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// recorderProgram writes its arguments and environment into a file. It starts no
// other programs, which a busy machine may refuse it.
func recorderProgram(t *testing.T, exit string) (program, record string) {
	t.Helper()
	record = filepath.Join(t.TempDir(), "record")
	return script(t, "opener", "{ echo $#; echo \"$1\"; echo \"HOME=$HOME\"; export -p; echo "+recordEnd+"; } > '"+record+"'", "echo noise", "exit "+exit), record
}

// recordEnd is the last line of a whole record.
const recordEnd = "whole"

// recorded waits for what a program wrote: Open does not wait for a slow one, nor
// say that it has failed.
func recorded(t *testing.T, path string) string {
	t.Helper()
	for limit := time.Now().Add(2 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		text, err := os.ReadFile(path)
		if strings.HasSuffix(string(text), "\n"+recordEnd+"\n") {
			return string(text)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) || time.Now().After(limit) {
			t.Fatalf("the program wrote %q: %v", text, err)
		}
	}
}

func TestOpenSaysWhyNot(t *testing.T) {
	t.Parallel()
	program, record := recorderProgram(t, "3")
	dir := t.TempDir()
	file := func(name string, content []byte) string {
		p := filepath.Join(dir, name)
		noError(t, os.WriteFile(p, content, 0o600))
		return p
	}
	good := file("good.png", pngBytes)
	link := filepath.Join(dir, "link.png")
	noError(t, os.Symlink(good, link))
	for name, c := range map[string]struct{ opener, path, text string }{
		"relative":          {program, "good.png", "absolute"},
		"unclean":           {program, dir + "/../" + filepath.Base(dir) + "/good.png", "absolute"},
		"gone":              {program, filepath.Join(dir, "none.png"), "gone"},
		"folder":            {program, dir, "not a file"},
		"link":              {program, link, "not a file"},
		"unknown type":      {program, file("x.bin", pngBytes), "type is not known"},
		"disguised":         {program, file("x.png", []byte("#!/bin/sh")), "not what its name says"},
		"desktop file":      {program, file("x.desktop", []byte("[Desktop Entry]")), "not what its name says"},
		"no such opener":    {filepath.Join(dir, "none"), good, "is not there"},
		"opener unrunnable": {file("plain", []byte("x")), good, "may not be run"},
		"relative opener":   {"opener", good, "absolute path"},
	} {
		err := Open(t.Context(), c.opener, c.path, nil)
		var known *Error
		if !errors.As(err, &known) || !strings.Contains(known.Error(), c.text) {
			t.Errorf("%s: got %v, want %q", name, err, c.text)
		}
	}
	if _, err := os.Stat(record); err == nil {
		t.Error("the opener was started for a path that must not be opened")
	}
	env := []string{"PATH=" + os.Getenv("PATH")}
	var err error
	for range 5 { // one that takes longer than openWait, as on a busy machine, has not failed yet
		if err = Open(t.Context(), program, good, env); err != nil {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "could not open") {
		t.Errorf("an opener that fails gave %v", err)
	}
}

// TestVideosGoToThePlayer, and all else to the opener: each is handed one path and
// an environment without our variables.
func TestVideosGoToThePlayer(t *testing.T) {
	t.Parallel()
	player, played := recorderProgram(t, "0")
	opener, opened := recorderProgram(t, "0")
	mp4 := append([]byte("\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2"), make([]byte, 64)...)
	for name, c := range map[string]struct {
		content        []byte
		player, record string
	}{
		"a.mp4": {mp4, player, played}, "-a b;$(x).png": {pngBytes, player, opened}, "b.mp4": {mp4, "", opened},
	} {
		_ = os.Remove(played)
		_ = os.Remove(opened)
		path := filepath.Join(t.TempDir(), name)
		noError(t, os.WriteFile(path, c.content, 0o600))
		env := []string{"PATH=" + os.Getenv("PATH"), "DARKROOM_API_KEY=ak_hidden", "DARKROOM_X=hidden", "HOME=/h"}
		if err := Play(t.Context(), c.player, opener, path, env); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if text := recorded(t, c.record); !strings.HasPrefix(text, "1\n"+path+"\n") || strings.Contains(text, "hidden") || !strings.Contains(text, "HOME=/h") {
			t.Errorf("%s: the program saw %q", name, text)
		}
	}
	if err := Play(t.Context(), player, opener, "/etc/passwd", nil); err == nil {
		t.Error("a file of others was handed over")
	}
}
