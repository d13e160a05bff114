package help

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"darkroom/ui/cli/program"
)

func (p run) manCommand() *cobra.Command {
	return &cobra.Command{
		Use: "man", Short: "Print the manual page", Args: program.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m := &manual{run: p}
			m.write(cmd.Root())
			return m.err
		},
	}
}

// manual writes the whole program as one page of roff. Cobra's own writer makes
// a page for each command and brings a Markdown reader along.
type manual struct {
	run
	err error
}

func (m *manual) line(format string, args ...any) {
	if m.err == nil {
		_, m.err = fmt.Fprintf(m.Out, format+"\n", args...)
	}
}

// section begins a section; its heading is in capitals.
func (m *manual) section(heading string) { m.line(".SH %s", strings.ToUpper(heading)) }

// terms writes names with what they mean.
func (m *manual) terms(style string, rows [][2]string) {
	for _, row := range rows {
		m.line(".TP\n.%s %s\n%s", style, roff(row[0]), roff(m.Say(row[1])))
	}
}

func (m *manual) write(root *cobra.Command) {
	m.line(`.TH DARKROOM 1 "" "darkroom %s" "%s"`, roff(m.FullVersion), m.Say("User commands"))
	m.line(".ad l\n.nh")
	m.section(m.Say("Name"))
	m.line("%s \\- %s", roff(root.Name()), roff(root.Short))
	m.section(m.Say("Synopsis"))
	m.line(".B %s\n[\\fI%s\\fR] [\\fI%s\\fR]", roff(root.Name()), m.Say("command"), m.Say("flags"))
	m.section(m.Say("Description"))
	m.text(root.Long)
	m.section(m.Say("Commands"))
	for _, cmd := range root.Commands() {
		m.command(cmd)
	}
	m.section(m.Say("Flags of all commands"))
	m.flags(root.PersistentFlags())
	m.section(m.Say("Examples"))
	m.example(root.Example)
	m.section(m.Say("Environment"))
	m.terms("B", Variables)
	m.section(m.Say("Files"))
	m.terms("I", Places)
	m.section(m.Say("Exit status"))
	m.terms("B", ExitCodes)
}

// command writes a command, its flags, and the commands below it.
func (m *manual) command(cmd *cobra.Command) {
	if cmd.Hidden || cmd.Name() == "help" {
		return
	}
	if cmd.Runnable() {
		m.line(".SS %s", roff(strings.TrimSuffix(cmd.UseLine(), " [flags]")))
		m.text(longOf(cmd))
		m.example(cmd.Example)
		m.flags(cmd.LocalNonPersistentFlags())
	}
	for _, sub := range cmd.Commands() {
		m.command(sub)
	}
}

// example writes lines as they are.
func (m *manual) example(text string) {
	if text != "" {
		m.line(".PP\n.nf\n%s\n.fi", roff(strings.TrimPrefix(strings.ReplaceAll(text, "\n  ", "\n"), "  ")))
	}
}

func (m *manual) flags(flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name := `\fB` + roff("--"+f.Name) + `\fR`
		if f.Shorthand != "" {
			name = `\fB` + roff("-"+f.Shorthand) + `\fR, ` + name
		}
		if value := Placeholder(f); value != "" {
			name += `\fI` + roff(value) + `\fR`
		}
		m.line(".TP\n%s\n%s", name, roff(m.flagText(f)))
	})
}

// text writes paragraphs, one a line; lines that are set in stay as they are.
func (m *manual) text(s string) {
	for i, line := range strings.Split(s, "\n") {
		switch {
		case line == "":
			m.line(".PP")
		case i > 0 && strings.HasPrefix(line, "  "):
			m.line(".br\n%s", roff(line))
		default:
			m.line("%s", roff(line))
		}
	}
}

// roff writes text so that none of it is taken for a request, and so that lines
// may be broken between Chinese characters, though not before what closes.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	var b strings.Builder
	before := rune(0)
	for _, r := range s {
		if breakable(before, r) {
			b.WriteString(`\:`)
		}
		b.WriteRune(r)
		before = r
	}
	lines := strings.Split(b.String(), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}

// breakable says whether a line may end between two characters without a space:
// before a Chinese one, if it does not follow what opens.
func breakable(before, r rune) bool {
	return unicode.Is(unicode.Han, r) && (unicode.Is(unicode.Han, before) || strings.ContainsRune("，。；：、）”", before))
}
