package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"

	"darkroom/ui/cells"
)

// Ended is how a run ended when it was not by the person's own key.
type Ended struct{ Signal os.Signal }

func (e *Ended) Error() string { return fmt.Sprintf("ended by %v", e.Signal) }

// ErrDemo says that the person asked for the demo instead.
var ErrDemo = errors.New("the demo was asked for")

// Run shows the App until it is quit, ctx ends or a signal comes. In every
// case the terminal is as it was when Run returns. A signal is told as *Ended, a
// panic as *Crashed.
func Run(ctx context.Context, o Options, more ...tea.ProgramOption) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)

	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer signal.Stop(signals)

	app := New(ctx, o)
	app.die = stop
	options := append([]tea.ProgramOption{
		tea.WithContext(ctx), tea.WithFPS(120), tea.WithoutSignalHandler(),
		tea.WithColorProfile(lipgloss.Writer.Profile), // found already: in tmux each look at it runs a program
	}, more...)
	if runtime.GOOS != "windows" && term.IsTerminal(os.Stdin.Fd()) {
		options = append([]tea.ProgramOption{tea.WithInput(keyboard{os.Stdin})}, options...)
	}
	if lipgloss.Writer.Profile == colorprofile.TrueColor { // the numbers of the coder are colours
		app.coder = &cells.Coder{}
		options = append([]tea.ProgramOption{tea.WithOutput(&cells.Writer{File: os.Stdout, Coder: app.coder})}, options...)
	}
	p := tea.NewProgram(app, options...)

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
	unfollowBackground()
	app.clearStatus(os.Stdout)
	var ended *Ended
	if errors.As(context.Cause(ctx), &ended) {
		return ended
	}
	var crashed *Crashed
	if errors.As(context.Cause(ctx), &crashed) {
		return crashed
	}
	if errors.Is(err, tea.ErrProgramPanic) {
		return &Crashed{}
	}
	if err != nil && ctx.Err() == nil {
		return err
	}
	if app.wantsDemo {
		return ErrDemo
	}
	return nil
}
