// Package cli is darkroom without a screen: commands, flags, JSON and exit
// codes over the same Session that the screens use. The rooms below hold the
// commands; here they are put together and run.
//
// What goes where: results and JSON to standard output, and nothing else
// there; questions, progress and errors to standard error. With --json
// standard output carries exactly one JSON document, also for a failure.
package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/api/sim"
	"darkroom/api/sim/paint"
	"darkroom/state"
	"darkroom/state/keys"
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
	time.Local = localZone(os.Getenv("TZ"))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 1)
	heard := slices.DeleteFunc([]os.Signal{syscall.SIGHUP, syscall.SIGQUIT}, signal.Ignored) // as nohup has it
	signal.Notify(signals, append(heard, os.Interrupt, syscall.SIGTERM, syscall.SIGABRT)...)
	go func() {
		<-signals
		cancel()
	}()
	built, _ := debug.ReadBuildInfo()
	p := &run.Program{
		In: os.Stdin, Env: state.Getenv, StopSignals: func() { signal.Stop(signals) }, End: cancel, Told: new(sync.Map),
		Version: Version, FullVersion: versionText(Version, Commit, Date, built),
		Out: &run.Stream{File: os.Stdout, Run: ctx}, Err: &run.Stream{File: os.Stderr, Run: ctx}, Document: jobs.EventOf,
	}
	p.Crash = func(cause any, stack []byte) { os.Exit(p.Fail(crashed(p, cause, stack))) }
	return execute(ctx, &commands{Program: p}, args)
}

// localZone is the zone of a TZ such as CST-8 or EST5EDT,M3.2.0,M11.1.0, of which the standard
// library makes UTC, but SQLite does not, unless it begins with a colon: days have to be the same
// everywhere. The last line of a file of a zone (RFC 9636) can say so; the two tables before it have UTC alone.
func localZone(tz string) *time.Location {
	if _, err := time.LoadLocation(tz); err == nil || runtime.GOOS == "windows" || filepath.IsAbs(tz) || strings.HasPrefix(tz, ":") {
		return time.Local
	}
	const table = "TZif2" + "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x04" + // one zone, four letters
		"\x00\x00\x00\x00\x00\x00UTC\x00"
	zone, err := time.LoadLocationFromTZData("Local", []byte(table+table+"\n"+tz+"\n"))
	if err != nil {
		return time.Local
	}
	return zone
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
		code = p.CheckOutput(code)
	}()
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
	printVersion := func(*cobra.Command, []string) error { return p.PrintResult("darkroom "+p.FullVersion, nil) }
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if *version { // the library's own flag needs a template, with which the linker keeps every exported method of every type
			return printVersion(nil, nil)
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
	root.AddCommand(p.demoCommand(), p.Command("login", run.AnyStore, p.login), p.Command("logout", run.AnyStore, p.logout),
		&cobra.Command{Use: "edit FILE", RunE: p.edit}, p.simulateCommand(), &cobra.Command{Use: "version", RunE: printVersion})
	root.AddCommand(prices.Commands(p.Program)...)
	root.AddCommand(create.Run{Program: p.Program}.Commands()...)
	root.AddCommand(jobs.Run{Program: p.Program}.Commands()...)
	root.AddCommand(p.toolsCommand(), mcp.Command(p.Program), doctor.Command(p.Program), &cobra.Command{Use: "man", Run: p.man})
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

// versionText is such as "1.2.3 (0123456, 2026-11-22)", with commit and date as far as they are known: what a
// release is linked with, else the version of the module and the commit that the go command saw.
func versionText(version, commit, date string, built *debug.BuildInfo) string {
	settings := map[string]string{"vcs.revision": commit, "vcs.time": date}
	release := version != "dev" || built == nil
	if !release {
		for _, s := range built.Settings {
			settings[s.Key] = s.Value
		}
		version = strings.TrimPrefix(built.Main.Version, "v")
	}
	commit = fmt.Sprintf("%.7s", settings["vcs.revision"]) // as much of it as people write
	if !release && (version == "" || version == "(devel)" || commit != "" && strings.Contains(version, commit)) {
		version = "dev" // a version made of date and commit says nothing more than these
	}
	if commit != "" && settings["vcs.modified"] == "true" {
		commit += " modified"
	}
	day, _, _ := strings.Cut(settings["vcs.time"], "T")
	if known := strings.Trim(commit+", "+day, ", "); known != "" {
		version += " (" + known + ")"
	}
	return version
}

// needTerminal says why there can be no screens here.
func (p *commands) needTerminal() error {
	switch {
	case p.request != nil && p.Env("TERM") == "dumb", !p.Slash && !run.IsTerminal(p.In, p.Out): // the form of a request has no lines
		return run.WithCode(run.ExitTerminal,
			run.Sentencef("the screens and --linear need a terminal; the commands work without one, see 'darkroom help'"))
	case p.Slash:
		return run.Usagef("this opens the screens: leave with '/quit' first")
	}
	return nil
}

func (p *commands) linearFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&p.plain, "linear", false,
		"plain lines in the terminal instead of screens, for screen readers (default when TERM=dumb)")
}

// openScreens runs the terminal UI against the service of the settings, or the demo's.
func (p *commands) openScreens(ctx context.Context) error {
	err, settings := p.needTerminal(), state.Settings{}
	if err == nil {
		settings, err = p.Settings(run.AnyStore)
	}
	if err == nil {
		err = p.screens(ctx, state.Options{Settings: settings, Env: p.Env, Version: Version, Demo: p.Receive, Poll: true, Document: p.Document})
	}
	if errors.Is(err, ui.ErrDemo) {
		return p.demo(ctx, false)
	}
	return err
}

// screens opens a session and runs the screens on it, or their flows as plain
// lines where those are wanted or the terminal cannot place text.
func (p *commands) screens(ctx context.Context, o state.Options) error {
	if p.plain || p.Env("TERM") == "dumb" {
		return p.lines(ctx, o)
	}
	crashing, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	o.Crash = func(cause any, stack []byte) { end(&ui.Crashed{Note: ui.CrashNote(o.Settings.StateDir, cause, stack)}) }
	s, err := state.Open(ctx, o)
	if err != nil {
		return run.WithCode(run.ExitStore, err)
	}
	limit := run.CloseLimit
	defer func() { p.Leave(ctx, s, limit) }()
	p.StopSignals() // from here on the screens take signals themselves
	err = ui.Run(crashing, ui.Options{
		Session: s, SettingsFile: s, Words: p.Words, Clock: time.Now, Env: p.Env, Version: p.FullVersion,
		StateDir: o.Settings.StateDir, Request: p.request, Passing: p.passing, Example: exampleIn(o.Settings.CacheDir),
	})
	if crashed, ok := errors.AsType[*ui.Crashed](err); ok {
		limit, err = run.HurriedLimit, broken(crashed.Note)
	} else if ended, ok := errors.AsType[*ui.Ended](err); ok {
		p.End() // nor does the terminal hold up what is said now
		limit, err = run.HurriedLimit, run.EndedBy(ended.Signal)
	}
	return err
}

// exampleIn draws prompts as the demo does, into files of a folder that are kept.
func exampleIn(folder string) func(prompt string) (path string) {
	if folder == "" {
		return nil
	}
	return func(prompt string) string {
		in := paint.Input{Kind: api.KindImage, Prompt: prompt, Ratio: "4:3"}
		path := filepath.Join(folder, fmt.Sprintf("example-%x.png", in.Hash(Version)))
		if _, missing := os.Stat(path); missing != nil && (os.MkdirAll(folder, 0o700) != nil ||
			os.WriteFile(path, new(paint.Painter).File(in, in.Media(480)), 0o600) != nil) {
			return ""
		}
		return path
	}
}

func (p *commands) edit(cmd *cobra.Command, args []string) error {
	r, err := p.savedRequest(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	p.request = &r
	return p.openScreens(cmd.Context())
}

// savedRequest reads the request that a file holds, or the recipe within or next to
// it. A pipe is read until a signal comes.
func (p *commands) savedRequest(ctx context.Context, path string) (r api.Request, err error) {
	var ok bool
	if info, failed := os.Stat(path); failed == nil && !info.Mode().IsRegular() || path == "-" {
		var text []byte
		text, err = p.ReadInput(ctx, path, run.MaxText)
		r, ok = api.ReadRequest(string(text))
	} else {
		r, ok, err = state.SavedRequest(path)
	}
	switch {
	case errors.Is(err, os.ErrNotExist):
		return r, run.Usagef("there is no file %s; for a job's file see 'darkroom job ID'", path)
	case err != nil:
		return r, run.WithCode(run.ExitUsage, run.FileError(err))
	case !ok:
		return r, run.Usagef("%s holds no request, and there is no recipe in it or next to it", path)
	}
	r.Kind = cmp.Or(r.Kind, api.KindImage)
	return r, nil
}

func (p *commands) login(ctx context.Context, s *state.Session, _ []string) (err error) {
	base := s.Settings().BaseURL
	if err = run.UsableBase(s); err != nil {
		return err
	}
	ring, set := s.KeyringState(), strings.TrimSpace(p.Env("DARKROOM_API_KEY")) != ""
	switch {
	case !ring.Usable && set:
		return run.Sentencef("this system has no keyring, so no key can be kept: the one in DARKROOM_API_KEY is used; " +
			"'darkroom doctor' checks it")
	case !ring.Usable:
		return run.Sentencef("this system has no keyring: set DARKROOM_API_KEY")
	}
	var typed []byte
	var failed error
	terminal, _ := term.GetState(os.Stdin.Fd())
	ended, _ := api.Within(ctx, func() {
		if run.IsTerminal(p.In) {
			fmt.Fprint(p.Err, p.Say("API key (not shown): "))
			typed, failed = term.ReadPassword(os.Stdin.Fd())
			fmt.Fprintln(p.Err)
		} else if typed, failed = bufio.NewReader(io.LimitReader(p.In, 4096)).ReadBytes('\n'); errors.Is(failed, io.EOF) {
			failed = nil
		}
	})
	switch {
	case !ended && terminal != nil: // what is typed is to be seen again
		fmt.Fprintln(p.Err)
		return cmp.Or(term.Restore(os.Stdin.Fd(), terminal), run.ErrAborted)
	case !ended:
		return run.ErrAborted
	case failed != nil:
		return run.Usagef("the key cannot be read: %s", run.FileError(failed))
	}
	key, err := api.ParseKey(string(typed))
	if err != nil {
		return run.WithCode(run.ExitUsage, err)
	}
	answered := p.ForService()
	err = s.CheckKey(ctx, base, key)
	if answered(); err != nil {
		return err
	}
	defer p.asking()()
	if err = s.UseKey(ctx, base, key, true); err != nil {
		return run.Sentencef("the key works, but it is not kept: %s", err)
	}
	p.Println("%s is kept in your keyring (%s) for %s", key.String(), ring.Name, s.Health().Base)
	if set {
		p.Notice(run.Sentencef("DARKROOM_API_KEY is set and wins over the keyring: unset it to use the key that was kept"))
	}
	return nil
}

// asking says so when the keyring takes longer than one does that needs no password.
func (p *commands) asking() (answered func() bool) {
	return p.Late(run.Sentencef("your keyring has not answered; it may be asking for its password in a window. Waiting up to %v; "+
		"Ctrl-C stops.", keys.Limit))
}

func (p *commands) logout(ctx context.Context, s *state.Session, _ []string) error {
	if err := run.UsableBase(s); err != nil {
		return err
	}
	if ring := s.KeyringState(); !ring.Usable {
		return run.Sentencef("this system has no keyring, so there is no key to remove")
	}
	defer p.asking()()
	switch err := s.Remote.Forget(ctx); {
	case err == nil:
		p.Println("the key is removed from your keyring")
	case errors.Is(err, keys.ErrNone):
		p.Println("there was no key in the keyring for this service")
	default:
		return err
	}
	return nil
}

func (p *commands) simulateCommand() *cobra.Command {
	var o sim.Options
	var quota run.LimitFlag
	cmd := &cobra.Command{Use: "simulate", RunE: func(cmd *cobra.Command, _ []string) error {
		host, _, _ := net.SplitHostPort(o.Addr)
		_, noKey := api.ParseKey(cmp.Or(o.Key, demoKey))
		switch ip := net.ParseIP(host); {
		case host != "localhost" && (ip == nil || !ip.IsLoopback()): // it takes every key
			return run.Usagef("--addr %q: the simulator listens on this machine alone; write a loopback address such as 127.0.0.1:0", o.Addr)
		case noKey != nil:
			return run.Usagef("--key must begin with ak_, such as ak_test")
		case o.Calls < 0:
			return run.BadValue("calls", strconv.Itoa(o.Calls), run.Sentencef("a whole number, 0 or above"))
		case !(o.TimeScale >= 0) || math.IsInf(o.TimeScale, 0):
			return run.BadValue("time-scale", fmt.Sprint(o.TimeScale), run.Sentencef("a number, 0 or above"))
		}
		o.Credits = quota.Most
		server, err := sim.Start(cmd.Context(), o)
		switch {
		case errors.Is(err, syscall.EADDRINUSE):
			return run.Usagef("--addr %s is in use: choose another port, or 0 for a free one", o.Addr)
		case err != nil:
			return run.WithCode(run.ExitUsage, err)
		}
		defer server.Close()
		fmt.Fprintln(p.Out, server.URL())
		p.Remark("serving until interrupted (ctrl+c)")
		<-cmd.Context().Done()
		return nil
	}}
	flags := cmd.Flags()
	flags.StringVar(&o.Addr, "addr", "127.0.0.1:0", "address to listen on; port 0 takes a free one")
	flags.StringVar(&o.Key, "key", "", "the only key to accept")
	quota.Add(cmd, "credits", "credit quota of each key; default: none")
	flags.IntVar(&o.Calls, "calls", 0, "call quota of each key; 0: none")
	flags.Float64Var(&o.TimeScale, "time-scale", 1, "multiplies the times that jobs take")
	return cmd
}

// demoKey opens the built-in service; it is not a secret.
const demoKey = "ak_demo_0000000000000000"

func (p *commands) demoCommand() *cobra.Command {
	var keep bool
	cmd := &cobra.Command{Use: "demo", RunE: func(cmd *cobra.Command, _ []string) error { return p.demo(cmd.Context(), keep) }}
	cmd.Flags().BoolVar(&keep, "keep", false, "keep the demo's jobs and files for the next demo")
	p.linearFlag(cmd)
	return cmd
}

// demo runs the screens against a built-in service with folders of its own,
// which are thrown away at the end unless they are to be kept.
func (p *commands) demo(ctx context.Context, keep bool) error {
	settings, err := state.LoadSettings(p.Env)
	folder := filepath.Join(settings.DataDir, "demo")
	switch lacks := p.needTerminal(); {
	case lacks != nil:
		return lacks
	case !keep:
		folder, err = os.MkdirTemp("", "darkroom-demo-")
		defer func() { _ = os.RemoveAll(folder) }()
	case err == nil:
		err = os.MkdirAll(folder, 0o700)
	}
	if err != nil {
		return run.WithCode(run.ExitStore, err)
	}
	scale, _ := strconv.ParseFloat(p.Env("DARKROOM_TIME_SCALE"), 64)
	server, err := sim.Start(ctx, sim.Options{Key: demoKey, TimeScale: scale})
	if err != nil {
		return run.Sentencef("the built-in service did not start: %s", err)
	}
	defer server.Close()
	env := run.Over(p.Env, map[string]string{ // all but the person's settings file and language
		"DARKROOM_BASE_URL": server.URL(), "DARKROOM_API_KEY": demoKey, "DARKROOM_LANG": p.Words.Lang,
		"DARKROOM_DOWNLOADS": filepath.Join(folder, "pictures"),
		"XDG_DATA_HOME":      filepath.Join(folder, "data"),
		"XDG_STATE_HOME":     filepath.Join(folder, "state"),
		"XDG_CACHE_HOME":     filepath.Join(folder, "cache"),
	})
	if settings, err = state.LoadSettings(env); err != nil {
		return run.WithCode(run.ExitUsage, err)
	}
	// A theme that is chosen stays in the demo, nothing is spent or held back, and
	// files need no command: the embedded service takes them itself.
	settings.ConfigFile, settings.Upload = filepath.Join(folder, "config", "darkroom", "config.toml"), []string{"darkroom demo"}
	settings.Budget, settings.PerMonth, settings.Problems, settings.Ways = 0, 0, nil, state.Settings{}.Ways
	settings.Found = false // the demo has a file of its own
	p.Env, p.Own, p.passing = env, &settings, !keep
	p.Receive = func(file string) (string, error) {
		data, err := state.ReadText(file, api.MaxBytes(api.KindImage))
		return server.Take(filepath.Base(file), []byte(data)), err
	}
	return p.openScreens(ctx)
}
