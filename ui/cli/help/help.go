// Package help has the texts of help and of the manual page.
package help

import (
	"strings"

	"github.com/spf13/cobra"

	"darkroom/ui/cli/program"
)

// run is a run of a command about the program itself.
type run struct{ *program.Program }

// Command is cobra's, but for a topic that does not exist, which is a usage
// error, and for the topic keys: the actions of the screens.
func Command(one *program.Program) *cobra.Command {
	p := run{one}
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
				return program.UnknownCommand(topic, word)
			}
			topic.InitDefaultHelpFlag()
			return topic.Help()
		},
	}
}
