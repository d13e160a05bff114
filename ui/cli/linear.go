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

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui"
)

// linear is the flows of the screens as plain lines: a prompt is priced, asked
// about and sent; what happens to jobs comes as one line for each change; every
// command of the command line works behind a slash. Nothing is ever drawn over.
type linear struct {
	p       *program
	o       state.Options
	s       *state.Session
	kind    api.Kind
	asked   map[api.Kind][]string // the flags given with /image and /video
	in      *bufio.Reader
	reading chan typedLine // of the read under way; nil when there is none
	phases  map[string]api.Phase
	trouble string
	again   bool // the key has changed: the session is opened anew
}

type typedLine struct {
	text  string
	block bool // several lines that were pasted: a prompt
	err   error
}

const linearHelp = `A line is a prompt: its price is shown and asked about, then it is sent.
"@FILE" takes the prompt from a file. A line that begins with a slash is a command:
  /image [FLAGS]   the next prompts make images, with these flags; /image --help
  /video [FLAGS]   the next prompts make videos
  /price           what the next prompt costs
  /jobs  /job ID  /open ID  /fetch ID  /models  /prices  /spend  /doctor
                   these and every other command of darkroom; /login keeps a key
  /quit            leave; jobs go on and are followed again next time
`

// linear runs until it is quit, its input ends or a signal comes.
func (p *program) linear(ctx context.Context, o state.Options) error {
	p.stopSignals()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer signal.Stop(signals)
	go func() {
		select {
		case s := <-signals:
			stop(&ui.Ended{Signal: s})
		case <-ctx.Done():
		}
	}()
	o.Crash = p.broke
	l := &linear{
		p: p, o: o, kind: api.KindImage, asked: map[api.Kind][]string{},
		in: bufio.NewReader(p.in), phases: map[string]api.Phase{},
	}
	if p.terminal() {
		fmt.Fprint(p.err, askForPasteMarks)
		defer fmt.Fprint(p.err, endPasteMarks)
	}
	fmt.Fprintln(p.out, "darkroom, line by line. Write a prompt, or /help.")
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
		return withCode(exitStore, err)
	}
	l.s, l.again = s, false
	limit := closeLimit
	defer func() { p.leave(ctx, s, l.o.Settings.Lang, limit) }()
	if err := s.AwaitKey(ctx); err != nil && ctx.Err() == nil {
		fmt.Fprintf(p.out, "No key: %s. /login keeps one.\n", asLine(err.Error()))
	}
	l.tellStanding(ctx)
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
		fmt.Fprintln(p.out)
		limit = hurriedLimit
		return endedBy(ended)
	}
	return err
}

func (l *linear) loop(ctx context.Context, changes <-chan []string) error {
	for !l.again {
		fmt.Fprintf(l.p.out, "%s> ", l.kind)
	waiting:
		for {
			select {
			case <-ctx.Done():
				return nil
			case ids := <-changes:
				if lines := l.changed(ctx, ids); len(lines) > 0 {
					fmt.Fprintf(l.p.out, "\n%s\n%s> ", strings.Join(lines, "\n"), l.kind)
				}
			case line := <-l.read():
				l.reading = nil
				if line.err != nil && line.text == "" { // the end of the input is a way out
					fmt.Fprintln(l.p.out)
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
			text, pasted, err := readBlock(l.in)
			reading <- typedLine{text, pasted && strings.Contains(text, "\n"), err}
		}()
	}
	return l.reading
}

// take does what a line says. A failure is told and the next line awaited.
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
	words, err := splitWords(command)
	if err != nil || len(words) == 0 {
		fmt.Fprintln(l.p.out, "A quote is not closed, or there is no command; see /help.")
		return false
	}
	switch words[0] {
	case "quit", "exit", "q":
		return true
	case "help", "?":
		if len(words) == 1 {
			fmt.Fprint(l.p.out, linearHelp)
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
	q := *l.p
	q.env = l.o.Env
	if base := l.o.Settings.BaseURL; base != "" {
		q.env = over(l.o.Env, map[string]string{"DARKROOM_BASE_URL": base})
	}
	q.baseURL, q.json, q.plain, q.exitCode = "", false, false, exitDone
	code := q.run(ctx, words)
	l.again = code == exitDone && (words[0] == "login" || words[0] == "logout")
	return false
}

func (l *linear) report(err error) {
	if err != nil {
		l.p.fail(err)
	}
}

// turn makes the next prompts of a kind, with the flags from now on.
func (l *linear) turn(kind api.Kind, flags []string) error {
	if _, err := requestOf(kind, flags); err != nil {
		return err
	}
	l.kind, l.asked[kind] = kind, flags
	return nil
}

// requestOf is the request that flags describe, without a prompt.
func requestOf(kind api.Kind, flags []string) (api.Request, error) {
	f, cmd := &requestFlags{}, &cobra.Command{Use: string(kind)}
	f.add(cmd, kind)
	if err := cmd.ParseFlags(flags); err != nil {
		return f.request, usage("%s", err)
	}
	if rest := cmd.Flags().Args(); len(rest) > 0 {
		return f.request, usage("%q is no flag: the prompt is a line of its own", rest[0])
	}
	return f.complete(cmd)
}

// price tells what the next prompt costs.
func (l *linear) price(ctx context.Context) error {
	r, err := requestOf(l.kind, l.asked[l.kind])
	if err != nil {
		return err
	}
	if err := l.s.AwaitKey(ctx); err != nil {
		return withCode(exitKey, err)
	}
	r.Prompt = "-" // a price does not depend on it
	r, _, err = l.p.prepare(ctx, l.s, r)
	if err != nil {
		return err
	}
	estimate, err := l.s.Estimate(ctx, r)
	fmt.Fprintf(l.p.out, "%s · %s\n", shownID(r.Model), priceSentence(estimate, err))
	return nil
}

// create sends a prompt, after its price was agreed to.
func (l *linear) create(ctx context.Context, line string) error {
	if err := usableBase(l.s.Settings()); err != nil {
		return err
	}
	if err := l.s.AwaitKey(ctx); err != nil {
		return withCode(exitKey, err)
	}
	r, err := requestOf(l.kind, l.asked[l.kind])
	if err != nil {
		return err
	}
	prompt := line
	if line != "-" { // which would wait for the rest of the input
		if prompt, err = l.p.readPrompt(line); err != nil {
			return err
		}
	}
	if r, err = filled(r, false, prompt); err != nil {
		return err
	}
	r, model, err := l.p.prepare(ctx, l.s, r)
	if err != nil {
		return err
	}
	estimate, err := l.p.agree(ctx, l.s, r, model, &generateFlags{})
	if err != nil {
		return err
	}
	job, err := l.p.submit(ctx, l.s, state.Confirmed{ConfirmID: state.NewConfirmID(), Request: r, Estimate: estimate}, false)
	if err != nil {
		return err
	}
	l.phases[job.ID] = job.Phase
	fmt.Fprintf(l.p.out, "job %s · sending\n", job.ID)
	return nil
}

// changed is a line for every job that went on to another phase, and one when
// the service's standing changed.
func (l *linear) changed(ctx context.Context, ids []string) []string {
	var lines []string
	for _, id := range ids {
		job, err := l.s.Job(ctx, id)
		if err != nil || l.phases[job.ID] == job.Phase || job.Phase == api.PhaseIntent || job.Phase == api.PhaseSending {
			continue
		}
		l.phases[job.ID] = job.Phase
		lines = append(lines, jobLine(job))
	}
	if trouble := troubleOf(l.s.Standing()); trouble != l.trouble {
		if l.trouble = trouble; trouble == "" {
			trouble = "the service answers again"
		}
		lines = append(lines, asLine(trouble))
	}
	return lines
}

// jobLine is a job in one line: what became of it, and what it is.
func jobLine(job state.Job) string {
	parts := []string{"job " + job.ID, string(shownPhase(job.Phase)), string(job.Kind), job.Title}
	if !job.Error.IsZero() {
		parts = append(parts, job.Error.String())
	}
	for _, f := range job.Files {
		parts = append(parts, f.Path)
	}
	if job.Phase == api.PhaseUnknown || job.Phase == api.PhaseUnread {
		parts = append(parts, "see /help job for what to do")
	}
	return asLine(strings.Join(parts, " · "))
}

// tellStanding says where requests go, what today cost and what is under way.
func (l *linear) tellStanding(ctx context.Context) {
	st := l.s.Standing()
	var parts []string
	switch {
	case st.Demo:
		parts = append(parts, "demo, nothing is spent")
	case st.Base != "":
		parts = append(parts, st.Base)
		if st.KeyHint != "" {
			parts = append(parts, st.KeyHint)
		}
	default:
		parts = append(parts, state.ErrNoBase.Error())
	}
	if today, err := l.s.Today(ctx); err == nil {
		parts = append(parts, "today "+today.Credits.String()+" credits")
	}
	if page, err := l.s.Jobs(ctx, state.Query{Limit: 1}); err == nil && page.Active > 0 {
		parts = append(parts, countOf(page.Active)+" under way")
	}
	if st.ReadOnly != "" {
		parts = append(parts, st.ReadOnly)
	}
	l.trouble = troubleOf(st)
	fmt.Fprintln(l.p.out, asLine(strings.Join(parts, " · ")))
}

// troubleOf is what is wrong with the store, else with the service; "" for
// nothing.
func troubleOf(st state.Standing) string {
	if st.ReadOnly != "" {
		return st.ReadOnly
	}
	return st.Trouble
}

// asLine keeps a text on one line.
func asLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// splitWords splits a command line as a shell does, with quotes and
// backslashes, and without anything else that a shell does.
func splitWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	in, quote, escaped := false, rune(0), false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, in = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, in = r, true
		case r == ' ' || r == '\t':
			if in {
				words = append(words, word.String())
				word.Reset()
			}
			in = false
		default:
			word.WriteRune(r)
			in = true
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("a quote is not closed")
	}
	if in {
		words = append(words, word.String())
	}
	return words, nil
}
