package media

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"darkroom/api"
)

// openWait is how long an opener may take to say that it cannot. Most hand the
// file over and end at once; some stay as long as the file is shown.
const openWait = 1500 * time.Millisecond

// Open opens path with the opener, or the system's program when opener is "".
// The program gets exactly one argument, the absolute path of a whole file of
// a type that darkroom saves; .bin files are never opened. Its output goes
// nowhere and it sees no DARKROOM_ variable. Open does not wait for a program
// that stays. Errors are *Error and name the file, so that it can be opened by
// hand.
func Open(ctx context.Context, opener, path string, env []string) error {
	if err := openable(path); err != nil {
		return err
	}
	words, err := openCommand(opener, path)
	if err != nil {
		return err
	}
	return start(ctx, words, path, env)
}

// Play is Open with the program that plays videos, or with the opener when none
// is set; images go to the opener.
func Play(ctx context.Context, player, opener, path string, env []string) error {
	if player == "" || !strings.HasPrefix(typeOf(path), "video/") {
		return Open(ctx, opener, path, env)
	}
	return Open(ctx, player, path, env)
}

// typeOf is the media type of a file that darkroom saved, by its extension.
func typeOf(path string) string {
	for _, t := range mediaTypes {
		if t.ext == filepath.Ext(path) {
			return t.name
		}
	}
	return ""
}

// start runs a program that shows path, and does not wait for one that stays.
func start(ctx context.Context, words []string, path string, env []string) error {
	cmd := program(context.WithoutCancel(ctx), words, path, env)
	if err := cmd.Start(); err != nil {
		why := whyOpenerStart
		if errors.Is(err, fs.ErrPermission) {
			why = whyOpenerRun
		} else if errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
			why = whyOpenerGone
		}
		return &Error{Reason: why.Reason(cmd.Path, path), Cause: err}
	}
	ended := make(chan error, 1)
	go func() { // reaps the program; cmd.Wait does not panic
		ended <- cmd.Wait()
	}()
	t := time.NewTimer(openWait)
	defer t.Stop()
	select {
	case err := <-ended:
		if err != nil {
			return &Error{Reason: whyOpenerFailed.Reason(filepath.Base(cmd.Path), path, err), Cause: err}
		}
	case <-t.C:
	case <-ctx.Done():
	}
	return nil
}

// openable makes sure that the path is a file such as darkroom writes.
func openable(path string) error {
	no := func(why api.ReasonKind) error {
		return &Error{Reason: whyOpen.Reason(path, why.Reason()), Final: true}
	}
	if !filepath.IsAbs(path) || filepath.Clean(path) != path {
		return no(whyOpenPath)
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return no(whyOpenGone)
	case err != nil:
		return no(whyOpenRead)
	case !info.Mode().IsRegular():
		return no(whyOpenFile)
	}
	if filepath.Ext(path) == unknownType.ext {
		return no(whyOpenType)
	}
	f, err := os.Open(path)
	if err != nil {
		return no(whyOpenRead)
	}
	defer f.Close()
	head := make([]byte, sniffLen)
	n, _ := io.ReadFull(f, head) // short files are sniffed as they are
	if t := sniff(head[:n]); t.ext == unknownType.ext || t.ext != filepath.Ext(path) {
		return no(whyOpenContent)
	}
	return nil
}

// Reveal shows a result file in the system's file manager, like Open. Where the
// file manager cannot select a file its folder is shown.
func Reveal(ctx context.Context, path string, env []string) error {
	if err := openable(path); err != nil {
		return err
	}
	var words []string
	switch runtime.GOOS {
	case "darwin":
		words = []string{"/usr/bin/open", "-R", path}
	case "windows":
		words = []string{filepath.Join(os.Getenv("SystemRoot"), "explorer.exe"), "/select," + path}
	default:
		var err error
		if words, err = openCommand("", filepath.Dir(path)); err != nil {
			return err
		}
	}
	return start(ctx, words, path, env)
}

func openCommand(opener, path string) ([]string, error) {
	if opener != "" {
		if !filepath.IsAbs(opener) {
			return nil, &Error{Reason: whyOpener.Reason(), Final: true}
		}
		return []string{opener, path}, nil
	}
	switch runtime.GOOS {
	case "darwin":
		return []string{"/usr/bin/open", path}, nil
	case "windows":
		return []string{filepath.Join(os.Getenv("SystemRoot"), "System32", "rundll32.exe"), "url.dll,FileProtocolHandler", path}, nil
	}
	found, err := exec.LookPath("xdg-open")
	if err != nil {
		return nil, &Error{Reason: whyOpenerNone.Reason(path), Cause: err}
	}
	return []string{found, path}, nil
}

// OthersEnviron is an environment ("NAME=value" each) for programs that are not
// ours: it drops our variables, the key among them. A nil environment becomes an
// empty one, never the process's own.
func OthersEnviron(env []string) []string {
	out := make([]string, 0, len(env))
	for _, v := range env {
		if !strings.HasPrefix(strings.ToUpper(v), "DARKROOM_") {
			out = append(out, v)
		}
	}
	return out
}
