// Package run is one run of a command: its streams and environment, the session
// that it works with, its arguments, flags and questions, what it prints and how
// it fails. Results and JSON documents go to standard output, and nothing else
// there; remarks, questions and errors to standard error.
package run

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/words"
)

// Program is one run of darkroom, so that a test can run many side by side.
type Program struct {
	Out, Err io.Writer
	In       io.Reader
	*words.Words
	JSON        bool              // standard output carries one document
	Quiet       bool              // only results, questions and errors
	ExitCode    int               // of a run that prints its result and ends without an error
	Slash       bool              // commands stand behind a slash: the linear mode
	Typed       map[string]string // labels that stood for flags, by the flags' names
	Said        string            // what Anew has said
	Told        *sync.Map         // what Late has said; nil keeps nothing
	form        structured
	input       *input
	ctx         context.Context // of the command, for --jq
	Env         func(string) string
	Version     string // such as 1.2.3
	FullVersion string // with the commit
	StopSignals func() // gives signals back to whoever takes them next
	End         func() // ends the run's context: what the terminal does not take soon is given up
	Document    func(state.Event, state.Job) any
	Own         *state.Settings                               // of the demo, in place of those that Env leads to
	Receive     func(file string) (address string, err error) // brings files to the demo's service
	Crash       func(cause any, stack []byte)                 // ends the program after a panic in one of the session's goroutines
}

// Asking reports whether questions can be read and answered.
func (p *Program) Asking() bool { return IsTerminal(p.In, p.Err) }

// Speak chooses the language: that of the settings.
func (p *Program) Speak() {
	settings, err := state.LoadSettings(p.Env)
	if err != nil { // there is no home folder
		settings.Lang = p.Env("DARKROOM_LANG")
	}
	p.Words = words.For(settings.Lang)
	p.Words.Credit = settings.Credit
}

// Settings loads the settings with the flags on top, and says what is wrong with them.
func (p *Program) Settings(needs Needs) (state.Settings, error) {
	if p.Own != nil {
		return *p.Own, nil
	}
	s, err := state.LoadSettings(p.Env)
	if err != nil {
		return s, WithCode(ExitUsage, err)
	}
	for _, problem := range s.Problems {
		if needs != Nothing {
			p.Notice(Verbatim(p.Anew(p.Sentence(Because(problem)))))
		}
	}
	return s, nil
}

// Over is an environment with some variables replaced.
func Over(env func(string) string, own map[string]string) func(string) string {
	return func(name string) string {
		if value, ok := own[name]; ok {
			return value
		}
		return env(name)
	}
}

// Needs is what there has to be before a command begins.
type Needs int

const (
	Nothing  Needs = iota // what is wrong, also with the settings, is the command's to say
	AnyStore              // the store may be damaged
	Store                 // what the store holds
	Watching              // and jobs are followed, if the service can be called
	Service               // and the service: its address, and a key, else exit 5
	Polling               // and jobs are followed
)

// Command is a command that works with an open session; use names its arguments.
func (p *Program) Command(use string, needs Needs, do func(context.Context, *state.Session, []string) error) *cobra.Command {
	return &cobra.Command{Use: use, RunE: func(cmd *cobra.Command, args []string) error {
		return p.With(cmd.Context(), needs, func(s *state.Session) error { return do(cmd.Context(), s, args) })
	}}
}

// With runs do with an open session and closes it afterwards. A damaged store is
// exit 4: the new one in its place is empty, which does not answer any question.
// What unready finds wrong is said before that the service cannot be called.
func (p *Program) With(ctx context.Context, needs Needs, do func(*state.Session) error, unready ...func(*state.Session) error) (err error) {
	settings, err := p.Settings(needs)
	if err != nil {
		return err
	}
	s, err := state.Open(ctx, state.Options{
		Settings: settings, Env: p.Env, Version: p.Version, Poll: needs == Polling || needs == Watching, Crash: p.Crash,
		Document: p.Document, HookFailed: p.Notice, Waits: p.ForService, Demo: p.Receive,
	})
	if err != nil {
		return cmp.Or(Ends(ctx, nil), WithCode(ExitStore, err))
	}
	defer func() {
		s.Events().Run(ctx)
		lost, ok := errors.AsType[*state.LostError](s.Close(context.WithoutCancel(ctx)))
		if !ok {
			return
		}
		if err != nil {
			err = Printed(p.Fail(err))
		}
		p.Notice(lost)
		if err == nil || lost.Accepted { // whatever else: what was paid for is not in the store
			err = Printed(ExitStore)
		}
	}()
	switch st := s.Health(); {
	case st.Damaged && needs >= Store:
		return WithCode(ExitStore, Because(st.ReadOnly))
	case (needs == Store || needs == Watching) && !p.Quiet:
		p.Notice(Verbatim(p.Anew(p.Sentence(Because(st.ReadOnly)))))
	}
	if needs >= Service {
		err = p.CanCall(ctx, s)
	}
	if err == nil {
		return do(s)
	}
	for _, check := range unready {
		err = cmp.Or(check(s), err)
	}
	return err
}

// Unread reports whether a list is empty because the store is not there, which was said.
func Unread(s *state.Session, n int) bool { return n == 0 && !s.Health().ReadOnly.IsZero() }

// ForService begins a wait for an answer of the service, and gives what ends it.
func (p *Program) ForService() func() bool { return p.Late(Sentencef("waits for the service")) }

// Late says something, once as long as Told stays, if the function that it returns is not called within a second.
func (p *Program) Late(say error) func() bool {
	return time.AfterFunc(time.Second, func() {
		if _, again := cmp.Or(p.Told, new(sync.Map)).LoadOrStore(say.Error(), true); !again {
			p.Notice(say)
		}
	}).Stop
}

// CanCall refuses before anything else what cannot be called.
func (p *Program) CanCall(ctx context.Context, s *state.Session) error {
	defer p.Late(Sentencef("waits for the keyring, which may be asking for its password in a window"))()
	if err := UsableBase(s); err != nil {
		return err
	}
	err := s.Remote.AwaitKey(ctx)
	none := err == state.ErrNoKey || errors.Is(err, state.ErrNoKey) && !s.KeyringState().Usable
	if none && strings.TrimSpace(s.Settings().EnvKey) == "" { // else it says why that is not one
		err = Sentencef("no API key: %s", KeyAdvice(s))
	}
	return cmp.Or(Ends(ctx, nil), WithCode(ExitKey, err))
}

// KeyAdvice says how to give a key that the service takes.
func KeyAdvice(s *state.Session) error {
	switch {
	case strings.TrimSpace(s.Settings().EnvKey) != "":
		return Sentencef("set another key in DARKROOM_API_KEY")
	case s.KeyringState().Usable:
		return Sentencef("run 'darkroom login'")
	}
	return Sentencef("set DARKROOM_API_KEY")
}

// UsableBase refuses a missing address and one that is none.
func UsableBase(s *state.Session) error {
	base, file := s.Settings().BaseURL, s.Settings().ConfigFile
	if base == "" {
		return Usagef("the service's address is not set: set DARKROOM_BASE_URL, or base_url in %s; 'darkroom demo' needs none", file)
	}
	_, err := api.ParseBase(base)
	return WithCode(ExitUsage, err)
}

// Arguments takes those that the use of a command names: ID is one, [NAME] one at
// most, ID… any number. Cobra's own checks speak English only.
func Arguments(cmd *cobra.Command, args []string) error {
	names, _, _ := strings.Cut(cmd.Use, " -")
	needed, _, _ := strings.Cut(names, " [")
	least, most := strings.Count(needed, " "), strings.Count(names, " ")
	if strings.HasSuffix(names, "…") {
		most = math.MaxInt
	}
	switch n := len(args); {
	case n < least:
		return Usagef("%s is missing: write '%s'; 'darkroom help%s' has examples", strings.Fields(cmd.Use)[1+n],
			strings.TrimSuffix(cmd.UseLine(), " [flags]"), strings.TrimPrefix(cmd.CommandPath(), "darkroom"))
	case n > most && cmd.HasSubCommands(): // most likely one that does not exist
		return UnknownCommand(cmd, args[0])
	case n > most:
		return TooMany(cmd, args)
	case slices.Contains(args, ""):
		return Usagef("an argument is empty: %s", cmd.UseLine())
	}
	return nil
}

// listedNames are what follows --json with a blank in place of "=".
var listedNames = regexp.MustCompile(`^[a-z_]+(,[a-z_]+)*$`)

// TooMany refuses arguments, the last of which may belong to --json.
func TooMany(cmd *cobra.Command, args []string) error {
	switch last := args[len(args)-1]; {
	case cmd.Flags().Changed("json") && listedNames.MatchString(last):
		return Usagef("--json: write --json=%s, with no blank", last)
	case cmd.Name() == "jobs":
		return Usagef("too many arguments: 'darkroom job %[1]s' shows one job, --filter %[1]s finds those that have this word", ID(args[0]))
	case cmd.Use == cmd.Name():
		return Usagef("'%s' takes no argument: leave %s out", cmd.CommandPath(), ID(args[0]))
	}
	return Usagef("too many arguments: %s", cmd.UseLine())
}

// FlagError says in our words what is wrong with a flag.
func FlagError(cmd *cobra.Command, err error) error {
	if ours, ok := errors.AsType[*Failure](err); ok {
		return ours
	}
	switch e := err.(type) {
	case *pflag.NotExistError:
		name, given := e.GetSpecifiedName(), flagGiven(e.GetSpecifiedName(), e.GetSpecifiedShortnames())
		if !cmd.HasParent() && slices.ContainsFunc(CommandsBelow(cmd), func(c *cobra.Command) bool { return c.Flags().Lookup(name) != nil }) {
			return Usagef("put --%s after the command", name)
		}
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && len(given) > len("--x") { // every short name is near to a letter
				names = append(names, "--"+f.Name)
			}
		})
		return Usagef("unknown flag %s%s", given, Meant(given, names, Sentencef(": see '%s --help'", cmd.CommandPath())))
	case *pflag.ValueRequiredError:
		return Usagef("the flag %s needs a value", flagGiven(e.GetSpecifiedName(), e.GetSpecifiedShortnames()))
	case *pflag.InvalidValueError:
		return BadValue(e.GetFlag().Name, e.GetValue(), valueWords[e.GetFlag().Value.Type()])
	case *pflag.InvalidSyntaxError:
		return Usagef("this is not a flag: %s", e.GetSpecifiedFlag())
	}
	return WithCode(ExitUsage, err)
}

// OneOf declares a flag that takes one of some values, which a shell completes.
func OneOf(cmd *cobra.Command, into *string, name, usage string, values ...string) {
	cmd.Flags().Func(name, usage, func(text string) error {
		if *into = text; text != "" && !slices.Contains(values, text) {
			return &Failure{Code: ExitUsage, Value: text, Err: Sentencef("--%s: %q is not %s%s", name, text, Or(values), Meant(text, values))}
		}
		return nil
	})
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// AboveZero declares a flag that takes a whole number above 0.
func AboveZero(cmd *cobra.Command, into *int, name, usage string) {
	cmd.Flags().Func(name, usage, func(text string) (err error) {
		if *into, err = strconv.Atoi(text); err != nil || *into < 1 {
			return BadValue(name, text, Sentencef("a whole number above 0"))
		}
		return nil
	})
}

// Begin refuses a duration below zero, and more than one of flags that exclude each
// other, in our words before cobra does it in its own.
func (p *Program) Begin(cmd *cobra.Command, _ []string) (err error) {
	p.ctx, p.JSON = cmd.Context(), p.JSON || p.form.lines
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if kind := f.Value.Type(); kind == "duration" && strings.HasPrefix(f.Value.String(), "-") {
			err = BadValue(f.Name, f.Value.String(), valueWords[kind])
		}
		for _, group := range f.Annotations["cobra_annotation_mutually_exclusive"] {
			given := slices.DeleteFunc(strings.Fields(group), func(name string) bool { return !cmd.Flags().Changed(name) })
			if len(given) > 1 {
				err = Usagef("--%s exclude each other: give one of them", strings.Join(given, " and --"))
			}
		}
	})
	return err
}

// flagGiven is a flag as it was given: a short one has one dash.
func flagGiven(name, short string) string { return "--"[min(len(short), 1):] + name }

// valueWords name what a flag takes, by the type of each that can refuse a value.
var valueWords = map[string]error{
	"bool": Sentencef("true or false"), "boolfunc": Sentencef("true or false"),
	"int": Sentencef("a whole number"), "count": Sentencef("a whole number"), "float64": Sentencef("a number"),
	"duration": Sentencef("a duration such as 90s or 10m"),
}

// UnknownCommand says which commands there are whose name is near, or elsewhere, and which topics of help.
func UnknownCommand(parent *cobra.Command, name string, topics ...string) error {
	path, likely := parent.CommandPath(), api.Near(name, api.Map(parent.Commands(), (*cobra.Command).Name))
	near := api.Pick(CommandsBelow(parent), func(cmd *cobra.Command) (string, bool) {
		return "'" + cmd.CommandPath() + "'", cmd.Name() == name || cmd.Parent() == parent && slices.Contains(likely, cmd.Name())
	})
	near = append(near, api.Map(api.Near(name, topics), func(topic string) string { return "'darkroom help " + topic + "'" })...)
	if call, _, err := parent.Find([]string{"call"}); len(near) == 0 && err == nil && call != parent { // a tool, or the list of them
		near = append(near, "'"+strings.TrimSuffix(call.CommandPath()+" "+name, " call list")+"'")
	}
	if len(near) > 0 {
		return Usagef("'%s' is not a %s command; did you mean %s?", name, path, Or(near))
	}
	if parent.Runnable() {
		return Usagef("'%s' is not a %s command; see 'darkroom help%s'", name, path, strings.TrimPrefix(path, "darkroom"))
	}
	return Usagef("'%s' is not a %s command; say which: %s", name, path,
		Or(api.Map(parent.Commands(), func(c *cobra.Command) string { return "'" + strings.TrimSuffix(c.UseLine(), " [flags]") + "'" })))
}

// CommandsBelow are all commands below one.
func CommandsBelow(root *cobra.Command) (all []*cobra.Command) {
	for _, cmd := range root.Commands() {
		all = append(append(all, cmd), CommandsBelow(cmd)...)
	}
	return all
}
