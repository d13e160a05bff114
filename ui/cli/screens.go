package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"darkroom/state"
	"darkroom/ui"
	"darkroom/ui/cli/run"
)

var errNoTerminal = run.Sentencef("the screens need a terminal; the commands work without one, see 'darkroom help'")

// needTerminal says why there can be no screens here.
func (p *commands) needTerminal() error {
	if !p.Terminal() {
		return run.WithCode(run.ExitTerminal, errNoTerminal)
	}
	return nil
}

// linearFlag declares the flag that asks for plain lines.
func (p *commands) linearFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&p.plain, "linear", false, "plain lines instead of screens, for screen readers and logs; so is TERM=dumb")
}

// openScreens runs the terminal UI against the real service.
func (p *commands) openScreens(ctx context.Context) error {
	if err := p.needTerminal(); err != nil {
		return err
	}
	settings, err := p.Settings()
	if err != nil {
		return err
	}
	err = p.screens(ctx, state.Options{Settings: settings, Env: p.Env, Version: Version, Poll: true})
	if errors.Is(err, ui.ErrDemo) {
		return p.demo(ctx, false)
	}
	return err
}

// screens opens a session and runs the screens on it, or their flows as plain
// lines where those are wanted or the terminal cannot place text.
func (p *commands) screens(ctx context.Context, o state.Options) error {
	if p.plain || p.Env("TERM") == "dumb" {
		return p.lines(ctx, o)
	}
	crashes := make(chan string, 1)
	o.Crash = func(cause any, stack []byte) {
		select {
		case crashes <- ui.CrashNote(o.Settings.StateDir, cause, stack):
		default: // one is enough to end it
		}
	}
	s, err := state.Open(ctx, o)
	if err != nil {
		return run.WithCode(run.ExitStore, err)
	}
	limit := run.CloseLimit
	defer func() { p.Leave(ctx, s, limit) }()
	p.StopSignals() // from here on the screens take signals themselves
	err = ui.Run(context.WithoutCancel(ctx), ui.Options{
		Session: s, SettingsFile: s.SettingsFile, Pricing: s.Pricing, Words: p.Words, Env: p.Env, Version: p.FullVersion,
		StateDir: o.Settings.StateDir, Crashes: crashes,
		Request: p.request,
	})
	var crashed *ui.Crashed
	if errors.As(err, &crashed) {
		limit = run.HurriedLimit
		return broken(crashed.Note)
	}
	var ended *ui.Ended
	if errors.As(err, &ended) {
		limit = run.HurriedLimit
		return run.EndedBy(ended.Signal)
	}
	return err
}
