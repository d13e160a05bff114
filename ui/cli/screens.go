package cli

import (
	"context"
	"errors"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"darkroom/state"
	"darkroom/ui"
)

var errNoTerminal = sentencef("the screens need a terminal; the commands work without one, see 'darkroom help'")

// needTerminal says why there can be no screens here.
func (p *program) needTerminal() error {
	if !p.terminal() {
		return withCode(exitTerminal, errNoTerminal)
	}
	return nil
}

// linearFlag declares the flag that asks for plain lines.
func (p *program) linearFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&p.plain, "linear", false, "plain lines instead of screens, for screen readers and logs; so is TERM=dumb")
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

// screens opens a session and runs the screens on it, or their flows as plain
// lines where those are wanted or the terminal cannot place text.
func (p *program) screens(ctx context.Context, o state.Options) error {
	if p.plain || p.env("TERM") == "dumb" {
		return p.linear(ctx, o)
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
		return withCode(exitStore, err)
	}
	limit := closeLimit
	defer func() { p.leave(ctx, s, limit) }()
	p.stopSignals() // from here on the screens take signals themselves
	err = ui.Run(context.WithoutCancel(ctx), ui.Options{
		Session: s, SettingsFile: s.SettingsFile, Pricing: s.Pricing, Words: p.words, Env: p.env, Version: versionText(), StateDir: o.Settings.StateDir, Crashes: crashes,
		Request: p.request,
	})
	var crashed *ui.Crashed
	if errors.As(err, &crashed) {
		limit = hurriedLimit
		return broken(crashed.Note)
	}
	var ended *ui.Ended
	if errors.As(err, &ended) {
		limit = hurriedLimit
		return endedBy(ended)
	}
	return err
}

// endedBy is the end by a signal, with the exit code that shells give it.
func endedBy(ended *ui.Ended) error {
	code := exitSignal
	if sig, ok := ended.Signal.(syscall.Signal); ok {
		code += int(sig)
	}
	return &failure{code: code, err: sentencef("ended by %v", ended.Signal)}
}

// leave closes a session and waits, up to a limit, for a request on its way.
func (p *program) leave(ctx context.Context, s *state.Session, limit time.Duration) {
	if s.Standing().Sending > 0 {
		p.notice(sentencef("A request is being sent: darkroom waits for its answer, %d s at most.", int(limit/time.Second)))
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	if err := s.Close(closing); err != nil {
		p.notice(err)
	}
}
