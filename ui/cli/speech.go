package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/words"
)

// sentence is a text of this package: an English format, which is its key in
// ui/words, and its arguments. Arguments that are errors, sentences among them,
// are translated with it. JSON documents take its English text, Error.
type sentence struct {
	format string
	args   []any
}

// sentencef makes a sentence. The format is a literal, so that the tests of
// ui/words find it.
func sentencef(format string, args ...any) error { return &sentence{format, args} }

// word is a sentence of one word out of a fixed set, such as a phase.
func word[S ~string](s S) error { return &sentence{format: string(s)} }

func (s *sentence) Error() string { return fmt.Sprintf(s.format, s.args...) }

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

// verbatim is a text that is the same in every language, such as a path.
type verbatim string

func (v verbatim) Error() string { return string(v) }

// because is a reason of a package below.
func because(why api.Reason) error { return &api.Fault{Reason: why} }

// speak chooses the language: that of the settings.
func (p *program) speak() {
	settings, err := state.LoadSettings(p.env)
	if err != nil { // there is no home folder
		settings.Lang = p.env("DARKROOM_LANG")
	}
	p.words = words.For(settings.Lang)
}

// say gives an English format with its arguments in the person's language.
func (p *program) say(format string, args ...any) string {
	return p.sentence(&sentence{format, args})
}

// sayln writes a line in the person's language to standard error.
func (p *program) sayln(format string, args ...any) {
	if p.quiet {
		return
	}
	fmt.Fprintln(p.err, p.say(format, args...))
}

// notice writes an error or a remark of the program's own to standard error. It
// repeats no key, such as one given where a command's name belongs: logs keep
// what is printed.
func (p *program) notice(err error) {
	fmt.Fprintln(p.err, "darkroom: "+oneLine(api.HideKeys(p.sentence(err))))
}

// sentence says an error in the person's language. Those of the packages below
// give a reason, which has a code; other words stay as they are.
func (p *program) sentence(err error) string {
	switch e := err.(type) {
	case *sentence:
		args := make([]any, len(e.args))
		for i, arg := range e.args {
			args[i] = arg
			if inner, ok := arg.(error); ok {
				args[i] = p.sentence(inner)
			}
		}
		return p.words.Say(e.format, args...)
	case verbatim:
		return string(e)
	case *failure:
		return p.sentence(e.err)
	case ruleError:
		return p.words.Problem(e.problem)
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok && strings.Contains(err.Error(), "\n") {
		var all []string
		for _, one := range joined.Unwrap() {
			all = append(all, p.sentence(one))
		}
		return strings.Join(all, " ")
	}
	return oneLine(p.words.Error(err))
}

// english says what JSON documents hold in every language.
var english = words.For("en")

// ruleError is an error about a rule that a request breaks.
type ruleError struct {
	problem api.Problem
	cause   error
}

func (b ruleError) Error() string { return english.Problem(b.problem) }
func (b ruleError) Unwrap() error { return b.cause }

// fileError says which file it is and what the system answered, without the
// name of the call that failed.
func fileError(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return sentencef("%s: %s", verbatim(path.Path), path.Err)
	case errors.As(err, &link):
		return sentencef("%s: %s", verbatim(link.New), link.Err)
	}
	return err
}
