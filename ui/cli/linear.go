package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

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
	create.Run
	o       state.Options
	passing bool // what is created is deleted at the end
	s       *state.Session
	request api.Request // of the flags given with /image or /video; prompts complete it
	phases  map[string]api.Phase
	trouble api.Reason                         // of the store, else of the service
	version int64                              // of the settings whose problems were said
	leave   bool                               // the person quits
	again   bool                               // the key has changed: the session is opened again
	stop    atomic.Pointer[context.CancelFunc] // ends what a line began; nil between lines
}

// lines reads lines until it is quit, its input ends or a signal comes.
func (p *commands) lines(ctx context.Context, o state.Options) (err error) {
	p.StopSignals()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	o.Crash, o.Waits, p.Slash = p.Crash, p.ForService, true
	l := &linear{Run: create.Run{Program: p.Program}, o: o, passing: p.passing, phases: map[string]api.Phase{}}
	l.request.Kind = api.KindImage
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT)
	defer signal.Stop(signals)
	go func() {
		for s := range signals {
			if end := l.stop.Load(); end != nil && s == os.Interrupt {
				(*end)()
				continue
			}
			stop(&ui.Ended{Signal: s})
			p.End() // nor does a terminal hold it up that takes no output
		}
	}()
	p.Steer(ansi.SetModeBracketedPaste)
	defer p.Steer(ansi.ResetModeBracketedPaste)
	p.Println("darkroom, line by line. Write a prompt, or /help.")
	if p.passing {
		p.Println("Everything that the demo creates is deleted when you leave.")
	}
	for again := true; again; again = l.again && err == nil && ctx.Err() == nil {
		err = l.session(ctx)
	}
	return err
}

// session works with one session until the person leaves or the key changes.
func (l *linear) session(ctx context.Context) error {
	s, err := state.Open(ctx, l.o)
	if err != nil {
		return run.WithCode(run.ExitStore, err)
	}
	l.s, l.version = s, s.Settings().Version
	limit := run.CloseLimit
	defer func() { l.Leave(ctx, s, limit) }()
	if err := l.CanCall(ctx, s); s.Health().Base != "" && ctx.Err() == nil {
		l.Notice(err)
	}
	// Where requests go, what today cost and what is under way.
	st := s.Health()
	parts := []string{cmp.Or(l.SayIf(st.Demo, "demo (not charged)"), st.Base, l.Sentence(state.ErrNoBase))}
	if !st.Demo && st.Base != "" && st.KeyHint != "" {
		parts = append(parts, st.KeyHint)
	}
	today, err := s.Today(ctx)
	parts = append(parts, l.SayIf(err == nil, "today %s", run.Credits(today.Credits.Plus(today.Possibly))))
	if page, err := s.Jobs(ctx, state.Query{Limit: 1}); err == nil && page.Active > 0 {
		parts = append(parts, l.Count(page.Active, "%d job under way", "%d jobs under way"))
	}
	l.trouble = cmp.Or(st.ReadOnly, st.Trouble)
	fmt.Fprintln(l.Out, run.Joined(append(parts, l.Sentence(run.Because(st.ReadOnly)))...))
	changes := make(chan []string)
	go func() {
		for ids, err := s.Wait(ctx); err == nil; ids, err = s.Wait(ctx) {
			select {
			case changes <- ids:
			case <-ctx.Done(): // so is the next wait
			}
		}
	}()
	for l.again = false; !l.again && l.line(ctx, changes); {
	}
	if ended, ok := errors.AsType[*ui.Ended](context.Cause(ctx)); ok {
		fmt.Fprintln(l.Out)
		limit = run.HurriedLimit
		return run.EndedBy(ended.Signal)
	}
	return nil
}

// line asks for a line and does what it says, and says meanwhile what happens to
// jobs. It reports whether there may be another.
func (l *linear) line(ctx context.Context, changes <-chan []string) bool {
	prompt := l.Sentence(run.Word(l.request.Kind)) + "> "
	fmt.Fprint(l.Out, prompt)
	for {
		select {
		case <-ctx.Done():
			return false
		case ids := <-changes:
			if lines := l.changed(ctx, ids); len(lines) > 0 {
				fmt.Fprintf(l.Out, "\n%s\n%s", strings.Join(lines, "\n"), prompt)
			}
		case line := <-l.Next():
			l.Take()
			if line.Err == nil || line.Text != "" {
				l.take(ctx, line)
				return !l.leave
			}
			fmt.Fprintln(l.Out) // the end of the input is a way out
			return false
		}
	}
}

// take does what a line says. A failure is printed. Ctrl-C ends what the line began,
// and not the program.
func (l *linear) take(ctx context.Context, typed run.Block) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	l.stop.Store(&end)
	l.Told.Clear()
	l.Said = "" // what was said of an earlier line is no answer to this one
	defer l.stop.Store(nil)
	line := strings.TrimFunc(typed.Text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	command, slash := strings.CutPrefix(line, "/")
	words, whole := api.ShellWords(command)
	q := *l.Program // flags of the commands have their values in it
	q.Env = run.Over(l.o.Env, map[string]string{"DARKROOM_BASE_URL": l.o.Settings.BaseURL})
	q.JSON, q.ExitCode = false, run.ExitDone
	commands := &commands{Program: &q, slash: l}
	named, _, _ := commands.root().Find([]string{line})
	var err error
	switch {
	case line == "":
	case !slash && !typed.Pasted && named.HasParent():
		l.Println("Did you mean /%s? Nothing was sent; a prompt needs more than the name of a command.", line)
	case !typed.Pasted && run.IsAnswer(line):
		l.Println("%q answers no question here: nothing was sent.", line)
	case !slash || typed.Pasted && strings.Contains(line, "\n"): // several lines that were pasted are a prompt
		err = l.create(ctx, line)
	case !whole || len(words) == 0:
		l.Println("Close the quote, or type a command; see /help.")
	case len(words) == 1 && (words[0] == "help" || words[0] == "?"):
		fmt.Fprint(l.Out, l.Say(`A line is a prompt: its price is shown and asked about, then it is sent.
"@FILE" takes the prompt from a file; "a {red|blue} boat" is two requests, with one question.
A line that begins with a slash is a command:
  /image [FLAGS]   the next prompts make images, with these flags; /image --help
  /video [FLAGS]   the next prompts make videos; --from ID begins with the picture of a job
  /price           what the next prompt costs
  /jobs  /job ID  /open ID  /fetch ID  /models  /prices  /spend  /doctor
                   these and every other command of darkroom; /login keeps a key
  /quit            leave; jobs go on and are followed again next time
`))
	case api.Kind(words[0]).Known() &&
		!slices.ContainsFunc(words, func(w string) bool { return w == "--help" || w == "-h" || w == "--expand" }):
		var request api.Request
		if request, err = create.RequestOf(api.Kind(words[0]), words[1:]); err == nil {
			if err = l.price(ctx, request); len(run.FailureOf(err).Problems) == 0 {
				l.request = request
			}
		}
	default:
		l.again = execute(ctx, commands, words) == run.ExitDone && (words[0] == "login" || words[0] == "logout")
	}
	if err != nil {
		l.Fail(err)
	}
}

// commands are those that only lines have.
func (l *linear) commands() []*cobra.Command {
	return []*cobra.Command{
		{Use: "price", RunE: func(cmd *cobra.Command, _ []string) error { return l.price(cmd.Context(), l.request) }},
		{Use: "quit", Aliases: []string{"exit", "q"},
			Run: func(cmd *cobra.Command, _ []string) {
				page, _ := l.s.Jobs(cmd.Context(), state.Query{Limit: 1})
				if l.leave = true; page.Active > 0 && l.passing { // they would be deleted while they run
					under := l.Count(page.Active, "%d job under way", "%d jobs under way")
					l.leave = l.Ask(cmd.Context(), "/quit", run.Sentencef("%s: the demo deletes what it has created. Leave?", under)) == nil
				}
			}},
	}
}

// price says what the next prompt makes and costs with a request's settings.
func (l *linear) price(ctx context.Context, r api.Request) error {
	if err := l.CanCall(ctx, l.s); err != nil {
		return err
	}
	r.Prompt = "-" // a price does not depend on it
	r, estimate, err := l.Price(ctx, l.s, r)
	if r.Model == "" {
		return err
	}
	fmt.Fprintf(l.Out, "%s · %s\n", strings.Join(r.Said(l.Say), " · "), l.Sentence(run.PriceText(estimate, err)))
	return nil
}

// create sends a prompt, after its price was agreed to.
func (l *linear) create(ctx context.Context, line string) error {
	err, r, ids, phase := l.CanCall(ctx, l.s), l.request, []string(nil), api.PhaseSending
	if err == nil && line != "-" { // which would wait for the rest of the input
		line, err = l.ReadPrompt(ctx, line)
	}
	if err == nil {
		r, err = create.Filled(r, false, line)
	}
	if err == nil {
		ids, err = l.Send(ctx, l.s, r)
	}
	if len(ids) > 1 { // one after the other
		phase = api.PhaseHeld
	}
	for _, id := range ids {
		l.Println("job %s · %s", id, run.Phase(phase))
	}
	return err
}

// changed is a line for every job that ended, with its files below, or waits to be sent, and one when the service's state changed.
func (l *linear) changed(ctx context.Context, ids []string) []string {
	var lines []string
	for _, id := range ids {
		job, err := l.s.Job(ctx, id)
		goesOn := job.Phase.Active() && (job.Phase != api.PhaseIntent || job.Error.IsZero()) || job.Phase == api.PhaseHeld && !job.Paused
		if err != nil || l.phases[job.ID] == job.Phase || goesOn {
			continue
		}
		l.phases[job.ID] = job.Phase
		lines = append(lines, api.OneLine(run.Joined(l.Say("job %s · %s", job.ID, run.Phase(job.Phase)), l.Sentence(run.Word(job.Kind)),
			job.Title, l.Anew(l.Sentence(run.Because(job.Error))),
			l.SayIf(job.Phase == api.PhaseUnknown || job.Phase == api.PhaseUnread, "see /help job for what to do"))))
		lines = append(lines, api.Map(job.Files, func(f state.File) string { return api.OneLine(f.Path) })...)
	}
	if st := l.s.Health(); cmp.Or(st.ReadOnly, st.Trouble) != l.trouble {
		l.trouble = cmp.Or(st.ReadOnly, st.Trouble)
		lines = append(lines, l.Anew(cmp.Or(l.Sentence(run.Because(l.trouble)), l.Say("that is over: it works again"))))
	}
	if set := l.s.Settings(); set.Version > l.version {
		if l.version = set.Version; len(set.Problems) > 0 {
			lines = append(lines, l.Sentence(run.Because(set.Problems[0])))
		}
	}
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}
