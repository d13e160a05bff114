// Package cli is darkroom without a screen: commands, flags, JSON and exit
// codes over the same Session that the screens use. The rooms below hold the
// commands; here they are put together and run.
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
	"darkroom/ui/cli/create"
	"darkroom/ui/cli/doctor"
	"darkroom/ui/cli/jobs"
	"darkroom/ui/cli/prices"
	"darkroom/ui/cli/run"
	"darkroom/ui/cli/tools"
)

// Main runs the command that args name and returns the exit code.
func Main(args []string) int {
	// The standard library logs into the screens, in GODEBUG's modes even
	// headers with the key in them. What matters comes as an error.
	log.SetOutput(io.Discard)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGABRT)
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(sig) { // as nohup has it
			signal.Notify(signals, sig)
		}
	}
	go func() {
		<-signals
		cancel()
	}()
	p := &run.Program{
		In: os.Stdin, Env: state.Getenv, StopSignals: func() { signal.Stop(signals) }, Version: Version, FullVersion: versionText(),
	}
	p.Out, p.Err = &run.Stream{File: os.Stdout, Ended: ctx.Done()}, &run.Stream{File: os.Stderr, Ended: ctx.Done()}
	p.Aligned = term.IsTerminal(os.Stdout.Fd())
	p.Terminal = func() bool { return term.IsTerminal(os.Stdin.Fd()) && term.IsTerminal(os.Stdout.Fd()) }
	p.CanAsk = func() bool { return term.IsTerminal(os.Stdin.Fd()) && term.IsTerminal(os.Stderr.Fd()) }
	p.Columns = func() int {
		columns, _, err := term.GetSize(os.Stdout.Fd())
		if err != nil {
			return 0
		}
		return columns
	}
	p.Crash = func(cause any, stack []byte) { os.Exit(p.Fail(crashed(p, cause, stack))) }
	return execute(ctx, p, args)
}

// commands is one command line: the run and what its flags say of the screens.
type commands struct {
	*run.Program
	plain   bool         // lines instead of screens
	request *api.Request // to open the screens with; nil is none
}

// execute runs one command line.
func execute(ctx context.Context, p *run.Program, args []string) (code int) {
	p.Speak()
	defer func() {
		if v := recover(); v != nil {
			code = p.Fail(crashed(p, v, debug.Stack()))
		}
	}()
	defer func() { code = p.CheckOutput(code) }()
	root := (&commands{Program: p}).root()
	root.SetArgs(args)
	root.SetIn(p.In)
	root.SetOut(p.Out)
	root.SetErr(p.Err)
	if err := root.ExecuteContext(ctx); err != nil {
		return p.Fail(err)
	}
	return p.ExitCode
}

// crashed writes the note of a crash. Its exit code is 1: Go's own for a panic
// is 2, which here would promise that nothing was sent. Nothing that was sent is
// lost; a create under way is found as unknown by the next start.
func crashed(p *run.Program, cause any, stack []byte) error {
	settings, _ := state.LoadSettings(p.Env) // without a home the note is a temporary file
	return broken(ui.CrashNote(settings.StateDir, cause, stack))
}

// broken says that a panic ended the program. note is the path of the note about
// it, or "".
func broken(note string) error {
	if note == "" {
		return run.WithCode(run.ExitFailed, run.Sentencef("something inside darkroom broke; your jobs are safe in the store"))
	}
	return run.WithCode(run.ExitFailed, run.Sentencef("something inside darkroom broke; your jobs are safe in the store. "+
		"A note without prompts and keys is in %s", note))
}

func (p *commands) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "darkroom",
		Short: "Make images and videos from prompts, in the terminal",
		Long: "Darkroom shows a prompt's price while you type, sends it once, and brings back " +
			"what a hosted generation service made of it. Without a command it opens its screens.",
		Example: `  darkroom demo
  darkroom login
  darkroom image "a lighthouse in a storm, gouache" --size 2K`,
		SilenceErrors: true,
		SilenceUsage:  true,

		PersistentPreRunE: run.RefuseNegative,
	}
	version := root.Flags().BoolP("version", "v", false, "print the version")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if *version {
			p.printVersion()
			return nil
		}
		return p.openScreens(cmd.Context())
	}
	root.PersistentFlags().StringVar(&p.BaseURL, "base-url", "", "the service's address, instead of DARKROOM_BASE_URL and the settings file")
	p.linearFlag(root)
	root.SetFlagErrorFunc(run.FlagError)
	root.AddCommand(p.demoCommand(), p.loginCommand(), p.logoutCommand(), p.editCommand(), p.simulateCommand(), p.versionCommand())
	root.AddCommand(prices.Commands(p.Program)...)
	root.AddCommand(create.Run{Program: p.Program}.Commands()...)
	root.AddCommand(jobs.Run{Program: p.Program}.Commands()...)
	root.AddCommand(p.exportCommand(), tools.Command(p.Program), doctor.Command(p.Program), p.manCommand())
	for _, cmd := range append(run.CommandsBelow(root), root) {
		if cmd.Args == nil { // those that take arguments say how many
			cmd.Args = run.NoArguments
		}
	}
	p.addHelp(root)
	p.addCompletion(root)
	return root
}
