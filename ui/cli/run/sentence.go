package run

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/words"
)

// Hidden stands for what could name a person, a service or a folder.
const Hidden = "…"

// Anonymous is what an error says without what others wrote: sentences and
// reasons of this program with their numbers, all other values Hidden.
func Anonymous(err error) error {
	if ours, ok := errors.AsType[*sentence](err); ok {
		return &sentence{ours.format, api.Map(ours.args, anonymous)}
	}
	if answer, ok := errors.AsType[*api.Error](err); ok {
		text := Verbatim(answer.Class)
		if answer.Status > 0 {
			text += Verbatim(fmt.Sprintf(", HTTP %d", answer.Status))
		}
		if answer.Reason.IsZero() {
			return text
		}
		return Sentencef("%s (%s)", anonymous(answer.Reason), text)
	}
	if fault, ok := errors.AsType[*api.Fault](err); ok {
		return &sentence{"%s", []any{anonymous(fault.Reason)}}
	}
	return Verbatim(Hidden)
}

func anonymous(value any) any {
	switch v := value.(type) {
	case int, bool:
		return v
	case error:
		return Anonymous(v)
	case api.Reason:
		if v.Format() != api.ReasonText {
			return v.Format().Reason(api.Map(v.Args(), anonymous)...)
		}
	}
	return Hidden
}

// sentence is an English format, the key of its translation, and its arguments, of
// which errors and reasons are translated too. JSON documents take its Error.
type sentence struct {
	format string
	args   []any
}

// Sentencef makes a sentence. Tests of ui/words find formats that are literals.
func Sentencef(format string, args ...any) error { return &sentence{format, args} }

// Word is a sentence of one word out of a fixed set, such as a phase.
func Word[S ~string](s S) error { return &sentence{format: string(s)} }

func (s *sentence) Error() string {
	return midStop().ReplaceAllString(fmt.Sprintf(s.format, s.args...), "$1$2")
}

// In says the sentence in a language.
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
	return midStop().ReplaceAllString(w.Say(s.format, args...), "$1$2")
}

// midStop is the full stop of a sentence that another one goes on after.
var midStop = api.Pattern(`([^.])[.。]([;)；）])`)

// Unwrap gives the errors among the arguments.
func (s *sentence) Unwrap() []error {
	return api.Pick(s.args, func(arg any) (error, bool) { err, is := arg.(error); return err, is })
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

// FileError says which file it is and what the system answered.
func FileError(err error) error {
	if path, ok := errors.AsType[*os.PathError](err); ok {
		return Sentencef("%s: %s", path.Path, path.Err)
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return Sentencef("%s: %s", link.New, link.Err)
	}
	return err
}

// Credits is an amount with its unit, and what it is in money: "12.5 credits (0.13 EUR)".
type Credits api.Credits

func (c Credits) Error() string { return c.In(English) }

// In says the amount in a language.
func (c Credits) In(w *words.Words) string {
	return w.Reason(api.Credits(c).Amount()) + w.Credit.Of(api.Credits(c))
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
	return Sentencef("%s or %s", strings.Join(names[:len(names)-1], ", "), names[len(names)-1])
}

// Meant is the end of a sentence about a name that is none of these: which one is near, else what is given in place of that.
func Meant(given string, names []string, others ...error) error {
	if near := api.Near(given, names); len(near) > 0 {
		return Sentencef("; did you mean %s?", Or(api.Map(near, ID)))
	}
	return append(others, Verbatim(""))[0]
}

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
	if !ok {
		f = &Failure{Code: CodeOf(err), Err: err}
	}
	if refusal, ok := errors.AsType[*state.Refusal](err); ok && f.Problems == nil && len(refusal.Problems) > 0 {
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
	case is(state.ErrNoKey), is(state.ErrKeyRefused), refused && (refusal.Code == "no_key" || refusal.Code == "key_refused"):
		return ExitKey
	case refused && refusal.Code == "store", !refused && is(state.ErrReadOnly):
		return ExitStore
	case refused, is(state.ErrNoBase), is(state.ErrNoJob), is(state.ErrNotHeld):
		return ExitUsage
	case answered && answer.Class == api.ClassKey:
		return ExitKey
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

// refusedKey says that a key which the service refused is the variable's, unless login has just read it.
func refusedKey(env func(string) string, err error) error {
	answer, ok := errors.AsType[*api.Error](err)
	if env("DARKROOM_API_KEY") == "" || ok == errors.Is(err, state.ErrKeyRefused) || ok && answer.Class != api.ClassKey {
		return err
	}
	return Sentencef("the service refused the key in DARKROOM_API_KEY (401): copy it again from the service's API key page")
}
