// Package linear has the flows of the screens as plain lines.
package linear

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui"
	"darkroom/ui/cli/create"
	"darkroom/ui/cli/output"
	"darkroom/ui/cli/program"
	"darkroom/ui/cli/say"
)

// linear is the flows of the screens as plain lines: a prompt is priced, asked
// about and sent; what happens to jobs comes as one line for each change; every
// command of the command line works behind a slash. Nothing is ever drawn over.
type linear struct {
	p       create.Run
	run     func(context.Context, *program.Program, []string) int
	o       state.Options
	s       *state.Session
	kind    api.Kind
	asked   map[api.Kind][]string // the flags given with /image and /video
	in      *bufio.Reader
	reading chan typedLine // of the read under way; nil when there is none
	phases  map[string]api.Phase
	trouble api.Reason
	again   bool // the key has changed: the session is opened anew
}

type typedLine struct {
	text  string
	block bool // several lines that were pasted: a prompt
	err   error
}

// Run reads lines until it is quit, its input ends or a signal comes. run runs
// a command.
func Run(ctx context.Context, p *program.Program, o state.Options, run func(context.Context, *program.Program, []string) int) error {
	p.StopSignals()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT)
	defer signal.Stop(signals)
	go func() {
		select {
		case s := <-signals:
			stop(&ui.Ended{Signal: s})
		case <-ctx.Done():
		}
	}()
	o.Crash = p.Crash
	l := &linear{
		p: create.New(p), run: run, o: o, kind: api.KindImage, asked: map[api.Kind][]string{},
		in: bufio.NewReader(p.In), phases: map[string]api.Phase{},
	}
	if p.Terminal() {
		fmt.Fprint(p.Err, program.AskForPasteMarks)
		defer fmt.Fprint(p.Err, program.EndPasteMarks)
	}
	p.Println("darkroom, line by line. Write a prompt, or /help.")
	for {
		err := l.session(ctx)
		if !l.again || err != nil || ctx.Err() != nil {
			return err
		}
	}
}

// session opens a session and works with it until the person leaves or the key
// changes.
func (l *linear) session(ctx context.Context) error {
	p := l.p
	s, err := state.Open(ctx, l.o)
	if err != nil {
		return say.WithCode(say.ExitStore, err)
	}
	l.s, l.again = s, false
	limit := program.CloseLimit
	defer func() { p.Leave(ctx, s, limit) }()
	if err := s.Remote.AwaitKey(ctx); err != nil && ctx.Err() == nil {
		fmt.Fprintln(p.Out, api.OneLine(p.Say("No key: %s. /login keeps one.", err)))
	}
	l.printState(ctx)
	changes := make(chan []string)
	go func() {
		for {
			ids, err := s.Wait(ctx)
			if err != nil {
				return
			}
			select {
			case changes <- ids:
			case <-ctx.Done():
				return
			}
		}
	}()
	err = l.loop(ctx, changes)
	var ended *ui.Ended
	if errors.As(context.Cause(ctx), &ended) {
		fmt.Fprintln(p.Out)
		limit = program.HurriedLimit
		return program.EndedBy(ended.Signal)
	}
	return err
}

func (l *linear) loop(ctx context.Context, changes <-chan []string) error {
	p := l.p
	for !l.again {
		prompt := p.Sentence(say.Word(l.kind)) + "> "
		fmt.Fprint(p.Out, prompt)
	waiting:
		for {
			select {
			case <-ctx.Done():
				return nil
			case ids := <-changes:
				if lines := l.changed(ctx, ids); len(lines) > 0 {
					fmt.Fprintf(p.Out, "\n%s\n%s", strings.Join(lines, "\n"), prompt)
				}
			case line := <-l.read():
				l.reading = nil
				if line.err != nil && line.text == "" { // the end of the input is a way out
					fmt.Fprintln(p.Out)
					return nil
				}
				if done := l.take(ctx, line); done {
					return nil
				}
				break waiting
			}
		}
	}
	return nil
}

// read reads one line, and none ahead: questions read lines of their own.
func (l *linear) read() <-chan typedLine {
	if l.reading == nil {
		reading := make(chan typedLine, 1)
		l.reading = reading
		go func() {
			text, pasted, err := program.ReadBlock(l.in)
			reading <- typedLine{text, pasted && strings.Contains(text, "\n"), err}
		}()
	}
	return l.reading
}

// take does what a line says. A failure is printed and the next line awaited.
func (l *linear) take(ctx context.Context, typed typedLine) (done bool) {
	line := typed.text
	if strings.TrimSpace(line) == "" {
		return false
	}
	command, slash := strings.CutPrefix(line, "/")
	if !slash || typed.block {
		l.report(l.create(ctx, strings.TrimSpace(line)))
		return false
	}
	words, whole := api.ShellWords(command)
	if !whole || len(words) == 0 {
		fmt.Fprintln(l.p.Out, l.p.Say("A quote is not closed, or there is no command; see /help."))
		return false
	}
	switch words[0] {
	case "quit", "exit", "q":
		return true
	case "help", "?":
		if len(words) == 1 {
			fmt.Fprint(l.p.Out, l.help())
			return false
		}
	case string(api.KindImage), string(api.KindVideo):
		if !slices.Contains(words, "--help") && !slices.Contains(words, "-h") {
			l.report(l.turn(api.Kind(words[0]), words[1:]))
			return false
		}
	case "price":
		l.report(l.price(ctx))
		return false
	}
	q := *l.p.Program
	q.Env = l.o.Env
	if base := l.o.Settings.BaseURL; base != "" {
		q.Env = program.Over(l.o.Env, map[string]string{"DARKROOM_BASE_URL": base})
	}
	q.BaseURL, q.JSON, q.ExitCode = "", false, say.ExitDone
	code := l.run(ctx, &q, words)
	l.again = code == say.ExitDone && (words[0] == "login" || words[0] == "logout")
	return false
}

func (l *linear) report(err error) {
	if err != nil {
		l.p.Fail(err)
	}
}

// turn makes the next prompts of a kind, with the flags from now on.
func (l *linear) turn(kind api.Kind, flags []string) error {
	if _, err := create.RequestOf(kind, flags); err != nil {
		return err
	}
	l.kind, l.asked[kind] = kind, flags
	return nil
}

// price says what the next prompt costs.
func (l *linear) price(ctx context.Context) error {
	r, err := create.RequestOf(l.kind, l.asked[l.kind])
	if err != nil {
		return err
	}
	if err := program.CanCall(ctx, l.s); err != nil {
		return err
	}
	r.Prompt = "-" // a price does not depend on it
	r, estimate, err := l.p.Price(ctx, l.s, r)
	if r.Model == "" {
		return err
	}
	fmt.Fprintf(l.p.Out, "%s · %s\n", output.ID(r.Model), api.OneLine(l.p.Sentence(program.PriceText(estimate, err))))
	return nil
}

// create sends a prompt, after its price was agreed to.
func (l *linear) create(ctx context.Context, line string) error {
	if err := program.CanCall(ctx, l.s); err != nil {
		return err
	}
	r, err := create.RequestOf(l.kind, l.asked[l.kind])
	if err != nil {
		return err
	}
	prompt := line
	if line != "-" { // which would wait for the rest of the input
		if prompt, err = l.p.ReadPrompt(ctx, line); err != nil {
			return err
		}
	}
	if r, err = create.Filled(r, false, prompt); err != nil {
		return err
	}
	job, err := l.p.Send(ctx, l.s, r)
	if err != nil {
		return err
	}
	l.phases[job.ID] = job.Phase
	l.p.Println("job %s · %s", job.ID, say.Phase(api.PhaseSending))
	return nil
}
