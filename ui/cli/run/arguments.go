package run

import (
	"errors"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"darkroom/api"
)

// Arguments takes those that the use of a command names: ID is one, [NAME] one at
// most, ID… any number. Cobra's own checks speak English only.
func Arguments(cmd *cobra.Command, args []string) error {
	least, most := 0, 0
	for _, word := range strings.Fields(cmd.Use)[1:] {
		if strings.HasPrefix(word, "-") {
			break
		}
		if most++; word[0] != '[' {
			least++
		}
		if strings.HasSuffix(word, "…") {
			most = math.MaxInt
		}
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

// fieldNames are what follows --json with a blank in place of "=".
var fieldNames = regexp.MustCompile(`^[a-z_]+(,[a-z_]+)*$`)

// TooMany refuses arguments, the last of which may belong to --json.
func TooMany(cmd *cobra.Command, args []string) error {
	switch last := args[len(args)-1]; {
	case cmd.Flags().Changed("json") && fieldNames.MatchString(last):
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

func flagGiven(name, short string) string {
	if short != "" {
		return "-" + name
	}
	return "--" + name
}

// valueWords name what a flag takes, by the type of each that can refuse a value.
var valueWords = map[string]error{
	"bool": Sentencef("true or false"), "boolfunc": Sentencef("true or false"),
	"int": Sentencef("a whole number"), "count": Sentencef("a whole number"), "float64": Sentencef("a number"),
	"duration": Sentencef("a duration such as 90s or 10m"), "credits": Sentencef("an amount of credits"),
}

// UnknownCommand says which commands there are whose name is near, or elsewhere, and which topics of help.
func UnknownCommand(parent *cobra.Command, name string, topics ...string) error {
	path, near := parent.CommandPath(), []string{}
	likely := api.Near(name, api.Map(parent.Commands(), (*cobra.Command).Name))
	for _, cmd := range CommandsBelow(parent) {
		if cmd.Name() == name || cmd.Parent() == parent && slices.Contains(likely, cmd.Name()) {
			near = append(near, "'"+cmd.CommandPath()+"'")
		}
	}
	for _, topic := range api.Near(name, topics) {
		near = append(near, "'darkroom help "+topic+"'")
	}
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
func CommandsBelow(root *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, cmd := range root.Commands() {
		all = append(append(all, cmd), CommandsBelow(cmd)...)
	}
	return all
}
