package run

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Many stands for any number of arguments.
const Many = math.MaxInt

// Arguments takes so many arguments; cobra's own checks speak English only.
func Arguments(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch n := len(args); {
		case n < least:
			return Usagef("an argument is missing: %s", cmd.UseLine())
		case n > most:
			return Usagef("too many arguments: %s", cmd.UseLine())
		case slices.Contains(args, ""):
			return Usagef("an argument is empty: %s", cmd.UseLine())
		}
		return nil
	}
}

// NoArguments takes none: a word after a command that has others below it is
// most likely one that does not exist.
func NoArguments(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cmd.HasSubCommands():
		return UnknownCommand(cmd, args[0])
	}
	return Usagef("too many arguments: %s", cmd.UseLine())
}

// ExcludeEachOther refuses more than one of the flags, in our words before
// cobra does it in its own.
func ExcludeEachOther(cmd *cobra.Command, names ...string) {
	cmd.MarkFlagsMutuallyExclusive(names...)
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if before != nil {
			if err := before(cmd, args); err != nil {
				return err
			}
		}
		var given []string
		for _, name := range names {
			if name == "json" && !cmd.Flags().Changed(name) {
				name = "jq" // prints a document, too
			}
			if cmd.Flags().Changed(name) {
				given = append(given, "--"+name)
			}
		}
		if len(given) > 1 {
			return Usagef("%s exclude each other: give one of them", strings.Join(given, ", "))
		}
		return nil
	}
}

// FlagError says in our words what is wrong with a flag.
func FlagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var empty *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	var syntax *pflag.InvalidSyntaxError
	var ours *Failure
	switch {
	case errors.As(err, &ours):
		return ours
	case errors.As(err, &unknown) && !cmd.HasParent() && belowHas(cmd, unknown.GetSpecifiedName()):
		return Usagef("--%s stands behind the command that it is for: see 'darkroom help'", unknown.GetSpecifiedName())
	case errors.As(err, &unknown):
		given := Verbatim(flagGiven(unknown.GetSpecifiedName(), unknown.GetSpecifiedShortnames()))
		names := &cobra.Command{SuggestionsMinimumDistance: 2}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			names.AddCommand(&cobra.Command{Use: f.Name, Hidden: f.Hidden, Run: func(*cobra.Command, []string) {}})
		})
		if near := names.SuggestionsFor(unknown.GetSpecifiedName()); len(near) > 0 {
			return Usagef("unknown flag: %s; did you mean %s?", given, Or(Map(near, func(name string) string { return "--" + name })))
		}
		return Usagef("unknown flag: %s", given)
	case errors.As(err, &empty):
		return Usagef("the flag %s needs a value", flagGiven(empty.GetSpecifiedName(), empty.GetSpecifiedShortnames()))
	case errors.As(err, &invalid):
		return Usagef("--%s: %q is not %s", invalid.GetFlag().Name, invalid.GetValue(), valueWords[invalid.GetFlag().Value.Type()])
	case errors.As(err, &syntax):
		return Usagef("this is not a flag: %s", syntax.GetSpecifiedFlag())
	}
	return WithCode(ExitUsage, err)
}

// belowHas reports whether a command below this one has a flag.
func belowHas(cmd *cobra.Command, flag string) bool {
	return slices.ContainsFunc(CommandsBelow(cmd), func(c *cobra.Command) bool { return c.Flags().Lookup(flag) != nil })
}

// RefuseNegative refuses a duration below zero.
func RefuseNegative(cmd *cobra.Command, _ []string) (err error) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if kind := f.Value.Type(); kind == "duration" && strings.HasPrefix(f.Value.String(), "-") {
			err = Usagef("--%s: %q is not %s", f.Name, f.Value.String(), valueWords[kind])
		}
	})
	return err
}

// flagGiven names a flag as it was given; short are the letters among which it
// stood.
func flagGiven(name, short string) string {
	if short != "" {
		return "-" + name
	}
	return "--" + name
}

// valueWords name what a flag takes, by the type of each that can refuse a value.
var valueWords = map[string]error{
	"bool": Sentencef("true or false"), "boolfunc": Sentencef("true or false"), "func": Sentencef("a jq expression"),
	"int": Sentencef("a whole number"), "count": Sentencef("a whole number"), "float64": Sentencef("a number"),
	"duration": Sentencef("a duration such as 90s or 10m"), "credits": Sentencef("an amount of credits"),
}

// Group marks a command that does nothing itself.
const Group = "group"

// RefuseUnknown makes a command that only has others below it refuse a word
// that names none of them; cobra prints its help and ends well.
func RefuseUnknown(cmd *cobra.Command) {
	cmd.Annotations = map[string]string{Group: "true"}
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return UnknownCommand(cmd, args[0])
	}
}

func UnknownCommand(parent *cobra.Command, name string) error {
	parent.SuggestionsMinimumDistance = 2
	if near := parent.SuggestionsFor(name); len(near) > 0 {
		return Usagef("unknown command %q for %q; did you mean %s?", name, parent.CommandPath(), Or(near))
	}
	return Usagef("unknown command %q for %q: see '%s --help'", name, parent.CommandPath(), parent.CommandPath())
}

// CommandsBelow are all commands below one.
func CommandsBelow(root *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, cmd := range root.Commands() {
		all = append(append(all, cmd), CommandsBelow(cmd)...)
	}
	return all
}
