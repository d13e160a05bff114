// Package cli is darkroom without a screen: commands, flags, JSON and exit
// codes over the same Session that the screens use.
//
// What goes where: results and JSON to standard output, and nothing else
// there; questions, progress and errors to standard error. With --json
// standard output carries exactly one JSON document, also for a failure.
package cli

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui"
	"darkroom/ui/words"
)

// Exit codes. Scripts rely on them.
const (
	exitDone     = 0
	exitFailed   = 1
	exitUsage    = 2   // refused before anything was sent
	exitTerminal = 3   // needs a terminal
	exitStore    = 4   // store unusable
	exitKey      = 5   // key missing or refused
	exitUnknown  = 6   // may have been accepted and charged
	exitWaiting  = 7   // stopped waiting, the job goes on
	exitSignal   = 128 // plus the number of the signal that ended the screens
)

// program is one run of darkroom: its streams and its environment, so that a
// test can run many side by side.
type program struct {
	in          io.Reader
	out, err    io.Writer
	env         func(string) string
	terminal    func() bool // are standard input and output a terminal?
	canAsk      func() bool // are standard input and standard error a terminal?
	aligned     bool        // standard output is a terminal: columns, not tabs
	readKey     func() (string, error)
	words       *words.Words
	json        bool
	structured  structured
	quiet       bool         // only results and errors
	plain       bool         // lines instead of screens
	request     *api.Request // to open the screens with; nil is none
	baseURL     string
	exitCode    int
	stopSignals func() // gives signals back to whoever takes them next
}

// Main runs the command that args name and returns the exit code.
func Main(args []string) int {
	// The standard library logs into the screens, in GODEBUG's modes even
	// headers with the key in them. What matters comes as an error.
	log.SetOutput(io.Discard)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(sig) { // as nohup has it
			signal.Notify(signals, sig)
		}
	}
	go func() {
		<-signals
		cancel()
	}()
	p := &program{in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.Getenv, stopSignals: func() { signal.Stop(signals) }}
	p.terminal = func() bool { return term.IsTerminal(os.Stdin.Fd()) && term.IsTerminal(os.Stdout.Fd()) }
	p.canAsk = func() bool { return term.IsTerminal(os.Stdin.Fd()) && term.IsTerminal(os.Stderr.Fd()) }
	p.aligned = term.IsTerminal(os.Stdout.Fd())
	p.readKey = p.readHiddenKey
	return p.run(ctx, args)
}

// run executes one command line.
func (p *program) run(ctx context.Context, args []string) (code int) {
	p.speak()
	defer func() {
		if v := recover(); v != nil {
			code = p.fail(p.crashed(v, debug.Stack()))
		}
	}()
	out := &output{to: p.out}
	p.out = out
	defer func() { p.out, code = out.to, p.checkOutput(out, code) }()
	root := p.rootCommand()
	root.SetArgs(args)
	root.SetIn(p.in)
	root.SetOut(p.out)
	root.SetErr(p.err)
	if err := root.ExecuteContext(ctx); err != nil {
		return p.fail(err)
	}
	return p.exitCode
}

// broke ends the program after a panic in one of the session's goroutines:
// whoever waits for it would wait for ever. Nothing that was sent is lost; a
// create under way is found as unknown by the next start.
func (p *program) broke(cause any, stack []byte) { os.Exit(p.fail(p.crashed(cause, stack))) }

// crashed writes the note of a crash. Its exit code is 1: Go's own for a panic
// is 2, which here would promise that nothing was sent.
func (p *program) crashed(cause any, stack []byte) error {
	settings, _ := state.LoadSettings(p.env) // without a home the note is a temporary file
	return broken(ui.CrashNote(settings.StateDir, cause, stack))
}

// broken says that a panic ended the program. note is the path of the note about
// it, or "".
func broken(note string) error {
	if note == "" {
		return withCode(exitFailed, sentencef("something inside darkroom broke; your jobs are safe in the store"))
	}
	return withCode(exitFailed, sentencef("something inside darkroom broke; your jobs are safe in the store. A note without prompts and keys is in %s", verbatim(note)))
}

func (p *program) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "darkroom",
		Short: "Make images and videos from prompts, in the terminal",
		Long: "Darkroom writes a prompt's price while you type, sends it once, and brings back\n" +
			"what a hosted generation service made of it. Without a command it opens its screens.",
		Args:              noArguments,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: false},
	}
	version := root.Flags().BoolP("version", "v", false, "version for darkroom")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if *version {
			p.printVersion()
			return nil
		}
		return p.openScreens(cmd.Context())
	}
	root.PersistentFlags().StringVar(&p.baseURL, "base-url", "", "the service's address, instead of DARKROOM_BASE_URL and the settings file")
	p.linearFlag(root)
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		p.demoCommand(), p.loginCommand(), p.logoutCommand(),
		p.modelsCommand(), p.pricesCommand(), p.imageCommand(), p.videoCommand(), p.estimateCommand(),
		p.jobsCommand(), p.jobCommand(), p.spendCommand(), p.waitCommand(), p.fetchCommand(), p.openCommand(), p.editCommand(), p.exportCommand(),
		p.toolsCommand(), p.doctorCommand(), p.simulateCommand(), p.versionCommand(), p.manCommand(),
	)
	addExamples(root)
	p.complete(root)
	root.SetHelpCommand(p.helpCommand())
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.HasSubCommands() && cmd.Run == nil && cmd.RunE == nil || cmd.Name() == "completion" {
			refuseUnknown(cmd)
			for _, shell := range cmd.Commands() {
				if cmd.Name() == "completion" {
					shell.Args = noArguments
				}
			}
		}
	}
	return root
}

// settings loads the settings with the flags on top.
func (p *program) settings() (state.Settings, error) {
	env := p.env
	if p.baseURL != "" {
		env = over(p.env, map[string]string{"DARKROOM_BASE_URL": p.baseURL})
	}
	s, err := state.LoadSettings(env)
	if err != nil {
		return s, withCode(exitUsage, err)
	}
	for _, problem := range s.Problems {
		p.notice(because(problem))
	}
	return s, nil
}

// over is an environment with some variables set anew.
func over(env func(string) string, own map[string]string) func(string) string {
	return func(name string) string {
		if value, ok := own[name]; ok {
			return value
		}
		return env(name)
	}
}

// session opens the session that a command works with.
func (p *program) session(ctx context.Context, poll bool) (*state.Session, error) {
	settings, err := p.settings()
	if err != nil {
		return nil, err
	}
	s, err := state.Open(ctx, state.Options{Settings: settings, Env: p.env, Version: Version, Poll: poll, Crash: p.broke})
	if err != nil {
		return nil, withCode(exitStore, err)
	}
	return s, nil
}

// with runs do with an open session and closes it afterwards. A damaged store
// is exit 4: the new one in its place is empty, which is no answer to any
// question.
func (p *program) with(ctx context.Context, poll bool, do func(*state.Session) error) error {
	return p.withAnyStore(ctx, poll, func(s *state.Session) error {
		if st := s.Standing(); st.Damaged {
			return withCode(exitStore, because(st.ReadOnly))
		}
		return do(s)
	})
}

// withAnyStore is with for commands that are of use with a damaged store too.
func (p *program) withAnyStore(ctx context.Context, poll bool, do func(*state.Session) error) error {
	s, err := p.session(ctx, poll)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close(context.WithoutCancel(ctx)) }()
	return do(s)
}

// withService is with for commands that call the service: a missing address is
// a usage error, a missing key is exit 5, both before anything is requested.
func (p *program) withService(ctx context.Context, poll bool, do func(*state.Session) error) error {
	return p.with(ctx, poll, func(s *state.Session) error {
		if err := usableBase(s.Settings()); err != nil {
			return err
		}
		if err := s.AwaitKey(ctx); err != nil {
			return withCode(exitKey, err)
		}
		return do(s)
	})
}

// usableBase refuses before anything else what cannot be called.
func usableBase(settings state.Settings) error {
	if settings.BaseURL == "" {
		return withCode(exitUsage, state.ErrNoBase)
	}
	_, err := api.ParseBase(settings.BaseURL)
	return withCode(exitUsage, err)
}

var errAborted = sentencef("stopped; nothing was sent")
