package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"darkroom/state"
	"darkroom/ui/display"
	"darkroom/ui/msg"
)

// modesRate is how often in a second Bubble Tea looks for modes and titles to write;
// frames do not wait for it. Each look wakes the program.
const modesRate = 30

// Ended is how a run ended when it was not by the person's own key.
type Ended struct{ Signal os.Signal }

func (e *Ended) Error() string { return fmt.Sprintf("ended by %v", e.Signal) }

// ErrDemo says that the person asked for the demo instead.
var ErrDemo = errors.New("the demo was asked for")

// Run shows the App until it is quit, ctx ends or a signal comes. In every
// case the terminal is as it was. A signal is told as *Ended, a panic as *Crashed.
func Run(ctx context.Context, o Options) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)

	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT)
	defer signal.Stop(signals)

	memory := newCollector()
	defer memory.stop()
	app := New(ctx, o)
	app.die = stop
	fills := !strings.HasPrefix(o.Env("TERM"), "screen") || o.Env("TMUX") != "" // all of today's do but GNU screen
	app.screen = display.New(os.Stdout, lipgloss.Writer.Profile, fills, func(draw func()) {
		defer memory.drawn()
		defer app.caught()
		state.CrashAt("frame")
		draw()
	})
	keys := &keyboard{File: os.Stdin, escape: escapeTakes}
	keys.expect()
	options := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithOutput(app.screen),
		tea.WithColorProfile(lipgloss.Writer.Profile), // found already: in tmux each look at it runs a program
		tea.WithFPS(modesRate),
		tea.WithFilter(func(m tea.Model, message tea.Msg) tea.Msg {
			keys.observe(message)
			return app.screen.Observe(m, message)
		}),
	}
	if runtime.GOOS != "windows" && term.IsTerminal(os.Stdin.Fd()) {
		options = append(options, tea.WithInput(keys))
	}
	p := tea.NewProgram(app, options...)
	app.screen.Ask = func() { p.Send(display.DueMsg{}) }

	go func() {
		select {
		case s := <-signals:
			// Cancelling restores the terminal on every path out of Run,
			// also when the terminal itself is gone.
			stop(&Ended{s})
		case note := <-o.Crashes:
			stop(&Crashed{note})
		case <-ctx.Done():
		}
	}()

	_, err := p.Run()
	app.screen.Restore()
	unfollowBackground()
	if app.status.known { // Bubble Tea leaves the last report behind
		_, _ = os.Stdout.WriteString(ansi.ClearProgramStatus)
	}
	switch cause := context.Cause(ctx).(type) {
	case *Ended, *Crashed:
		return cause
	}
	switch {
	case errors.Is(err, tea.ErrProgramPanic):
		return &Crashed{}
	case err != nil && ctx.Err() == nil:
		return err
	case app.wantsDemo:
		return ErrDemo
	}
	return nil
}

// giveBackAfter is how long nothing is drawn before memory is given back.
const giveBackAfter = 2 * time.Second

// collector keeps the garbage collector out of the way of the first frame: the
// start makes 4 MiB, all of which is in use, and to find that out takes a tenth of
// its processor time. After the last frame what is free goes back to the system,
// which the collector alone does minutes later.
type collector struct {
	start func()
	rest  *time.Timer
}

func newCollector() collector {
	percent := debug.SetGCPercent(-1)
	return collector{
		sync.OnceFunc(func() { debug.SetGCPercent(percent) }),
		time.AfterFunc(giveBackAfter, debug.FreeOSMemory),
	}
}

// drawn follows every frame.
func (c collector) drawn() {
	c.start()
	c.rest.Reset(giveBackAfter)
}

func (c collector) stop() {
	c.start()
	c.rest.Stop()
}

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
