package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"darkroom/state"
	"darkroom/ui/cli/run"
	"darkroom/ui/widget"
)

// addHelp gives every command its help in the person's language. Of cobra's own
// commands the texts are ours.
func (p *commands) addHelp(root *cobra.Command) {
	root.SetHelpFunc(p.printHelp)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Use, cmd.Short, cmd.Long = "help [COMMAND]", "Help about a command, or about the keys of the screens", ""
			cmd.Run, cmd.RunE = nil, p.helpAbout
		case "completion":
			p.describeShells(cmd)
		}
	}
	if p.Words.Lang() != "en" {
		p.translate(root)
	}
}

// translate puts the texts of a command and of those below it into the person's
// language, for help, the manual and completion.
func (p *commands) translate(cmd *cobra.Command) {
	cmd.Short, cmd.Long = p.Say(cmd.Short), p.Say(cmd.Long)
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { f.Usage = p.Say(f.Usage) })
	for _, sub := range cmd.Commands() {
		p.translate(sub)
	}
}

// helpAbout is cobra's help command, but for the topic keys, and for a topic that
// does not exist, which is a usage error.
func (p *commands) helpAbout(cmd *cobra.Command, args []string) error {
	if len(args) == 1 && args[0] == "keys" {
		p.helpKeys()
		return nil
	}
	topic, rest, _ := cmd.Root().Find(args)
	if len(rest) > 0 {
		return run.UnknownCommand(topic, rest[0])
	}
	return topic.Help()
}

// helpKeys prints every action of the screens with its default keys, by place.
func (p *commands) helpKeys() {
	p.Println("The actions of the screens by their names, with their usual keys. Other keys are set in the settings file:")
	fmt.Fprint(p.Out, "\n  [keys]\n  review = [\"ctrl+s\", \"f5\"]\n")
	place := ""
	for _, a := range state.KeyActions() {
		if a.Place != place {
			place = a.Place
			fmt.Fprintf(p.Out, "\n%s\n", place)
		}
		fmt.Fprintln(p.Out, strings.TrimRight("  "+run.Pad(a.Name, 20)+" "+strings.Join(a.Keys, "  "), " "))
	}
}

// printHelp prints the help of a command, with the flags of all commands: as wide
// as the terminal from 60 to 100 columns, 80 where none reads it.
func (p *commands) printHelp(cmd *cobra.Command, _ []string) {
	width := 80
	if columns := p.Columns(); columns > 0 {
		width = max(min(columns, 100), 60)
	}
	cmd.InitDefaultHelpFlag()
	cmd.Flags().Lookup("help").Usage = p.Say("print this help")
	text := p.help(cmd, width)
	if cmd.HasAvailableInheritedFlags() {
		text += "\n" + p.Say("Flags of all commands:") + "\n" + columns(p.flagRows(cmd.InheritedFlags()), width)
	}
	if cmd.HasAvailableSubCommands() {
		text += "\n" + wrapped(p.Say("%q says more about a command.", "darkroom help "+p.Say("command")), width)
	}
	fmt.Fprint(p.Out, text)
}

// help is what help and manual say of a command, in lines of at most width cells.
func (p *commands) help(cmd *cobra.Command, width int) string {
	text, below := wrapped(cmp.Or(cmd.Long, cmd.Short), width), [][2]string(nil)
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() || sub.Name() == "help" {
			below = append(below, [2]string{sub.Name(), sub.Short})
		}
	}
	text += "\n" + p.Say("Usage:") + "\n"
	if cmd.Annotations[run.Group] == "" {
		text += "  " + strings.Replace(cmd.UseLine(), "[flags]", "["+p.Say("flags")+"]", 1) + "\n"
	}
	if len(below) > 0 {
		text += "  " + cmd.CommandPath() + " [" + p.Say("command") + "]\n"
	}
	if cmd.Example != "" {
		text += "\n" + p.Say("Examples:") + "\n" + cmd.Example + "\n"
	}
	if len(below) > 0 {
		text += "\n" + p.Say("Commands:") + "\n" + columns(below, width)
	}
	if flags := p.flagRows(cmd.LocalFlags()); len(flags) > 0 {
		text += "\n" + p.Say("Flags:") + "\n" + columns(flags, width)
	}
	return text
}

// placeholders say what a flag takes, in every language, where it is not the last
// word of its name.
var placeholders = map[string]string{
	"addr": "ADDRESS", "async": "true|false|omit", "attach": "ID", "audio-files": "URL", "budget": "CREDITS", "calls": "N",
	"duration": "SECONDS", "filter": "WORDS", "html": "DIR", "image-files": "URL", "jq": "EXPRESSION", "json": "FIELDS", "limit": "JOBS",
	"model": "ID", "output": "FILE", "quality": "LEVEL", "seed": "N", "since": "DATE", "time-scale": "X", "timeout": "DURATION", "top": "N",
	"video-files": "URL", "video-model": "TIER",
}

// placeholder is what stands behind the name of a flag; "" where it takes nothing.
func placeholder(f *pflag.Flag) string {
	takes := placeholders[f.Name]
	if takes == "" && f.NoOptDefVal == "" {
		takes = strings.ToUpper(f.Name[strings.LastIndex(f.Name, "-")+1:])
	}
	switch {
	case takes == "":
		return ""
	case f.NoOptDefVal != "":
		return "[=" + takes + "]"
	}
	return " " + takes
}

// flagRows are the names of flags and what they take, with what they do and the
// value that they have without being given.
func (p *commands) flagRows(flags *pflag.FlagSet) (rows [][2]string) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return // it is not of this kind of request, and says so
		}
		label, text := "    --"+f.Name, f.Usage
		if f.Shorthand != "" {
			label = "-" + f.Shorthand + ", --" + f.Name
		}
		switch f.DefValue {
		case "", "0", "0s", "false", "true", "[]":
		default:
			text += p.Say(" (default %s)", f.DefValue)
		}
		rows = append(rows, [2]string{label + placeholder(f), text})
	})
	return rows
}

// wrapped breaks a text into lines of at most width cells.
func wrapped(text string, width int) string {
	return strings.Join(widget.Wrap(text, width), "\n") + "\n"
}

// widestLabel is how wide the first of two columns may be.
const widestLabel = 30

// columns are names with their texts next to them, or below one that is long.
func columns(rows [][2]string, width int) string {
	label, text := 0, ""
	for _, row := range rows {
		if n := ansi.StringWidth(row[0]); n <= widestLabel {
			label = max(label, n)
		}
	}
	indent := strings.Repeat(" ", label+4)
	for _, row := range rows {
		gap := "\n" + indent
		if n := ansi.StringWidth(row[0]); n <= label {
			gap = strings.Repeat(" ", label+2-n)
		}
		text += "  " + row[0] + gap + strings.Join(widget.Wrap(row[1], width-len(indent)), "\n"+indent) + "\n"
	}
	return text
}

// Tables of the manual.
var (
	variables = [][2]string{
		{"DARKROOM_BASE_URL", "the service's address; https, or http for this machine alone"},
		{"DARKROOM_API_KEY", "the key, instead of the one in the keyring"},
		{"DARKROOM_BUDGET", "credits that a day may cost; nothing is sent above"},
		{"DARKROOM_DOWNLOADS", "the folder for results"},
		{"DARKROOM_LANG", "the language: en or zh"},
		{"DARKROOM_OPENER", "absolute path of the program that opens results"},
		{"NO_COLOR", "no colours"},
		{"HTTPS_PROXY, NO_PROXY", "the proxy for calls and downloads"},
	}
	places = [][2]string{
		{"~/.config/darkroom/config.toml", "settings"},
		{"~/.local/share/darkroom/", "the store of jobs, drafts and spending, and the results unless another folder is set"},
		{"~/.local/state/darkroom/", "the log, if it is on, and notes about crashes"},
		{"~/.cache/darkroom/", "what can be made again, such as thumbnails"},
	}
	exitCodes = [][2]string{
		{"0", "done; with --no-wait: accepted"},
		{"1", "failed, rejected, not sent, expired"},
		{"2", "refused before anything was sent"},
		{"3", "needs a terminal"},
		{"4", "the store cannot be used"},
		{"5", "the key is missing or refused"},
		{"6", "unknown: the request may have been accepted and charged"},
		{"7", "stopped waiting; the job goes on"},
		{"128 + N", "the screens were ended by signal N"},
	}
)

// manualWidth leaves room for the indent of a page that is 80 columns wide.
const manualWidth = 76

// manCommand prints the help of all commands as one page of roff, which keeps the
// lines as they are. Cobra's own writer makes a page for each command and brings a
// Markdown reader along.
func (p *commands) manCommand() *cobra.Command {
	return &cobra.Command{
		Use: "man", Short: "Print the manual page",
		Example: `  darkroom man | man -l -`,
		Run: func(cmd *cobra.Command, _ []string) {
			root := cmd.Root()
			fmt.Fprintf(p.Out, ".TH DARKROOM 1 \"\" \"darkroom %s\" \"%s\"\n", roff(p.FullVersion), p.Say("User commands"))
			p.section(p.Say("Name"), root.Name()+" - "+root.Short)
			p.section(p.Say("Description"), p.help(root, manualWidth))
			p.section(p.Say("Commands"), "")
			for _, sub := range run.CommandsBelow(root) {
				fmt.Fprintf(p.Out, ".SS %s\n.nf\n.in 4\n%s\n", sub.CommandPath(), roff(p.help(sub, manualWidth)))
			}
			p.section(p.Say("Environment"), p.table(variables))
			p.section(p.Say("Files"), p.table(places))
			p.section(p.Say("Exit status"), p.table(exitCodes))
		},
	}
}

// section prints a section of the manual; its heading is in capitals.
func (p *commands) section(heading, text string) {
	fmt.Fprintf(p.Out, ".SH %s\n.nf\n.in 4\n%s\n", strings.ToUpper(heading), roff(text))
}

// table is rows of the manual, whose texts are translated.
func (p *commands) table(rows [][2]string) string {
	said := make([][2]string, len(rows))
	for i, row := range rows {
		said[i] = [2]string{row[0], p.Say(row[1])}
	}
	return columns(said, manualWidth)
}

// roff writes text so that none of it is taken for a request.
func roff(s string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace("\n" + s)[1:]
}
