package media

import (
	"bytes"
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

const (
	// keptOutput is how much of a program's output is kept, in bytes: the end.
	keptOutput = 64 << 10
	// stopPatience is how long a program has to end after it was asked to.
	stopPatience = 2 * time.Second
	// maxSaid is how much of a program's last line an error shows, in bytes.
	maxSaid = 200
)

// program prepares a program of the person's: its words as they are, without a
// shell, in the folder of the file that it is about. It sees none of our
// variables, has nothing to read, and no terminal, so that it can neither ask
// there nor write over the screen. When ctx ends, so does the program with
// those that it has started.
func program(ctx context.Context, words []string, file string, env []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Env = OthersEnviron(env)
	cmd.Dir = filepath.Dir(file)
	cmd.WaitDelay = stopPatience
	ownGroup(cmd)
	cmd.Cancel = func() error { return stopGroup(cmd, false) }
	return cmd
}

// run runs a program to its end, or for limit at the most (0: without a limit), and
// returns the end of what it wrote. Errors are *Error.
func run(ctx context.Context, words []string, file string, env []string, limit time.Duration) (out, complaint string, err error) {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	cmd := program(ctx, words, file, env)
	var written, complained tail
	cmd.Stdout, cmd.Stderr = &written, &complained
	err = cmd.Run()
	if err != nil && ctx.Err() != nil {
		_ = stopGroup(cmd, true) // what did not end when it was asked to
	}
	out, complaint = written.kept.String(), complained.kept.String()
	if err == nil || errors.Is(err, exec.ErrWaitDelay) && ctx.Err() == nil {
		return out, complaint, nil // what it has left behind goes on
	}
	name, why := filepath.Base(words[0]), api.Reason{}
	switch said := api.Clean(lastLine(complaint), maxSaid); {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		why = api.Sentence("%v took more than %v minutes, so it was stopped").Reason(name, int(limit/time.Minute))
	case ctx.Err() != nil:
		why = api.Sentence("%v was stopped").Reason(name)
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return out, complaint, &Error{Reason: api.Sentence("%v is not there: check the settings").Reason(words[0]), Cause: err, Final: true}
	case !said.IsZero():
		why = api.Sentence("%v failed: %v").Reason(name, said)
	default:
		why = api.Sentence("%v failed").Reason(name)
	}
	return out, complaint, &Error{Reason: why, Cause: err}
}

// Run runs the words of a person's command on a file that darkroom saved, until
// it ends or ctx does, and returns the end of what it wrote, cleaned. Each
// {file} and {id} in the words is the file's path and the id of its job: nothing
// that a service says goes along. Errors are *Error.
func Run(ctx context.Context, words []string, id, file string, env []string) (api.Text, error) {
	if err := openable(file); err != nil {
		return api.Text{}, err
	}
	out, complaint, err := run(ctx, fill(words, "{file}", file, "{id}", id), file, env, 0)
	all := strings.TrimSpace(strings.TrimSpace(out) + "\n" + complaint)
	all = all[max(len(all)-keptOutput, 0):]
	return api.CleanLines(all, keptOutput), err
}

// fill puts values into words, each in the place that stands before it.
func fill(words []string, values ...string) []string {
	r := strings.NewReplacer(values...)
	out := make([]string, len(words))
	for i, word := range words {
		out[i] = r.Replace(word)
	}
	return out
}

// lastLine is the last line that is not blank.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(text, "\r", "\n")), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// tail keeps the end of what is written to it. It hides the buffer's ReadFrom, by
// which a copy would go past Write.
type tail struct{ kept bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	_, _ = t.kept.Write(p) // never fails
	t.kept.Next(max(t.kept.Len()-keptOutput, 0))
	return len(p), nil
}

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
		why := api.Sentence("%v cannot be started: set DARKROOM_OPENER to the absolute path of a program, or open %v yourself")
		if errors.Is(err, fs.ErrPermission) {
			why = api.Sentence("%v may not be run: set DARKROOM_OPENER to the absolute path of a program, or open %v yourself")
		} else if errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) {
			why = api.Sentence("%v is not there: set DARKROOM_OPENER to the absolute path of a program, or open %v yourself")
		}
		return &Error{Reason: why.Reason(cmd.Path, path), Cause: err}
	}
	ended := make(chan error, 1)
	go func() { // waits for the program; cmd.Wait does not panic
		ended <- cmd.Wait()
	}()
	t := time.NewTimer(openWait)
	defer t.Stop()
	select {
	case err := <-ended:
		if err != nil {
			why := api.Sentence("%v could not open %v (%v): open it yourself, or set DARKROOM_OPENER")
			return &Error{Reason: why.Reason(filepath.Base(cmd.Path), path, err), Cause: err}
		}
	case <-t.C:
	case <-ctx.Done():
	}
	return nil
}

// openable makes sure that the path is a file such as darkroom writes.
func openable(path string) error {
	const unread = api.Sentence("it cannot be read")
	no := func(why api.Sentence) error {
		return &Error{Reason: api.Sentence("%v is not opened: %v").Reason(path, why.Reason()), Final: true}
	}
	if !filepath.IsAbs(path) || filepath.Clean(path) != path {
		return no(api.Sentence("it is not an absolute path"))
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return no(api.Sentence("it is gone; fetch it again"))
	case err != nil:
		return no(unread)
	case !info.Mode().IsRegular():
		return no(api.Sentence("it is not a file"))
	}
	if filepath.Ext(path) == unknownType.ext {
		return no(api.Sentence("its type is not known"))
	}
	f, err := os.Open(path)
	if err != nil {
		return no(unread)
	}
	defer f.Close()
	head := make([]byte, sniffLen)
	n, _ := io.ReadFull(f, head) // short files are sniffed as they are
	if t := sniff(head[:n]); t.ext == unknownType.ext || t.ext != filepath.Ext(path) {
		return no(api.Sentence("its content is not what its name says"))
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
			return nil, &Error{Reason: api.Sentence("the opener is not an absolute path: set DARKROOM_OPENER to one").Reason(), Final: true}
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
		why := api.Sentence("xdg-open is not there to open files: install xdg-utils, set DARKROOM_OPENER, or open %v yourself")
		return nil, &Error{Reason: why.Reason(path), Cause: err}
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
