package cli

import (
	"errors"
	"fmt"
	"strings"

	"darkroom/api"
	"darkroom/state"
)

// failure is an error with the exit code it ends the program with.
type failure struct {
	code     int
	err      error
	problems []api.Problem
	plain    bool // the problems' fields are no flags
	printed  bool // its document is on standard output already
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func withCode(code int, err error) error {
	if err == nil {
		return nil
	}
	return &failure{code: code, err: err}
}

// usage is a refusal before anything was sent, with a sentence of ours.
func usage(format string, args ...any) error {
	return &failure{code: exitUsage, err: sentencef(format, args...)}
}

// fail prints an error where it belongs and gives the exit code.
func (p *program) fail(err error) int {
	var f *failure
	if !errors.As(err, &f) {
		f = &failure{code: codeOf(err), err: err}
	}
	var refusal *state.Refusal
	if errors.As(err, &refusal) && f.problems == nil && len(refusal.Problems) > 0 {
		f.problems, f.err = refusal.Problems, ruleError{refusal.Problems[0], f.err}
	}
	if f.printed {
		return f.code
	}
	p.notice(f.err)
	for _, problem := range f.problems {
		name := flagOf(problem.Field)
		if f.plain {
			name = shownID(problem.Field)
		}
		fmt.Fprintf(p.err, "  %s: %s\n", name, p.words.Problem(problem))
	}
	if p.json {
		p.structured = structured{} // neither fields nor expressions are for failures
		p.printJSON(failureDocument(f))
	}
	return f.code
}

// codeOf gives the exit code of an error that names none itself.
func codeOf(err error) int {
	var refusal *state.Refusal
	var answer *api.Error
	switch {
	case errors.Is(err, state.ErrNoKey), errors.Is(err, state.ErrKeyRefused):
		return exitKey
	case errors.As(err, &refusal):
		return codeOfRefusal(refusal)
	case errors.Is(err, state.ErrNoBase), errors.Is(err, state.ErrNoJob), errors.Is(err, state.ErrNotHeld):
		return exitUsage
	case errors.Is(err, state.ErrReadOnly):
		return exitStore
	case errors.As(err, &answer) && answer.Class == api.ClassKey:
		return exitKey
	}
	return exitFailed
}

func codeOfRefusal(r *state.Refusal) int {
	switch r.Code {
	case "no_key", "key_refused":
		return exitKey
	case "store":
		return exitStore
	}
	return exitUsage
}

// codeOfPhase gives the exit code of a job that is not waited for any longer.
func codeOfPhase(job state.Job) int {
	switch job.Phase {
	case api.PhaseDone:
		return exitDone
	case api.PhaseUnknown, api.PhaseUnread:
		return exitUnknown
	case api.PhaseRejected:
		if job.ErrClass == api.ClassKey {
			return exitKey
		}
		return exitFailed
	case api.PhaseFailed, api.PhaseNotSent, api.PhaseExpired:
		return exitFailed
	}
	return exitWaiting
}

// flagOf names a spec field as its flag: functionMode is --function-mode.
func flagOf(field string) string {
	name, _, _ := strings.Cut(field, ".")
	switch name {
	case api.FieldPrompt:
		return "PROMPT"
	case api.FieldFunctionMode:
		return "--function-mode"
	}
	return "--" + strings.ReplaceAll(name, "_", "-")
}
