// Package output prints for one run of a command: results and JSON documents to
// standard output, and nothing else there; remarks and errors to standard error.
package output

import (
	"fmt"
	"io"

	"darkroom/api"
	"darkroom/ui/cli/say"
	"darkroom/ui/words"
)

// Printer is where and how a run prints.
type Printer struct {
	Out, Err io.Writer
	Words    *words.Words
	JSON     bool // standard output carries one document
	Quiet    bool // only results, questions and errors
	Aligned  bool // standard output is a terminal: columns, not tabs
	ExitCode int  // of a run that prints its result and ends without an error
	structured
}

// Say gives an English format with its arguments in the person's language.
func (p *Printer) Say(format string, args ...any) string {
	return p.Sentence(say.Sentencef(format, args...))
}

// Sentence says an error in the person's language.
func (p *Printer) Sentence(err error) string { return say.In(p.Words, err) }

// Println prints a line in the person's language.
func (p *Printer) Println(format string, args ...any) { fmt.Fprintln(p.Out, p.Say(format, args...)) }

// Remark writes a line in the person's language to standard error, unless the
// run is quiet.
func (p *Printer) Remark(format string, args ...any) {
	if !p.Quiet {
		fmt.Fprintln(p.Err, p.Say(format, args...))
	}
}

// Notice writes an error or a remark of the program's own to standard error. It
// repeats no key, such as one given where a command's name belongs: logs keep
// what is printed. Names of files in it steer no terminal.
func (p *Printer) Notice(err error) {
	fmt.Fprintln(p.Err, "darkroom: "+Lines(api.OneLine(api.HideKeys(p.Sentence(err)))))
}

// Path prints the path of a result; where standard output cannot be written it
// goes to standard error, so that what was paid for is not lost.
func (p *Printer) Path(path string) {
	if _, err := fmt.Fprintln(p.Out, path); err != nil {
		fmt.Fprintln(p.Err, path)
	}
}

// Fail prints an error where it belongs and gives the exit code.
func (p *Printer) Fail(err error) int {
	f := say.FailureOf(err)
	if f.Printed {
		return f.Code
	}
	p.Notice(f.Err)
	for _, problem := range f.Problems {
		name := FlagOf(problem.Field)
		if f.Plain {
			name = ID(problem.Field)
		}
		fmt.Fprintf(p.Err, "  %s: %s\n", name, p.Words.Problem(problem))
	}
	if p.JSON {
		p.structured = structured{} // neither fields nor expressions are for failures
		p.PrintJSON(failureDocument(f))
	}
	return f.Code
}

// Stdout is standard output; it remembers the first write that failed, so that
// a command whose result went nowhere does not end as if all were well.
type Stdout struct {
	To  io.Writer
	err error
}

func (o *Stdout) Write(b []byte) (int, error) {
	n, err := o.To.Write(b)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// Check gives the exit code of a run whose own code is code: 1 when its output
// could not be written, unless the run failed for a reason of its own.
func (o *Stdout) Check(p *Printer, code int) int {
	if o.err == nil {
		return code
	}
	p.Notice(say.Sentencef("standard output: %s", say.FileError(o.err)))
	if code == say.ExitDone {
		return say.ExitFailed
	}
	return code
}
