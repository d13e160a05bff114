package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"darkroom/state"
	"darkroom/ui"
	"darkroom/ui/words"
)

var errNoTerminal = errors.New("the screens need a terminal; the commands work without one, see 'darkroom help'")

var errDumbTerminal = errors.New("the screens need a terminal that can place text, and TERM says that this one is dumb; the commands work in it, see 'darkroom help'")

// needTerminal says why there can be no screens here.
func (p *program) needTerminal() error {
	switch {
	case !p.terminal():
		return withCode(exitTerminal, errNoTerminal)
	case p.env("TERM") == "dumb":
		return withCode(exitTerminal, errDumbTerminal)
	}
	return nil
}

// openScreens runs the terminal UI against the real service.
func (p *program) openScreens(ctx context.Context) error {
	if err := p.needTerminal(); err != nil {
		return err
	}
	settings, err := p.settings()
	if err != nil {
		return err
	}
	err = p.screens(ctx, state.Options{Settings: settings, Env: p.env, Version: Version, Poll: true})
	if errors.Is(err, ui.ErrDemo) {
		return p.demo(ctx, false)
	}
	return err
}

// screens opens a session and runs the screens on it.
func (p *program) screens(ctx context.Context, o state.Options) error {
	crashes := make(chan string, 1)
	o.Crash = func(cause any, stack []byte) {
		select {
		case crashes <- ui.CrashNote(o.Settings.StateDir, cause, stack):
		default: // one is enough to end it
		}
	}
	s, err := state.Open(ctx, o)
	if err != nil {
		return withCode(exitStore, err)
	}
	limit := closeLimit
	defer func() {
		if s.Standing().Sending > 0 {
			fmt.Fprintln(p.err, "darkroom: "+words.For(o.Settings.Lang).Say("A request is being sent: darkroom waits for its answer, %d s at most.", int(limit/time.Second)))
		}
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
		defer cancel()
		if err := s.Close(closing); err != nil {
			fmt.Fprintln(p.err, "darkroom: "+err.Error())
		}
	}()
	p.stopSignals() // from here on the screens take signals themselves
	err = ui.Run(context.WithoutCancel(ctx), ui.Options{
		Session: s, Words: words.For(o.Settings.Lang), Env: p.env, Version: Version, StateDir: o.Settings.StateDir, Crashes: crashes,
	})
	var crashed *ui.Crashed
	if errors.As(err, &crashed) {
		limit = hurriedLimit
	}
	var ended *ui.Ended
	if errors.As(err, &ended) {
		limit = hurriedLimit
		code := exitSignal
		if sig, ok := ended.Signal.(syscall.Signal); ok {
			code += int(sig)
		}
		return &failure{code: code, err: err}
	}
	return err
}

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		Run: func(*cobra.Command, []string) { fmt.Fprintln(p.out, "darkroom "+versionText()) },
	}
}

func versionText() string {
	if Version != "dev" {
		return Version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return Version
}
