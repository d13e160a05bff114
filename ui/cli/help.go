package cli

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/state"
	"darkroom/ui/cli/create"
	"darkroom/ui/cli/run"
	"darkroom/ui/widget"
)

// helpText has the groups of commands, and what is said of each: below its path what
// it does, then paragraphs, and examples, which begin with two blanks.
//
//go:embed help.txt
var helpText string

// addHelp gives every command, cobra's own too, help.
func (p *commands) addHelp(root *cobra.Command) {
	root.SetHelpFunc(p.printHelp)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range run.CommandsBelow(root) {
		if slices.Contains(strings.Fields("demo simulate version man completion bash zsh fish powershell help"), cmd.Name()) {
			cmd.Flags().String("base-url", "", "") // it calls no service: in place of the one of all commands
			_ = cmd.Flags().MarkHidden("base-url")
		}
	}
	help, _, _ := root.Find([]string{"help"})
	help.Use, help.Run, help.RunE = "help [COMMAND]", nil, p.helpAbout
	completion, _, _ := root.Find([]string{"completion"})
	for _, shell := range completion.Commands() {
		shell.Args = run.Arguments
		shell.Flags().Lookup("no-descriptions").Usage = "complete without descriptions"
	}
}

// describe says of every command what it does, and of every flag, in the person's language.
func (p *commands) describe(root *cobra.Command) *cobra.Command {
	cmd, group := root, ""
	add := func(text string) { cmd.Long = strings.TrimPrefix(cmd.Long+"\n\n"+p.Say(text), "\n\n") }
	for text := range strings.SplitSeq(strings.TrimSpace(helpText), "\n\n") {
		switch mark, rest, _ := strings.Cut(text, " "); {
		case mark == "#":
			group = rest
			root.AddGroup(&cobra.Group{ID: group, Title: group})
		case mark == "##":
			path, short, _ := strings.Cut(rest, "\n")
			if cmd, _, _ = root.Find(strings.Fields(path)[1:]); cmd.CommandPath() != path {
				cmd = &cobra.Command{} // it is one of lines, and there are none
			}
			if cmd.Short, cmd.Long, cmd.Example = p.Say(short), "", ""; cmd.Parent() == root {
				cmd.GroupID = group
			}
		case strings.HasPrefix(text, "    "): // a table
			add(text)
		case strings.HasPrefix(text, "  "):
			cmd.Example = text
		default:
			add(strings.ReplaceAll(text, "\n", " "))
		}
	}
	for _, cmd = range append(run.CommandsBelow(root), root) {
		if f := cmd.Flags().Lookup("json"); f != nil {
			add(p.Say("The fields of --json=FIELDS, which docs/contract.md explains: %s", strings.Join(f.Annotations["fields"], ", ")))
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { f.Usage = p.Say(f.Usage) })
	}
	return root
}

// helpAbout is cobra's help command, but for the parts at the end of the manual, for the topic
// keys, every action of the screens with its default keys by place, and for a topic that does
// not exist, which is a usage error.
func (p *commands) helpAbout(cmd *cobra.Command, args []string) error {
	topic, rest, _ := cmd.Root().Find(args)
	switch {
	case len(rest) == 0:
		return topic.Help()
	case len(args) == 1 && slices.Contains(endParts, args[0]):
		heading, rows := p.manualPart(slices.Index(endParts, args[0]), 80)
		fmt.Fprintf(p.Out, "%s\n%s", heading, rows)
		return nil
	case args[0] != "keys":
		return run.UnknownCommand(topic, rest[0], append(endParts, "keys")...)
	}
	actions, places := state.KeyActions(), strings.Fields("everywhere create review jobs full_screen compare prices tools spending")
	for _, a := range actions {
		if !slices.Contains(places, a.Place) {
			places = append(places, a.Place)
		}
	}
	if len(args) > 1 {
		if places = api.Near(args[1], places); len(places) == 0 {
			return run.Usagef("no screen is called %s; 'darkroom help keys' prints all of them", run.ID(args[1]))
		}
	}
	fmt.Fprint(p.Out, wrapped(
		p.Say("The actions of the screens by their names, with their usual keys. Other keys are set in the settings file:"), 80))
	fmt.Fprint(p.Out, "\n  [keys]\n  review = [\"ctrl+s\", \"f5\"]\n\n")
	fmt.Fprint(p.Out, wrapped(p.Say("The places that you use most are first; 'darkroom help keys jobs' prints one of them. "+
		"On a screen, F1 says what each key does."), 80))
	for _, place := range places {
		fmt.Fprintf(p.Out, "\n%s\n%s\n", strings.ToUpper(place), strings.Repeat("-", len(place)))
		for _, a := range actions {
			if a.Place == place {
				label, shown, _ := strings.Cut(a.Label, " (")
				if strings.HasPrefix(a.Name, "agree") {
					label = "what the button says"
				}
				keys := run.Pad(strings.Join(a.Keys, "  "), 22)
				fmt.Fprintln(p.Out, strings.TrimRight("  "+run.Pad(a.Name, 20)+" "+keys+" "+p.Say(label)+" ("+shown, " ("))
			}
		}
	}
	return nil
}

// printHelp prints the help of a command, with the flags of all commands: as wide
// as the terminal from 60 to 100 columns, 80 where none reads it.
func (p *commands) printHelp(cmd *cobra.Command, _ []string) {
	if below, rest, _ := cmd.Find(cmd.Flags().Args()); len(rest) == 0 {
		cmd = below
	} else if cmd.HasSubCommands() {
		p.ExitCode = p.Fail(run.UnknownCommand(cmd, cmd.Flags().Arg(0)))
		return
	}
	p.describe(cmd.Root())
	cells, _ := run.Size(p.Out)
	width := max(min(cmp.Or(cells, 80), 100), 60)
	cmd.InitDefaultHelpFlag()
	cmd.Flags().Lookup("help").Usage = p.Say("print this help")
	text := p.help(cmd, width) + section(p.Say("Flags of all commands:"), columns(p.flagRows(cmd.InheritedFlags()), width))
	if cmd.HasAvailableSubCommands() {
		text += "\n" + wrapped(p.Say("Use %q for details.", "darkroom help COMMAND"), width)
	}
	fmt.Fprint(p.Out, text)
}

// help is what help and manual say of a command, in lines of at most width cells.
func (p *commands) help(cmd *cobra.Command, width int) string {
	below := map[string][][]string{} // by group
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() || sub.Name() == "help" {
			below[sub.GroupID] = append(below[sub.GroupID], []string{sub.Name(), sub.Short})
		}
	}
	usage := ""
	if cmd.Runnable() {
		usage = "  " + strings.Replace(cmd.UseLine(), "[flags]", "["+p.Say("flags")+"]", 1) + "\n"
	}
	if len(below) > 0 {
		usage += "  " + cmd.CommandPath() + " [" + p.Say("command") + "]\n"
	}
	groups := section(p.Say("Commands:"), columns(below[""], width))
	for _, group := range cmd.Groups() {
		groups += section(p.Say(group.Title), columns(below[group.ID], width))
	}
	about := wrapped(strings.TrimSpace(cmd.Short+"\n\n"+cmd.Long), width)
	return about + section(p.Say("Usage:"), usage) + section(p.Say("Examples:"), cmd.Example) + groups + p.flagParts(cmd.LocalFlags(), width)
}

// flagGroups are the flags of a request below their headings, the common ones first.
var flagGroups = [][2]string{
	{"What is made:", "model size quality video-model resolution duration aspect-ratio seed function-mode expand kind"},
	{"Materials:", "image-url end-image-url image-files video-url video-files audio-files upload"},
	{"Price and sending:", "yes max-credits dry-run curl again async"},
	{"Result and output:", "output no-wait wait timeout quiet json jq"},
}

// flagParts are the sections of a command's flags: of a request by what they are about.
func (p *commands) flagParts(flags *pflag.FlagSet, width int) (text string) {
	rows := p.flagRows(flags)
	for _, group := range flagGroups {
		var some [][]string
		for _, name := range strings.Fields(group[1]) {
			at := slices.IndexFunc(rows, func(row []string) bool { return row[2] == name })
			if at >= 0 && (flags.Lookup("image-url") != nil || flags.Lookup("dry-run") != nil) {
				some, rows = append(some, rows[at]), slices.Delete(rows, at, at+1)
			}
		}
		text += section(p.Say(group[0]), columns(some, width))
	}
	return text + section(p.Say("Flags:"), columns(rows, width))
}

// section is a part of help, which is left out without a body.
func section(heading, body string) string {
	if body == "" {
		return ""
	}
	return "\n" + heading + "\n" + strings.TrimSuffix(body, "\n") + "\n"
}

// placeholders say what a flag takes if that is not the last word of its name.
var placeholders = map[string]string{
	"addr": "ADDRESS", "as": "NAME", "async": strings.Join(create.AsyncValues, "|"), "attach": "ID", "audio-files": "URL",
	"budget": "CREDITS", "calls": "N", "duration": "SECONDS", "filter": "WORDS", "html": "DIR", "image-files": "URL",
	"jq": "EXPRESSION", "json": "FIELDS", "limit": "JOBS", "model": "ID", "older-than": "AGE", "output": "FILE",
	"quality": "LEVEL", "seed": "N", "since": "WHEN", "time-scale": "X", "timeout": "DURATION", "top": "N", "video-files": "URL",
	"video-model": "TIER",
}

// flagRows are flags and what they take, with what they do and the value that they have
// without being given, and their names.
func (p *commands) flagRows(flags *pflag.FlagSet) (rows [][]string) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return // it is not of this kind of request, and says so
		}
		label, takes := "    --"+f.Name, placeholders[f.Name]
		other := map[string]string{"video-model": "--tier", "image-url": "--from"}[f.Name]
		if f.Shorthand != "" {
			label = "-" + f.Shorthand + ", --" + f.Name
		}
		switch {
		case f.NoOptDefVal == "":
			label += " " + cmp.Or(takes, strings.ToUpper(f.Name[strings.LastIndex(f.Name, "-")+1:]))
		case takes != "":
			label += "[=" + takes + "]"
		}
		plain := slices.Contains([]string{"", "0", "0s", "false", "true", "[]"}, f.DefValue)
		text := f.Usage + p.SayIf(other != "", " (also %s)", other) + p.SayIf(!plain, " (default %s)", f.DefValue)
		rows = append(rows, []string{label, text, f.Name})
	})
	return rows
}

// wrapped breaks a text into lines of at most width cells.
func wrapped(text string, width int) string {
	return strings.Join(widget.Wrap(text, width), "\n") + "\n"
}

// columns are names with their texts next to them, or below one of over 30 cells.
func columns(rows [][]string, width int) string {
	label, text := 0, ""
	for _, row := range rows {
		if n := ansi.StringWidth(row[0]); n <= 30 {
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

// manualEnd is the end of the manual: parts with a heading, and a name and a text a line.
//
//go:embed manual.txt
var manualEnd string

// endParts are the topics of help that the end of the manual is made of.
var endParts = []string{"environment", "settings", "files", "exit-codes"}

// manualWidth leaves room for the indent of a page that is 80 columns wide.
const manualWidth = 76

// man prints the help of all commands as one page of roff. Cobra's own
// writer makes a page for each command and brings a Markdown reader along.
func (p *commands) man(cmd *cobra.Command, _ []string) {
	root := p.describe(cmd.Root())
	part := func(heading, text string) {
		fmt.Fprintf(p.Out, ".SH %s\n.nf\n.in 4\n%s\n", strings.ToUpper(heading), roff(text))
	}
	fmt.Fprintf(p.Out, ".TH DARKROOM 1 \"\" \"darkroom %s\" \"%s\"\n", roff(p.FullVersion), p.Say("User commands"))
	part(p.Say("Name"), root.Name()+" - "+root.Short)
	part(p.Say("Description"), p.help(root, manualWidth))
	part(p.Say("Commands"), "")
	for _, sub := range run.CommandsBelow(root) {
		fmt.Fprintf(p.Out, ".SS %s\n.nf\n.in 4\n%s\n", sub.CommandPath(), roff(p.help(sub, manualWidth)))
	}
	for i := range endParts {
		part(p.manualPart(i, manualWidth))
	}
}

// manualPart is the heading and the text of a part at the end of the manual.
func (p *commands) manualPart(i, width int) (heading, rows string) {
	var part [][]string
	texts := map[string]string{} // of all names
	for n, lines := range strings.Split(strings.TrimSpace(manualEnd), "\n\n") {
		for at, line := range strings.Split(lines, "\n") {
			name, text, _ := strings.Cut(strings.TrimSpace(line), "\t")
			switch texts[name] = text; {
			case n != i:
			case at == 0:
				heading = p.Say(name)
			case endParts[i] != "settings" || at == 1:
				part = append(part, []string{name, p.Say(text)})
			}
		}
	}
	if endParts[i] == "settings" { // those of the table, also with a variable's text
		for _, s := range state.SettingNames() {
			part = append(part, []string{s[0], p.Say(texts[cmp.Or(s[1], s[0])]) + p.SayIf(s[1] != "", " (%s)", s[1])})
		}
	}
	return heading, columns(part, width)
}

// roff writes text so that none of it is taken for a request.
func roff(s string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace("\n" + s)[1:]
}

// addCompletion gives arguments and flags the values that a shell can offer. They
// come from the spec and from the store, never from the network.
func (p *commands) addCompletion(root *cobra.Command) {
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	job, jobs, fixed := p.offer(1, p.jobValues), p.offer(math.MaxInt, p.jobValues), cobra.ShellCompDirectiveNoFileComp
	files := cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
	arguments := map[string]cobra.CompletionFunc{
		"darkroom job": job, "darkroom open": job, "darkroom fetch": job, "darkroom join": jobs, "darkroom wait": jobs,
		"darkroom edit": files, "darkroom batch": files,
		"darkroom tools call": p.offer(1, func(cmd *cobra.Command, s *state.Session) []string {
			return api.Map(s.KnownTools(cmd.Context()).Tools, func(t mcp.Tool) string { return described(t.Name, t.Title.String()) })
		}),
	}
	flags := map[string]cobra.CompletionFunc{
		"output": files, "html": files, api.FlagName(api.FieldImageURL): jobs,
		"budget": cobra.FixedCompletions([]string{"today"}, fixed),
		"model": p.offer(math.MaxInt, func(cmd *cobra.Command, s *state.Session) []string {
			listed := slices.Clip(s.KnownModels(cmd.Context()).Models)
			return api.Pick(append(listed, api.Model{ID: api.Seedance2, Kind: api.KindVideo}), func(m api.Model) (string, bool) {
				return m.ID, m.Kind == "" || asksFor(cmd, m.Kind)
			})
		}),
	}
	for _, field := range append(api.Settings(""), api.FieldNamed(api.FieldFunctionMode)) {
		// The values are those that the spec allows, or that the models of the kind list; of
		// the model alone when the command line names one.
		flags[field.Flag()] = p.offer(math.MaxInt, func(cmd *cobra.Command, s *state.Session) []string {
			all := slices.Clone(field.Values)
			if field.Name == api.FieldResolution {
				tier, _ := cmd.Flags().GetString("video-model")
				all = api.Resolutions(tier)
			}
			model, _ := cmd.Flags().GetString("model")
			for _, m := range s.KnownModels(cmd.Context()).Models {
				if p, ok := m.Parameter(field.Name); ok && asksFor(cmd, m.Kind) && (model == "" || m.ID == model) {
					all = append(all, p.Values...)
				}
			}
			return all
		})
	}
	for _, cmd := range run.CommandsBelow(root) {
		if values, ok := arguments[cmd.CommandPath()]; ok {
			cmd.ValidArgsFunction = values
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if values, ok := flags[f.Name]; ok {
				_ = cmd.RegisterFlagCompletionFunc(f.Name, values)
			}
		})
	}
}

// offer makes a completion of the first arguments, up to a number. Names come from
// the service, and a shell may insert what several have in common: only values that
// mean themselves in every shell, and are not a flag, are offered.
func (p *commands) offer(number int, read func(*cobra.Command, *state.Session) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, given []string, _ string) (found []string, how cobra.ShellCompDirective) {
		p.Quiet = true // nothing but values may be printed
		_ = p.With(cmd.Context(), run.Store, func(s *state.Session) error {
			if len(given) < number {
				found = read(cmd, s)
			}
			return nil
		})
		found = slices.DeleteFunc(found, func(text string) bool {
			value, _, _ := strings.Cut(text, "\t")
			useless := slices.Contains(given, value) || value == "" || value[0] == '-' || run.ID(value) != value
			given = append(given, value)
			return useless || strings.ContainsAny(value, "$`\\\"'|&;<>()*?[]{}!#~^%\ufffd")
		})
		return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

func described(value, about string) string {
	return cobra.CompletionWithDesc(value, api.Clean(api.OneLine(about), 200).String())
}

func (p *commands) jobValues(cmd *cobra.Command, s *state.Session) []string {
	page, _ := s.Jobs(cmd.Context(), state.Query{Limit: 50})
	return api.Map(page.Rows, func(row state.Row) string {
		return described(row.ID, p.Sentence(run.Phase(row.Phase))+" · "+row.Title)
	})
}

// asksFor reports whether the requests of a command may be for a model: one of
// their kind, or any where it makes none.
func asksFor(cmd *cobra.Command, kind api.Kind) bool {
	own := api.Kind(cmd.Name())
	return kind == own || !own.Known()
}
