package media

import (
	"cmp"
	"context"
	"errors"
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

// Open opens path with the opener, or the system's program when opener is "", and
// a video with the player if there is one. The program gets exactly one argument,
// the absolute path of a whole file of a type that darkroom saves; .bin files are
// never opened. Its output goes nowhere and it sees no DARKROOM_ variable. Open
// does not wait for a program that stays. Errors are *Error and name the file, so
// that it can be opened by hand.
func Open(ctx context.Context, player, opener, path string) error {
	kind, unfit := openable(path)
	if strings.HasPrefix(kind.name, "video/") {
		opener = cmp.Or(player, opener)
	}
	words, err := openCommand(opener, path)
	if err = cmp.Or(unfit, err); err != nil {
		return err
	}
	return start(ctx, words, path)
}

// start runs a program that shows path, and does not wait for one that stays.
func start(ctx context.Context, words []string, path string) error {
	cmd := program(context.WithoutCancel(ctx), words, path)
	if err := cmd.Start(); err != nil {
		why := api.Sentence("%v cannot be started: set DARKROOM_OPENER to the absolute path of a program, or open %v yourself")
		if errors.Is(err, fs.ErrPermission) {
			why = api.Sentence("%v may not be run: set DARKROOM_OPENER to the absolute path of a program, or open %v yourself")
		} else if errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
			why = api.Sentence("%v is not there: set DARKROOM_OPENER to the absolute path of a program, or open %v yourself")
		}
		return failed(err, why, cmd.Path, path)
	}
	ctx, cancel := context.WithTimeout(ctx, openWait)
	defer cancel()
	var err error
	if ended, _ := api.Within(ctx, func() { err = cmd.Wait() }); ended && err != nil {
		return failed(err, "%v could not open %v (%v): open it yourself, or set DARKROOM_OPENER", filepath.Base(cmd.Path), path, err)
	}
	return nil
}

// openable makes sure that darkroom may have written the file, and gives its type.
func openable(path string) (t mediaType, err error) {
	no := func(why api.Sentence) (mediaType, error) {
		return t, final("%v is not opened: %v", path, why.Reason())
	}
	if !filepath.IsAbs(path) || filepath.Clean(path) != path {
		return no("it is not an absolute path")
	}
	var f *os.File
	info, err := os.Lstat(path)
	if err == nil && info.Mode().IsRegular() && filepath.Ext(path) != unknownType.ext {
		f, err = os.Open(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return no("it is gone; fetch it again")
	case err != nil:
		return no("it cannot be read")
	case !info.Mode().IsRegular():
		return no("it is not a file")
	case f == nil:
		return no("its type is not known")
	}
	defer f.Close()
	if t = sniff(readAt(f, 0, sniffLen)); t.ext == unknownType.ext || t.ext != filepath.Ext(path) {
		return no("its content is not what its name says")
	}
	return t, nil
}

// Reveal shows a result file in the system's file manager, like Open. Where the
// file manager cannot select a file its folder is shown.
func Reveal(ctx context.Context, path string) error {
	_, unfit := openable(path)
	words, err := openCommand("", filepath.Dir(path))
	switch runtime.GOOS {
	case "darwin":
		words = []string{"/usr/bin/open", "-R", path}
	case "windows":
		words = []string{filepath.Join(os.Getenv("SystemRoot"), "explorer.exe"), "/select," + path}
	}
	if err = cmp.Or(unfit, err); err != nil {
		return err
	}
	return start(ctx, words, path)
}

func openCommand(opener, path string) ([]string, error) {
	switch {
	case opener != "":
		return []string{opener, path}, nil
	case runtime.GOOS == "darwin":
		return []string{"/usr/bin/open", path}, nil
	case runtime.GOOS == "windows":
		return []string{filepath.Join(os.Getenv("SystemRoot"), "System32", "rundll32.exe"), "url.dll,FileProtocolHandler", path}, nil
	}
	found, err := exec.LookPath("xdg-open")
	if err != nil {
		return nil, failed(err, "xdg-open is not there to open files: install xdg-utils, set DARKROOM_OPENER, or open %v yourself", path)
	}
	return []string{found, path}, nil
}
