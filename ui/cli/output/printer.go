// Package output prints for one run of a command: results and JSON documents to
// standard output, and nothing else there; remarks and errors to standard error.
package output

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

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
	form     structured
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
		p.form = structured{} // neither fields nor expressions are for failures
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

// Raw is an answer as JSON: itself, or a string when it is not JSON.
func Raw(answer []byte) json.RawMessage {
	if len(answer) == 0 {
		return json.RawMessage("null")
	}
	answer = []byte(api.HideKeys(string(answer)))
	if json.Valid(answer) {
		return answer
	}
	text, err := json.Marshal(string(answer))
	if err != nil {
		return json.RawMessage("null")
	}
	return text
}

// Valid is a document of JSON, or null for what is none.
func Valid(raw []byte) json.RawMessage {
	if !json.Valid(raw) {
		return json.RawMessage("null")
	}
	return raw
}

// RawOf is the answer that an error is about, or nothing.
func RawOf(err error) json.RawMessage {
	var answer *api.Error
	if !errors.As(err, &answer) || len(answer.Raw) == 0 {
		return nil
	}
	return Raw(answer.Raw)
}

// OrNull is a text, or null for "".
func OrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

type failureJSON struct {
	Error    string        `json:"error"`
	ExitCode int           `json:"exit_code"`
	Problems []problemJSON `json:"problems,omitempty"`
	// Raw is the service's answer, when that is what the error is about.
	Raw json.RawMessage `json:"raw,omitempty"`
}

type problemJSON struct {
	Field    string `json:"field"`
	Code     string `json:"code"`
	Sentence string `json:"sentence"`
}

func failureDocument(f *say.Failure) failureJSON {
	d := failureJSON{Error: api.HideKeys(f.Error()), ExitCode: f.Code, Raw: RawOf(f.Err)}
	for _, problem := range f.Problems {
		d.Problems = append(d.Problems, problemJSON{problem.Field, problem.Code, say.English.Problem(problem)})
	}
	return d
}

// Documents makes a document of each element; never nil, which JSON would call
// null.
func Documents[T, D any](list []T, of func(T) D) []D {
	all := make([]D, 0, len(list))
	for _, one := range list {
		all = append(all, of(one))
	}
	return all
}

// progressEvery is how often a line of progress is written anew.
const progressEvery = 500 * time.Millisecond

// Progress keeps one line on standard error, where a terminal reads that; a line
// of "" leaves the one before. The function that it returns takes the line away.
func (p *Printer) Progress(ctx context.Context, dumb bool, line func(context.Context) string) func() {
	file, ok := p.Err.(interface{ Fd() uintptr })
	if !ok || p.Quiet || dumb || !term.IsTerminal(file.Fd()) {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		every := time.NewTicker(progressEvery)
		defer every.Stop()
		for {
			select {
			case <-ctx.Done():
				fmt.Fprint(p.Err, "\r"+ansi.EraseLineRight)
				return
			case <-every.C:
			}
			if text := line(ctx); text != "" {
				columns, _, err := term.GetSize(file.Fd())
				if err != nil {
					columns = 80
				}
				fmt.Fprint(p.Err, "\r"+ansi.Truncate(text, columns-1, "…")+ansi.EraseLineRight)
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}
