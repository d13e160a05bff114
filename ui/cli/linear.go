package cli

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
	"darkroom/ui/cli/run"
)

// linear is the flows of the screens as plain lines: a prompt is priced, asked
// about and sent; what happens to jobs comes as one line for each change; every
// command of the command line works behind a slash. Nothing is ever drawn over.
type linear struct {
	p       create.Run
	o       state.Options
	s       *state.Session
	kind    api.Kind
	asked   map[api.Kind][]string // the flags given with /image and /video
	in      *bufio.Reader
	reading chan typedLine // of the read under way; nil when there is none
	phases  map[string]api.Phase
	trouble api.Reason
	again   bool // the key has changed: the session is opened again
}

type typedLine struct {
	text  string
	block bool // several lines that were pasted: a prompt
	err   error
}

// lines reads lines until it is quit, its input ends or a signal comes.
func (p *commands) lines(ctx context.Context, o state.Options) error {
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
		p: create.Run{Program: p.Program}, o: o, kind: api.KindImage, asked: map[api.Kind][]string{},
		in: bufio.NewReader(p.In), phases: map[string]api.Phase{},
	}
	if p.Terminal() {
		fmt.Fprint(p.Err, run.AskForPasteMarks)
		defer fmt.Fprint(p.Err, run.EndPasteMarks)
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
		return run.WithCode(run.ExitStore, err)
	}
	l.s, l.again = s, false
	limit := run.CloseLimit
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
		limit = run.HurriedLimit
		return run.EndedBy(ended.Signal)
	}
	return err
}

func (l *linear) loop(ctx context.Context, changes <-chan []string) error {
	p := l.p
	for !l.again {
		prompt := p.Sentence(run.Word(l.kind)) + "> "
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
			text, pasted, err := run.ReadBlock(l.in)
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
		q.Env = run.Over(l.o.Env, map[string]string{"DARKROOM_BASE_URL": base})
	}
	q.BaseURL, q.JSON, q.ExitCode = "", false, run.ExitDone
	code := execute(ctx, &q, words)
	l.again = code == run.ExitDone && (words[0] == "login" || words[0] == "logout")
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
	if err := run.CanCall(ctx, l.s); err != nil {
		return err
	}
	r.Prompt = "-" // a price does not depend on it
	r, estimate, err := l.p.Price(ctx, l.s, r)
	if r.Model == "" {
		return err
	}
	fmt.Fprintf(l.p.Out, "%s · %s\n", run.ID(r.Model), api.OneLine(l.p.Sentence(run.PriceText(estimate, err))))
	return nil
}

// create sends a prompt, after its price was agreed to.
func (l *linear) create(ctx context.Context, line string) error {
	if err := run.CanCall(ctx, l.s); err != nil {
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
	l.p.Println("job %s · %s", job.ID, run.Phase(api.PhaseSending))
	return nil
}

func (l *linear) help() string {
	return l.p.Say(`A line is a prompt: its price is shown and asked about, then it is sent.
"@FILE" takes the prompt from a file. A line that begins with a slash is a command:
  /image [FLAGS]   the next prompts make images, with these flags; /image --help
  /video [FLAGS]   the next prompts make videos
  /price           what the next prompt costs
  /jobs  /job ID  /open ID  /fetch ID  /models  /prices  /spend  /doctor
                   these and every other command of darkroom; /login keeps a key
  /quit            leave; jobs go on and are followed again next time
`)
}

// changed is a line for every job that went on to another phase, and one when
// the state of the service changed.
func (l *linear) changed(ctx context.Context, ids []string) []string {
	var lines []string
	for _, id := range ids {
		job, err := l.s.Job(ctx, id)
		if err != nil || l.phases[job.ID] == job.Phase || job.Phase == api.PhaseIntent || job.Phase == api.PhaseSending {
			continue
		}
		l.phases[job.ID] = job.Phase
		lines = append(lines, l.jobLine(job))
	}
	if trouble := troubleOf(l.s.Health()); trouble != l.trouble {
		said := run.Because(trouble)
		if l.trouble = trouble; trouble.IsZero() {
			said = run.Sentencef("the service answers again")
		}
		lines = append(lines, api.OneLine(l.p.Sentence(said)))
	}
	return lines
}

// jobLine is a job in one line: what became of it, and what it is.
func (l *linear) jobLine(job state.Job) string {
	parts := []string{l.p.Say("job %s · %s", job.ID, run.Phase(job.Phase)), l.p.Sentence(run.Word(job.Kind)), job.Title}
	if !job.Error.IsZero() {
		parts = append(parts, l.p.Sentence(run.Because(job.Error)))
	}
	for _, f := range job.Files {
		parts = append(parts, f.Path)
	}
	if job.Phase == api.PhaseUnknown || job.Phase == api.PhaseUnread {
		parts = append(parts, l.p.Say("see /help job for what to do"))
	}
	return api.OneLine(strings.Join(parts, " · "))
}

// printState says where requests go, what today cost and what is under way.
func (l *linear) printState(ctx context.Context) {
	p, st := l.p, l.s.Health()
	var parts []string
	switch {
	case st.Demo:
		parts = append(parts, p.Say("demo, nothing is spent"))
	case st.Base != "":
		parts = append(parts, st.Base)
		if st.KeyHint != "" {
			parts = append(parts, st.KeyHint)
		}
	default:
		parts = append(parts, p.Sentence(state.ErrNoBase))
	}
	if today, err := l.s.Today(ctx); err == nil {
		parts = append(parts, p.Say("today %s", run.Credits(today.Credits)))
	}
	if page, err := l.s.Jobs(ctx, state.Query{Limit: 1}); err == nil && page.Active > 0 {
		parts = append(parts, p.Words.Count(page.Active, "%d job under way", "%d jobs under way"))
	}
	if !st.ReadOnly.IsZero() {
		parts = append(parts, p.Sentence(run.Because(st.ReadOnly)))
	}
	l.trouble = troubleOf(st)
	fmt.Fprintln(p.Out, api.OneLine(strings.Join(parts, " · ")))
}

// troubleOf is what is wrong with the store, else with the service; none for
// nothing.
func troubleOf(st state.Health) api.Reason {
	if !st.ReadOnly.IsZero() {
		return st.ReadOnly
	}
	return st.Trouble
}
