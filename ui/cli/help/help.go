// Package help has the texts of help and of the manual page, in both languages.
package help

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"darkroom/ui/cli/output"
	"darkroom/ui/cli/program"
	"darkroom/ui/widget"
)

// run is a run of a command about the program itself.
type run struct{ *program.Program }

// Add gives every command its help, its examples and the words for its flags.
func Add(one *program.Program, root *cobra.Command) {
	p := run{one}
	root.AddCommand(p.manCommand())
	root.SetHelpCommand(p.command())
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { p.print(cmd) })
	describeCompletion(root)
	root.Example = Examples[root.CommandPath()]
	for _, cmd := range program.CommandsBelow(root) {
		cmd.Example = Examples[cmd.CommandPath()]
	}
	p.translate(root)
}

// translate puts the texts of a command and of those below it into the person's
// language, for help, the manual and completion.
func (p run) translate(cmd *cobra.Command) {
	if p.Words == nil || p.Words.Lang() == "en" {
		return
	}
	cmd.Short, cmd.Long = p.Say(cmd.Short), p.Say(cmd.Long)
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { f.Usage = p.Say(f.Usage) })
	for _, sub := range cmd.Commands() {
		p.translate(sub)
	}
}

// command is cobra's, but for a topic that does not exist, which is a usage
// error, and for the topic keys: the actions of the screens.
func (p run) command() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command, or about the keys of the screens",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			topic, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, sub := range topic.Commands() {
				if !sub.Hidden {
					names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
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
			return topic.Help()
		},
	}
}

// The widths of help, and the one where no terminal says any.
const (
	widest    = 100
	usual     = 80
	narrowest = 60
)

func (p run) width() int {
	if p.Columns == nil || p.Columns() == 0 {
		return usual
	}
	return max(min(p.Columns(), widest), narrowest)
}

func (p run) print(cmd *cobra.Command) {
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	w := writer{p: p, width: p.width()}
	w.paragraphs(longOf(cmd))
	w.heading(p.Say("Usage:"))
	if cmd.Annotations[program.Group] == "" {
		w.line("  " + strings.Replace(cmd.UseLine(), "[flags]", "["+p.Say("flags")+"]", 1))
	}
	if cmd.HasAvailableSubCommands() {
		w.line("  " + cmd.CommandPath() + " [" + p.Say("command") + "]")
	}
	if cmd.Example != "" {
		w.heading(p.Say("Examples:"))
		w.line(cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		w.heading(p.Say("Commands:"))
		var rows [][2]string
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				rows = append(rows, [2]string{sub.Name(), sub.Short})
			}
		}
		w.columns(rows)
	}
	w.heading(p.Say("Flags:"))
	w.columns(p.flagRows(cmd.LocalFlags()))
	if cmd.HasAvailableInheritedFlags() {
		w.heading(p.Say("Flags of all commands:"))
		w.columns(p.flagRows(cmd.InheritedFlags()))
	}
	if cmd.HasAvailableSubCommands() {
		w.line("")
		w.paragraphs(p.Say("%q says more about a command.", "darkroom help "+p.Say("command")))
	}
	fmt.Fprint(p.Out, w.text.String())
}

// Print prints names with what they mean, whose texts are translated.
func Print(one *program.Program, rows [][2]string) {
	w := writer{p: run{one}, width: run{one}.width()}
	for i := range rows {
		rows[i][1] = one.Say(rows[i][1])
	}
	w.columns(rows)
	fmt.Fprint(one.Out, w.text.String())
}

func longOf(cmd *cobra.Command) string {
	if cmd.Long == "" {
		return cmd.Short
	}
	return cmd.Long
}

// flagRows are the names of flags with what they do.
func (p run) flagRows(flags *pflag.FlagSet) [][2]string {
	var rows [][2]string
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		label := "    --" + f.Name
		if f.Shorthand != "" {
			label = "-" + f.Shorthand + ", --" + f.Name
		}
		rows = append(rows, [2]string{label + Placeholder(f), p.flagText(f)})
	})
	return rows
}

// flagText is what a flag does, with the value that it has without being given.
func (p run) flagText(f *pflag.Flag) string {
	text := p.Say(Usage(f))
	switch f.DefValue {
	case "", "0", "0s", "false", "true", "[]":
		return text
	}
	return text + p.Say(" (default %s)", f.DefValue)
}

// Usage is the text of a flag; cobra's own flags get one of ours.
func Usage(f *pflag.Flag) string {
	switch f.Name {
	case "help":
		return "print this help"
	case "version":
		return "print the version"
	case "no-descriptions":
		return "complete without descriptions"
	}
	return f.Usage
}

// writer puts texts below each other, none wider than the width.
type writer struct {
	p     run
	width int
	text  strings.Builder
}

func (w *writer) line(text string) { w.text.WriteString(text + "\n") }

func (w *writer) heading(text string) { w.line("\n" + text) }

// paragraphs wraps text; lines that are set in stay as they are.
func (w *writer) paragraphs(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.HasPrefix(line, "  ") {
			line = strings.Join(widget.Wrap(line, w.width), "\n")
		}
		w.line(line)
	}
}

// widestLabel is how wide the first of two columns may be.
const widestLabel = 30

// columns writes names with their texts beside them, or below one that is long.
func (w *writer) columns(rows [][2]string) {
	label := 0
	for _, row := range rows {
		if n := ansi.StringWidth(row[0]); n <= widestLabel {
			label = max(label, n)
		}
	}
	set := strings.Repeat(" ", label+4)
	for _, row := range rows {
		text := strings.Join(widget.Wrap(row[1], w.width-len(set)), "\n"+set)
		if ansi.StringWidth(row[0]) > label {
			w.line("  " + row[0] + "\n" + set + text)
			continue
		}
		w.line("  " + output.Pad(row[0], label) + "  " + text)
	}
}
