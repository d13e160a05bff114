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
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui"
	"darkroom/ui/cli/create"
	"darkroom/ui/cli/doctor"
	"darkroom/ui/cli/jobs"
	"darkroom/ui/cli/mcp"
	"darkroom/ui/cli/prices"
	"darkroom/ui/cli/run"
)

// Main runs the command that args name and returns the exit code.
func Main(args []string) int {
	// The standard library logs into the screens, in GODEBUG's modes even
	// headers with the key in them. What matters comes as an error.
	log.SetOutput(io.Discard)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 1)
	heard := slices.DeleteFunc([]os.Signal{syscall.SIGHUP, syscall.SIGQUIT}, signal.Ignored) // as nohup has it
	signal.Notify(signals, append(heard, os.Interrupt, syscall.SIGTERM, syscall.SIGABRT)...)
	go func() {
		<-signals
		cancel()
	}()
	p := &run.Program{
		In: os.Stdin, Env: state.Getenv, StopSignals: func() { signal.Stop(signals) }, Version: Version, FullVersion: versionText(),
		Out: &run.Stream{File: os.Stdout, Ended: ctx.Done()}, Err: &run.Stream{File: os.Stderr, Ended: ctx.Done()}, Document: jobs.EventOf,
	}
	p.Crash = func(cause any, stack []byte) { os.Exit(p.Fail(crashed(p, cause, stack))) }
	return execute(ctx, &commands{Program: p}, args)
}

// commands is one command line: the run and what its flags say of the screens.
type commands struct {
	*run.Program
	slash   *linear      // whose commands there are too; nil outside of lines
	plain   bool         // lines instead of screens
	request *api.Request // to open the screens with; nil is none
	passing bool         // the session's jobs and files are deleted at its end
}

func execute(ctx context.Context, c *commands, args []string) (code int) {
	p := c.Program
	p.Speak()
	defer func() {
		if v := recover(); v != nil {
			code = p.Fail(crashed(p, v, debug.Stack()))
		}
	}()
	defer func() { code = p.CheckOutput(code) }()
	root := c.root()
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		c.describe(root)
	}
	root.SetArgs(args)
	root.SetOut(p.Out)
	root.SetErr(p.Err)
	if err := root.ExecuteContext(ctx); err != nil {
		p.JSON = p.JSON || slices.ContainsFunc(args, func(arg string) bool { // it may stand behind the flag that is refused
			name, value, _ := strings.Cut(arg, "=")
			return slices.Contains([]string{"--json", "--jq", "--ndjson"}, name) && value != "false"
		})
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

// broken says that a panic ended the program. note is the path of its note, or "".
func broken(note string) error {
	said := run.Sentencef("something inside darkroom broke; your jobs are safe in the store")
	if note != "" {
		said = run.Sentencef("something inside darkroom broke; your jobs are safe in the store. A note without prompts and keys is in %s", note)
	}
	return run.WithCode(run.ExitFailed, said)
}

func (p *commands) root() *cobra.Command {
	root := &cobra.Command{Use: "darkroom", SilenceErrors: true, SilenceUsage: true, PersistentPreRunE: p.Begin}
	version := root.Flags().BoolP("version", "v", false, "print the version")
	printVersion := func(*cobra.Command, []string) { fmt.Fprintln(p.Out, "darkroom "+p.FullVersion) }
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if *version { // the library's own flag needs a template, with which the linker keeps every exported method of every type
			printVersion(nil, nil)
			return nil
		}
		return p.openScreens(cmd.Context())
	}
	const where = "the service's address, instead of DARKROOM_BASE_URL and the settings file"
	root.PersistentFlags().Func("base-url", where, func(text string) error {
		if _, err := api.ParseBase(text); err != nil {
			return run.Usagef("--base-url: %s", err)
		}
		p.Env = run.Over(p.Env, map[string]string{"DARKROOM_BASE_URL": text})
		return nil
	})
	p.linearFlag(root)
	root.SetFlagErrorFunc(run.FlagError)
	root.AddCommand(p.demoCommand(), p.Command("login", run.AnyStore, p.login), p.logoutCommand(), p.editCommand(), p.simulateCommand(),
		&cobra.Command{Use: "version", Run: printVersion})
	root.AddCommand(prices.Commands(p.Program)...)
	root.AddCommand(create.Run{Program: p.Program}.Commands()...)
	root.AddCommand(jobs.Run{Program: p.Program}.Commands()...)
	root.AddCommand(p.toolsCommand(), mcp.Command(p.Program), doctor.Command(p.Program), p.manCommand())
	if p.slash != nil {
		root.AddCommand(p.slash.commands()...)
	}
	for _, cmd := range append(run.CommandsBelow(root), root) {
		if cmd.Args == nil { // else it reads a prompt
			cmd.Args = run.Arguments
		}
	}
	p.addHelp(root)
	p.addCompletion(root)
	return root
}

// What a release is linked with (-X darkroom/ui/cli.Version=…).
var (
	Version = "dev" // such as 1.2.3
	Commit  = ""    // the revision it was built from, in hexadecimal digits
	Date    = ""    // when that was committed, RFC 3339
)

// versionText is such as "1.2.3 (0123456, 2026-11-22)".
func versionText() string {
	if info, ok := debug.ReadBuildInfo(); ok && Version == "dev" {
		return builtVersion(info)
	}
	return withCommit(Version, Commit[:min(len(Commit), 7)], Date)
}

// builtVersion is the version of a program that the go command built without
// our linker flags: that of the module, and the commit that the go command saw.
func builtVersion(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	version, commit := strings.TrimPrefix(info.Main.Version, "v"), settings["vcs.revision"]
	commit = commit[:min(len(commit), 7)] // as much of it as people write
	if version == "" || version == "(devel)" || commit != "" && strings.Contains(version, commit) {
		version = "dev" // a version made of date and commit says nothing more than these
	}
	if commit != "" && settings["vcs.modified"] == "true" {
		commit += " modified"
	}
	return withCommit(version, commit, settings["vcs.time"])
}

// withCommit adds commit and date to a version, as far as they are known.
func withCommit(version, commit, date string) string {
	day, _, _ := strings.Cut(date, "T")
	if known := strings.Trim(commit+", "+day, ", "); known != "" {
		version += " (" + known + ")"
	}
	return version
}
