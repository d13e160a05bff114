package run

import (
	"errors"
	"fmt"

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
	ExitWaiting  = 7   // stopped waiting, the job goes on
	ExitSignal   = 128 // plus the number of the signal that ended the screens
)

// Failure is an error with the exit code it ends the program with.
type Failure struct {
	Code     int
	Err      error
	Problems []api.Problem
	Plain    bool // the problems' fields are no flags
	Printed  bool // its document is on standard output already
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

// Usagef is a refusal before anything was sent.
func Usagef(format string, args ...any) error {
	return &Failure{Code: ExitUsage, Err: Sentencef(format, args...)}
}

// FailureOf is an error as a failure: with its own exit code or the one that
// follows from its cause, and with the problems that a refusal names.
func FailureOf(err error) *Failure {
	var f *Failure
	if !errors.As(err, &f) {
		f = &Failure{Code: CodeOf(err), Err: err}
	}
	var refusal *state.Refusal
	if errors.As(err, &refusal) && f.Problems == nil && len(refusal.Problems) > 0 {
		f.Problems, f.Err = refusal.Problems, RuleError{refusal.Problems[0], f.Err}
	}
	return f
}

// CodeOf gives the exit code of an error that names none itself.
func CodeOf(err error) int {
	var refusal *state.Refusal
	var answer *api.Error
	switch {
	case errors.Is(err, state.ErrNoKey), errors.Is(err, state.ErrKeyRefused):
		return ExitKey
	case errors.As(err, &refusal):
		switch refusal.Code {
		case "no_key", "key_refused":
			return ExitKey
		case "store":
			return ExitStore
		}
		return ExitUsage
	case errors.Is(err, state.ErrNoBase), errors.Is(err, state.ErrNoJob), errors.Is(err, state.ErrNotHeld):
		return ExitUsage
	case errors.Is(err, state.ErrReadOnly):
		return ExitStore
	case errors.As(err, &answer) && answer.Class == api.ClassKey:
		return ExitKey
	}
	return ExitFailed
}

// CodeOfJob gives the exit code of a job that is not waited for any longer.
func CodeOfJob(job state.Job) int {
	switch job.Phase {
	case api.PhaseDone:
		return ExitDone
	case api.PhaseUnknown, api.PhaseUnread:
		return ExitUnknown
	case api.PhaseRejected:
		if job.ErrClass == api.ClassKey {
			return ExitKey
		}
		return ExitFailed
	case api.PhaseFailed, api.PhaseNotSent, api.PhaseExpired:
		return ExitFailed
	}
	return ExitWaiting
}

// Hidden stands where a value does that could name a person, a service or a
// folder.
const Hidden = "…"

// Anonymous is what an error says without what others wrote: sentences and
// reasons of this program with their numbers, all other values Hidden.
func Anonymous(err error) error {
	var answer *api.Error
	var fault *api.Fault
	switch e := err.(type) {
	case nil:
		return Verbatim("")
	case *sentence:
		args := make([]any, len(e.args))
		for i, arg := range e.args {
			switch arg := arg.(type) {
			case int, bool:
				args[i] = arg
			case error:
				args[i] = Anonymous(arg)
			case api.Reason:
				args[i] = withoutValues(arg)
			default:
				args[i] = Verbatim(Hidden)
			}
		}
		return &sentence{e.format, args}
	case *Failure:
		return Anonymous(e.Err)
	}
	switch {
	case errors.As(err, &answer):
		text := Verbatim(answer.Class)
		if answer.Status > 0 {
			text += Verbatim(fmt.Sprintf(", HTTP %d", answer.Status))
		}
		if answer.Reason.IsZero() {
			return text
		}
		return Sentencef("%s (%s)", withoutValues(answer.Reason), text)
	case errors.As(err, &fault):
		return Because(withoutValues(fault.Reason))
	}
	return Verbatim(Hidden)
}

// withoutValues is a reason with its texts Hidden; reasons within it stay.
func withoutValues(why api.Reason) api.Reason {
	if why.Format() == api.ReasonText {
		return api.ReasonText.Reason(Hidden)
	}
	args := why.Args()
	for i, arg := range args {
		switch arg := arg.(type) {
		case api.Reason:
			args[i] = withoutValues(arg)
		default:
			args[i] = Hidden
		}
	}
	return why.Format().Reason(args...)
}
