package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

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
	Plain    bool // the problems' fields are not flags
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

// Printed ends a run whose result is printed with an exit code; ExitDone is not a
// failure.
func Printed(code int, err error) error {
	if code == ExitDone {
		return nil
	}
	return &Failure{Code: code, Err: err, Printed: true}
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
		f.Problems, f.Err = refusal.Problems, ruleError{refusal.Problems[0], f.Err}
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

// sentence is an English format, which is its key in ui/words, and its
// arguments. Arguments that are errors, sentences among them, are translated
// with it. JSON documents take its English text, Error.
type sentence struct {
	format string
	args   []any
}

// Sentencef makes a sentence. The format is a literal, so that the tests of
// ui/words find it.
func Sentencef(format string, args ...any) error { return &sentence{format, args} }

// Word is a sentence of one word out of a fixed set, such as a phase.
func Word[S ~string](s S) error { return &sentence{format: string(s)} }

func (s *sentence) Error() string { return fmt.Sprintf(s.format, s.args...) }

// In says the sentence in a language, with the errors and reasons among its
// arguments.
func (s *sentence) In(w *words.Words) string {
	args := slices.Clone(s.args)
	for i, arg := range args {
		switch arg := arg.(type) {
		case error:
			args[i] = api.OneLine(w.Error(arg))
		case api.Reason:
			args[i] = api.OneLine(w.Reason(arg))
		}
	}
	return w.Say(s.format, args...)
}

// Unwrap gives the errors among the arguments.
func (s *sentence) Unwrap() []error {
	var causes []error
	for _, arg := range s.args {
		if err, ok := arg.(error); ok {
			causes = append(causes, err)
		}
	}
	return causes
}

// Verbatim is a text that is the same in every language, such as a path.
type Verbatim string

func (v Verbatim) Error() string { return string(v) }

// In is the text.
func (v Verbatim) In(*words.Words) string { return string(v) }

// Because is a reason of a package below.
func Because(why api.Reason) error { return &api.Fault{Reason: why} }

// English are the words of JSON documents, in every language.
var English = words.For("en")

// ruleError is an error about a rule that a request breaks.
type ruleError struct {
	Problem api.Problem
	Cause   error
}

func (b ruleError) Error() string { return English.Problem(b.Problem) }
func (b ruleError) Unwrap() error { return b.Cause }

// In says the problem.
func (b ruleError) In(w *words.Words) string { return w.Problem(b.Problem) }

// FileError says which file it is and what the system answered, without the
// name of the call that failed.
func FileError(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return Sentencef("%s: %s", path.Path, path.Err)
	case errors.As(err, &link):
		return Sentencef("%s: %s", link.New, link.Err)
	}
	return err
}

// Credits writes an amount with its unit: "1 credit", "12.5 credits".
func Credits(c api.Credits) error {
	if c == api.Credit {
		return Sentencef("1 credit")
	}
	return Sentencef("%s credits", c.String())
}

// Phase is a phase in a word; its English one is that of JSON documents.
func Phase(p api.Phase) error { return Word(ShownPhase(p)) }

// ShownPhase leaves out the phase that only exists while a job is recorded.
func ShownPhase(p api.Phase) api.Phase {
	if p == api.PhaseIntent {
		return api.PhaseSending
	}
	return p
}

// Or joins names that can be chosen from.
func Or(names []string) error {
	if len(names) == 1 {
		return Verbatim(names[0])
	}
	return Sentencef("%s or %s", Or(names[:len(names)-1]), names[len(names)-1])
}
