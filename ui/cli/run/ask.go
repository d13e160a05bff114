package run

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"darkroom/state"
)

// answerAfter is how long after a question lines answer nothing: they were
// typed or pasted before it could be read.
const answerAfter = 300 * time.Millisecond

// The marks that a terminal puts around what is pasted, once it is asked to.
const (
	AskForPasteMarks = "\x1b[?2004h"
	EndPasteMarks    = "\x1b[?2004l"
	pasteBegins      = "\x1b[200~"
	pasteEnds        = "\x1b[201~"
)

// ReadBlock reads one line, or all lines of a paste as one text without the
// marks around it.
func ReadBlock(in *bufio.Reader) (text string, pasted bool, err error) {
	line, err := in.ReadString('\n')
	text = line
	for strings.LastIndex(text, pasteBegins) > strings.LastIndex(text, pasteEnds) && err == nil {
		line, err = in.ReadString('\n')
		text += line
	}
	pasted = strings.Contains(text, pasteBegins)
	text = strings.NewReplacer(pasteBegins, "", pasteEnds, "").Replace(text)
	return strings.TrimRight(text, "\r\n"), pasted, err
}

// Ask puts a yes-or-no question; anything but y or yes is a no, which is exit 2.
// Without a terminal nobody can read the question. What was typed or pasted
// before it was shown does not answer it.
func (p *Program) Ask(ctx context.Context, question error) error {
	if !p.CanAsk() {
		return Usagef("not done: without a terminal to ask on, --yes is needed")
	}
	type answer struct {
		text   string
		pasted bool
		err    error
		at     time.Time
	}
	in := bufio.NewReader(p.In)
	for {
		fmt.Fprintf(p.Err, "%s [y/N] ", p.Sentence(question))
		asked, answers := time.Now(), make(chan answer, 1)
		go func() {
			text, pasted, err := ReadBlock(in)
			answers <- answer{text, pasted, err, time.Now()}
		}()
		select {
		case <-ctx.Done():
			fmt.Fprintln(p.Err)
			return ErrAborted
		case a := <-answers:
			if a.err == nil && (a.pasted || a.at.Sub(asked) < answerAfter) {
				continue
			}
			if word := strings.ToLower(strings.TrimSpace(a.text)); a.err == nil && (word == "y" || word == "yes") {
				return nil
			}
			return Usagef("not sent")
		}
	}
}

// CanAgree refuses early what nobody here can agree to.
func (p *Program) CanAgree(yes bool) error {
	if !yes && !p.CanAsk() {
		return Usagef("nothing was sent: without a terminal to ask on, --yes is needed")
	}
	return nil
}

// Agree is Ask unless the answer was given by a flag.
func (p *Program) Agree(ctx context.Context, yes bool, question error) error {
	if yes {
		return nil
	}
	return p.Ask(ctx, question)
}

// ReadInput reads a file, or standard input for "-", to its end, but no more than
// limit bytes. A signal ends it too: a pipe may never say anything.
func (p *Program) ReadInput(ctx context.Context, name string, limit int64) ([]byte, error) {
	type read struct {
		text []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		from := p.In
		if name != "-" {
			file, err := os.Open(name) // of a named pipe it waits for a writer
			if err != nil {
				done <- read{nil, err}
				return
			}
			defer file.Close()
			from = file
		}
		text, err := io.ReadAll(io.LimitReader(from, limit))
		done <- read{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return nil, ErrAborted
	}
}

// How long leaving waits for a send in progress: after the person's own key,
// and after a signal or a crash.
const (
	CloseLimit   = 10 * time.Second
	HurriedLimit = 3 * time.Second
)

// ErrAborted ends a run that was interrupted before it sent anything.
var ErrAborted = WithCode(ExitUsage, Sentencef("stopped; nothing was sent"))

// Within is a context with a time limit; 0 is none.
func Within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, limit)
}

// Leave closes a session and waits, up to a limit, for a request on its way.
func (p *Program) Leave(ctx context.Context, s *state.Session, limit time.Duration) {
	if s.Health().Sending > 0 {
		p.Notice(Sentencef("A request is being sent: darkroom waits for its answer, %d s at most.", int(limit/time.Second)))
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	if err := s.Close(closing); err != nil {
		p.Notice(err)
	}
}

// EndedBy is the end by a signal, with the exit code that shells give it.
func EndedBy(ended os.Signal) error {
	code := ExitSignal
	if sig, ok := ended.(syscall.Signal); ok {
		code += int(sig)
	}
	return &Failure{Code: code, Err: Sentencef("ended by %v", ended)}
}
