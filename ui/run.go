package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
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
