package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"
)

// crashedMsg is a panic in a command, turned into a message so that the
// program goes on and the terminal stays sound.
type crashedMsg struct {
	note string // path of the crash note, or ""
}

func (m crashedMsg) failed() error { return crashError(m) }

type crashError struct{ note string }

func (e crashError) Error() string {
	if e.note == "" {
		return "Something inside darkroom broke. Your jobs are safe; what you just did may not have happened."
	}
	return "Something inside darkroom broke. Your jobs are safe; what you just did may not have happened. A note is in " + e.note
}

// guard wraps a command, and the commands it leads to, so that a panic becomes
// a crashedMsg. The value of the panic is not kept: it could hold anything.
func (a *App) guard(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	dir := a.opts.StateDir
	return guardIn(dir, cmd)
}

func guardIn(dir string, cmd tea.Cmd) tea.Cmd {
	return func() (msg tea.Msg) {
		defer func() {
			if v := recover(); v != nil {
				msg = crashedMsg{note: writeCrashNote(dir, v)}
			}
		}()
		msg = cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i, c := range batch {
				if c != nil {
					batch[i] = guardIn(dir, c)
				}
			}
		}
		return msg
	}
}

// writeCrashNote writes where it broke to a file that only its owner reads.
// The panic's value is named by its type alone, unless the runtime made it:
// a value of ours could hold a prompt or a key.
func writeCrashNote(dir string, v any) string {
	if dir == "" {
		return ""
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return ""
	}
	f, err := os.CreateTemp(dir, "crash-*.txt")
	if err != nil {
		return ""
	}
	what := fmt.Sprintf("%T", v)
	if e, ok := v.(interface {
		error
		RuntimeError()
	}); ok {
		what = e.Error()
	}
	_, err = fmt.Fprintf(f, "panic: %s\n\n%s", what, debug.Stack())
	if cerr := f.Close(); err != nil || cerr != nil {
		return ""
	}
	return filepath.Clean(f.Name())
}
