package run

import (
	"context"
	"errors"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/words"
)

// Exit codes. Scripts rely on them.
const (
	ExitDone     = 0
	ExitFailed   = 1
	ExitUsage    = 2   // refused before anything was sent
	ExitTerminal = 3   // needs a terminal
	ExitStore    = 4   // store unusable
	ExitKey      = 5   // key missing or refused
	ExitUnknown  = 6   // may have been accepted and charged
	ExitWaiting  = 7   // stopped waiting, the job goes on or is held
	ExitHeld     = 8   // asked for by an agent: a person sends it
	ExitSignal   = 128 // plus the number of the signal that ended the screens
)

// Failure is an error with the exit code it ends the program with.
type Failure struct {
	Code     int
	Err      error
	Value    string // of the flag that the error begins with
	Problems []api.Problem
	Line     int        // of a list
	Lines    []*Failure // all lines of a list that are wrong
	Plain    bool       // the problems' fields are not flags
	Printed  bool       // its document is on standard output already
}

func (f *Failure) Error() string { return f.Err.Error() }
func (f *Failure) Unwrap() error { return f.Err }

// In says the error in a language.
func (f *Failure) In(w *words.Words) string { return w.Error(f.Err) }

// WithCode gives an error its exit code; nil stays nil.
func WithCode(code int, err error) error {
	if err == nil {
		return nil
	}
	return &Failure{Code: code, Err: err}
}

// Printed ends a run that has printed all, with an exit code.
func Printed(code int) error {
	if code == ExitDone {
		return nil
	}
	return &Failure{Code: code, Err: Verbatim("printed"), Printed: true}
}

// Usagef is a refusal before anything was sent.
func Usagef(format string, args ...any) error {
	return &Failure{Code: ExitUsage, Err: Sentencef(format, args...)}
}

const unsent = "%s; nothing was sent"

// Unsent is a refusal that says that nothing was sent.
func Unsent(err error) error { return Usagef(unsent, err) }

// OfLine is what a refusal says in a list below a sentence that says that nothing was sent.
func OfLine(err error) error {
	if s, ok := err.(*sentence); ok && (s.format == unsent || s.format == "nothing was sent: %s") {
		return s.args[0].(error)
	}
	return err
}

// BadValue refuses the value of a flag, and says what it would have to be.
func BadValue(flag, value string, want error) error {
	return &Failure{Code: ExitUsage, Err: Sentencef("--%s: %q is not %s", flag, value, want), Value: value}
}

// Refused is the refusal that an error is, if it has this code.
func Refused(err error, code string) *state.Refusal {
	if refusal, ok := errors.AsType[*state.Refusal](err); ok && refusal.Code == code {
		return refusal
	}
	return nil
}

// FailureOf is an error as a failure: with its own exit code or the one that
// follows from its cause, and with the problems that a refusal names.
func FailureOf(err error) *Failure {
	f, ok := errors.AsType[*Failure](err)
	if !ok && errors.Is(err, context.Canceled) { // by a signal; what was sent before is not known here
		err = Sentencef("stopped")
	}
	if !ok {
		f = &Failure{Code: CodeOf(err), Err: err}
	}
	if refusal, ok := errors.AsType[*state.Refusal](err); ok && len(refusal.Problems) > 0 {
		f.Problems, f.Err = refusal.Problems, Sentencef("invalid request, nothing was sent")
	}
	return f
}

// CodeOf gives the exit code of an error that names none itself.
func CodeOf(err error) int {
	is := func(target error) bool { return errors.Is(err, target) }
	refusal, refused := errors.AsType[*state.Refusal](err)
	answer, answered := errors.AsType[*api.Error](err)
	switch {
	case is(state.ErrNoKey), is(state.ErrKeyRefused), !refused && answered && answer.Class == api.ClassKey:
		return ExitKey
	case refused && refusal.Code == "store", !refused && is(state.ErrReadOnly), is(state.ErrMoved):
		return ExitStore
	case refused, is(state.ErrNoBase), is(state.ErrNoJob), is(state.ErrNotHeld):
		return ExitUsage
	}
	return ExitFailed
}

// CodeOfJob gives the exit code of a job that is not waited for any longer.
func CodeOfJob(job state.Job) int {
	switch {
	case job.Phase == api.PhaseDone:
		return ExitDone
	case job.Phase == api.PhaseUnknown, job.Phase == api.PhaseUnread:
		return ExitUnknown
	case job.Phase == api.PhaseRejected && job.ErrClass == api.ClassKey:
		return ExitKey
	case job.Phase == api.PhaseRejected, job.Phase == api.PhaseFailed, job.Phase == api.PhaseNotSent, job.Phase == api.PhaseExpired:
		return ExitFailed
	}
	return ExitWaiting
}
