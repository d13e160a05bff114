package cli

import (
	"errors"
	"math"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// many is no upper limit for arguments.
const many = math.MaxInt

// arguments takes so many arguments; cobra's own checks speak English only.
func arguments(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch n := len(args); {
		case n < least:
			return usage("an argument is missing: %s", verbatim(cmd.UseLine()))
		case n > most:
			return usage("too many arguments: %s", verbatim(cmd.UseLine()))
		}
		return nil
	}
}

// noArguments takes none: a word after a command that has no arguments is most
// likely a command that does not exist.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(cmd, args[0])
	}
	return nil
}

// excludeEachOther refuses more than one of the flags, in our words before
// cobra does it in its own.
func excludeEachOther(cmd *cobra.Command, names ...string) {
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
			if cmd.Flags().Changed(name) {
				given = append(given, "--"+name)
			}
		}
		if len(given) > 1 {
			return usage("%s exclude each other: give one of them", verbatim(strings.Join(given, ", ")))
		}
		return nil
	}
}

// flagError says in our words what is wrong with a flag.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var empty *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	var syntax *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &unknown):
		if near := nearestFlag(cmd, unknown.GetSpecifiedName()); near != "" {
			return usage("unknown flag: %s; did you mean --%s?", verbatim(flagGiven(unknown.GetSpecifiedName(), unknown.GetSpecifiedShortnames())), near)
		}
		return usage("unknown flag: %s", verbatim(flagGiven(unknown.GetSpecifiedName(), unknown.GetSpecifiedShortnames())))
	case errors.As(err, &empty):
		return usage("the flag %s needs a value", verbatim(flagGiven(empty.GetSpecifiedName(), empty.GetSpecifiedShortnames())))
	case errors.As(err, &invalid):
		return usage("--%s: %q is not %s", invalid.GetFlag().Name, invalid.GetValue(), valueWord(invalid.GetFlag().Value.Type()))
	case errors.As(err, &syntax):
		return usage("this is not a flag: %s", verbatim(syntax.GetSpecifiedFlag()))
	}
	return withCode(exitUsage, err)
}

// nearestFlag is the flag whose name is at most two letters from what was
// given, or "".
func nearestFlag(cmd *cobra.Command, given string) string {
	best, least := "", 3
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if d := distance(given, f.Name); d < least && !f.Hidden {
			best, least = f.Name, d
		}
	})
	return best
}

// distance counts the letters to change, add or take out between two words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, before+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// flagGiven names a flag as it was given; short are the letters among which it
// stood.
func flagGiven(name, short string) string {
	if short != "" {
		return "-" + name
	}
	return "--" + name
}

// valueWord names a value that a flag takes, by the flag's type.
func valueWord(kind string) error {
	switch kind {
	case "bool":
		return sentencef("true or false")
	case "int", "count":
		return sentencef("a whole number")
	case "float64":
		return sentencef("a number")
	case "duration":
		return sentencef("a duration such as 90s or 10m")
	case "expression":
		return sentencef("a jq expression")
	case "credits":
		return sentencef("an amount of credits")
	case "true|false|omit":
		return sentencef("true, false or omit")
	}
	return sentencef("a value that it takes")
}

// refuseUnknown makes a command that only has others below it refuse a word
// that names none of them; cobra prints its help and ends well.
func refuseUnknown(cmd *cobra.Command) {
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknownCommand(cmd, args[0])
	}
}

func unknownCommand(parent *cobra.Command, name string) error {
	parent.SuggestionsMinimumDistance = 2
	if near := parent.SuggestionsFor(name); len(near) > 0 {
		return usage("unknown command %q for %q; did you mean %s?", name, parent.CommandPath(), joinOr(near))
	}
	return usage("unknown command %q for %q", name, parent.CommandPath())
}

// joinOr joins names that can be chosen from.
func joinOr(names []string) error {
	if len(names) == 1 {
		return verbatim(names[0])
	}
	return sentencef("%s or %s", joinOr(names[:len(names)-1]), verbatim(names[len(names)-1]))
}

// helpCommand is cobra's, but for a topic that does not exist, which is a
// usage error, and for the topic keys: the actions of the screens.
func (p *program) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == "keys" {
				return p.helpKeys()
			}
			topic, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				word := strings.Join(args, " ")
				if len(rest) > 0 {
					word = rest[0]
				}
				return unknownCommand(topic, word)
			}
			topic.InitDefaultHelpFlag()
			return topic.Help()
		},
	}
}
