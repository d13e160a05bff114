package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

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

func unknownCommand(parent *cobra.Command, word string) error {
	hint := ""
	parent.SuggestionsMinimumDistance = 2
	if near := parent.SuggestionsFor(word); len(near) > 0 {
		hint = "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return usage("unknown command %q for %q%s", word, parent.CommandPath(), hint)
}

// helpCommand is cobra's, but for a topic that does not exist, which is a
// usage error.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(cmd *cobra.Command, args []string) error {
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
