package run

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"darkroom/api"
)

// Say gives an English format with its arguments in the person's language.
func (p *Program) Say(format string, args ...any) string {
	return p.Words.Error(Sentencef(format, args...))
}

// Sentence says an error in the person's language, in one line.
func (p *Program) Sentence(err error) string { return api.OneLine(p.Words.Error(err)) }

// Println prints a line in the person's language.
func (p *Program) Println(format string, args ...any) { fmt.Fprintln(p.Out, p.Say(format, args...)) }

// Remark writes a line in the person's language to standard error, unless the
// run is quiet.
func (p *Program) Remark(format string, args ...any) {
	if !p.Quiet {
		fmt.Fprintln(p.Err, p.Say(format, args...))
	}
}

// Notice writes an error or a remark of the program's own to standard error. It
// repeats no key, such as one given where a command's name belongs: logs keep
// what is printed. Names of files in it steer no terminal.
func (p *Program) Notice(err error) {
	fmt.Fprintln(p.Err, "darkroom: "+Lines(api.HideKeys(p.Sentence(err))))
}

// Path prints the path of a result; where standard output cannot be written it
// goes to standard error, so that what was paid for is not lost.
func (p *Program) Path(path string) {
	if _, err := fmt.Fprintln(p.Out, path); err != nil {
		fmt.Fprintln(p.Err, path)
	}
}

// Fail prints an error where it belongs and gives the exit code.
func (p *Program) Fail(err error) int {
	f := FailureOf(err)
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

// Stream is standard output or standard error. A write to a pipe that nobody
// reads, or to a stopped terminal, lasts for ever: one that is under way when the
// run is to end has a last moment, and those after it are refused.
type Stream struct {
	File  *os.File
	Ended <-chan struct{} // the run is to end

	stuck  atomic.Bool
	failed atomic.Pointer[error] // the first write that failed
}

// CheckOutput gives the exit code of a run whose own code is code: 1 when its
// output could not be written, unless the run failed for a reason of its own.
func (p *Program) CheckOutput(code int) int {
	out, ok := p.Out.(*Stream)
	if !ok || out.failed.Load() == nil {
		return code
	}
	p.Notice(Sentencef("standard output: %s", FileError(*out.failed.Load())))
	return cmp.Or(code, ExitFailed)
}

// lastMoment is how long a write is waited for when the run is to end.
const lastMoment = time.Second

// Fd is the file's number, for those who ask whether it is a terminal.
func (s *Stream) Fd() uintptr { return s.File.Fd() }

func (s *Stream) Write(b []byte) (int, error) {
	n, err := s.write(b)
	if err != nil {
		s.failed.CompareAndSwap(nil, &err)
	}
	return n, err
}

func (s *Stream) write(b []byte) (int, error) {
	if s.stuck.Load() {
		return 0, os.ErrDeadlineExceeded
	}
	type written struct {
		n   int
		err error
	}
	done, text := make(chan written, 1), bytes.Clone(b) // the caller takes b back
	go func() {
		n, err := s.File.Write(text)
		done <- written{n, err}
	}()
	select {
	case w := <-done:
		return w.n, w.err
	case <-s.Ended:
	}
	select {
	case w := <-done:
		return w.n, w.err
	case <-time.After(lastMoment):
		s.stuck.Store(true)
		return 0, os.ErrDeadlineExceeded
	}
}

// progressEvery is how often a line of progress is written again.
const progressEvery = 500 * time.Millisecond

// Progress keeps one line on standard error, where a terminal reads that; a line
// of "" leaves the one before. The function that it returns takes the line away.
func (p *Program) Progress(ctx context.Context, dumb bool, line func(context.Context) string) func() {
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
