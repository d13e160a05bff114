package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/msg"
)

// commandBroke follows a panic in a command: the program goes on.
func (a *App) commandBroke(note string) tea.Cmd {
	text := a.env.Say("Something inside darkroom broke. Your jobs are safe; what you just did may not have happened.")
	if note != "" {
		text += " " + a.env.Say("A note is in %s.", note)
	}
	return a.tell(msg.ToneBad, text)
}

// guard wraps a command, and the commands it leads to, so that a panic becomes
// a message. The value of the panic is not kept: it could hold anything. What
// comes after the program's end is dropped.
func (a *App) guard(cmd tea.Cmd) tea.Cmd { return guardIn(a.env.Context, a.opts.StateDir, cmd) }

func guardIn(ctx context.Context, dir string, cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (message tea.Msg) {
		defer func() {
			if v := recover(); v != nil {
				note := CrashNote(dir, v, debug.Stack())
				message = thenMsg(func(app *App) tea.Cmd { return app.commandBroke(note) })
			}
		}()
		state.CrashAt("command")
		if message = cmd(); ctx.Err() != nil {
			return nil
		}
		if batch, ok := message.(tea.BatchMsg); ok {
			for i, c := range batch {
				batch[i] = guardIn(ctx, dir, c)
			}
		}
		return message
	}
}

// Crashed says that a run ended because something broke.
type Crashed struct {
	Note string // path of the crash note, or ""
}

func (e *Crashed) Error() string { return "something inside darkroom broke" }

// caught ends the run when Update, View or a frame broke: App's own state may be half
// changed then. Bubble Tea would print the panic's value, which could hold
// anything. Without a run, as in a test, the panic goes on.
func (a *App) caught() {
	if a.die == nil {
		return
	}
	if v := recover(); v != nil && !a.dead.Swap(true) {
		a.die(&Crashed{Note: CrashNote(a.opts.StateDir, v, debug.Stack())})
	}
}

// CrashNote writes where it broke to a file that only its owner reads, in dir
// or else in the folder of temporary files, and returns its path, or "" when
// neither can be written. The panic's value is named by its type alone, unless
// the runtime made it: a value of ours could hold a prompt or a key.
func CrashNote(dir string, v any, stack []byte) string {
	what := fmt.Sprintf("%T", v)
	if e, ok := v.(runtime.Error); ok {
		what = e.Error()
	}
	text := fmt.Sprintf("darkroom broke at %s\npanic: %s\n\n%s", time.Now().UTC().Format(time.RFC3339), what, stack)
	for _, in := range [][2]string{{dir, "crash-*.txt"}, {os.TempDir(), "darkroom-crash-*.txt"}} {
		if in[0] == "" || os.MkdirAll(in[0], 0o700) != nil {
			continue
		}
		f, err := os.CreateTemp(in[0], in[1]) // 0600
		if err != nil {
			continue
		}
		_, err = f.WriteString(text)
		if err = errors.Join(err, f.Close()); err == nil {
			return filepath.Clean(f.Name())
		}
		_ = os.Remove(f.Name())
	}
	return ""
}
