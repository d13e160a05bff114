// Package run is one run of a command: its streams and environment, the session
// that it works with, its arguments, flags and questions, what it prints and how
// it fails. Results and JSON documents go to standard output, and nothing else
// there; remarks, questions and errors to standard error.
package run

import (
	"context"
	"errors"
	"io"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/words"
)

// Program is one run of darkroom, so that a test can run many side by side.
type Program struct {
	Out, Err    io.Writer
	In          io.Reader
	Words       *words.Words
	JSON        bool // standard output carries one document
	Quiet       bool // only results, questions and errors
	Aligned     bool // standard output is a terminal: columns, not tabs
	ExitCode    int  // of a run that prints its result and ends without an error
	form        structured
	Env         func(string) string
	Terminal    func() bool                   // are standard input and output a terminal?
	CanAsk      func() bool                   // are standard input and standard error a terminal?
	Columns     func() int                    // how wide standard output is; 0 if it is not a terminal
	BaseURL     string                        // of the flag
	Version     string                        // such as 1.2.3
	FullVersion string                        // with the commit
	StopSignals func()                        // gives signals back to whoever takes them next
	Crash       func(cause any, stack []byte) // ends the program after a panic in one of the session's goroutines
}

// Speak chooses the language: that of the settings.
func (p *Program) Speak() {
	settings, err := state.LoadSettings(p.Env)
	if err != nil { // there is no home folder
		settings.Lang = p.Env("DARKROOM_LANG")
	}
	p.Words = words.For(settings.Lang)
}

// Settings loads the settings with the flags on top.
func (p *Program) Settings() (state.Settings, error) {
	env := p.Env
	if p.BaseURL != "" {
		if _, err := api.ParseBase(p.BaseURL); err != nil {
			return state.Settings{}, Usagef("--base-url: %s", err)
		}
		env = Over(p.Env, map[string]string{"DARKROOM_BASE_URL": p.BaseURL})
	}
	s, err := state.LoadSettings(env)
	if err != nil {
		return s, WithCode(ExitUsage, err)
	}
	for _, problem := range s.Problems {
		p.Notice(Because(problem))
	}
	return s, nil
}

// Over is an environment with some variables replaced.
func Over(env func(string) string, own map[string]string) func(string) string {
	return func(name string) string {
		if value, ok := own[name]; ok {
			return value
		}
		return env(name)
	}
}

// With runs do with an open session and closes it afterwards. A damaged store is
// exit 4: the new one in its place is empty, which does not answer any question.
func (p *Program) With(ctx context.Context, poll bool, do func(*state.Session) error) error {
	return p.WithAnyStore(ctx, poll, func(s *state.Session) error {
		if st := s.Health(); st.Damaged {
			return WithCode(ExitStore, Because(st.ReadOnly))
		}
		return do(s)
	})
}

// WithAnyStore is With for commands that are of use with a damaged store too.
func (p *Program) WithAnyStore(ctx context.Context, poll bool, do func(*state.Session) error) (err error) {
	settings, err := p.Settings()
	if err != nil {
		return err
	}
	s, err := state.Open(ctx, state.Options{Settings: settings, Env: p.Env, Version: p.Version, Poll: poll, Crash: p.Crash})
	if err != nil {
		return WithCode(ExitStore, err)
	}
	defer func() {
		var lost *state.LostError
		if !errors.As(s.Close(context.WithoutCancel(ctx)), &lost) {
			return
		}
		p.Notice(lost)
		if err == nil { // what was sent is not in the store
			err = &Failure{Code: ExitStore, Err: lost, Printed: true}
		}
	}()
	return do(s)
}

// WithService is With for commands that call the service: a missing address is
// a usage error, a missing key is exit 5, both before anything is requested.
func (p *Program) WithService(ctx context.Context, poll bool, do func(*state.Session) error) error {
	return p.With(ctx, poll, func(s *state.Session) error {
		if err := CanCall(ctx, s); err != nil {
			return err
		}
		return do(s)
	})
}

// CanCall refuses before anything else what cannot be called.
func CanCall(ctx context.Context, s *state.Session) error {
	if err := UsableBase(s.Settings()); err != nil {
		return err
	}
	return WithCode(ExitKey, s.Remote.AwaitKey(ctx))
}

// UsableBase refuses a missing address and one that is none.
func UsableBase(settings state.Settings) error {
	if settings.BaseURL == "" {
		return WithCode(ExitUsage, state.ErrNoBase)
	}
	_, err := api.ParseBase(settings.BaseURL)
	return WithCode(ExitUsage, err)
}
