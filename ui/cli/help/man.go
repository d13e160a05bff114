package help

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"darkroom/ui/cli/program"
	"darkroom/ui/cli/say"
)

// ManCommand prints the manual page.
func ManCommand(one *program.Program) *cobra.Command {
	p := run{one}
	return &cobra.Command{
		Use: "man", Short: "Print the manual page", Args: program.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m := &manual{out: p.Out, version: p.FullVersion}
			m.write(cmd.Root())
			return m.err
		},
	}
}

// exitWords say what each exit code means, for the manual.
var exitWords = []struct {
	code int
	text string
}{
	{say.ExitDone, "done; with --no-wait: accepted"},
	{say.ExitFailed, "failed, rejected, not sent, expired"},
	{say.ExitUsage, "refused before anything was sent"},
	{say.ExitTerminal, "needs a terminal"},
	{say.ExitStore, "the store cannot be used"},
	{say.ExitKey, "the key is missing or refused"},
	{say.ExitUnknown, "unknown: the request may have been accepted and charged"},
	{say.ExitWaiting, "stopped waiting; the job goes on"},
}

// manual writes the whole program as one page of roff. Cobra's own writer makes
// a page for each command and brings a Markdown reader along.
type manual struct {
	out     io.Writer
	version string
	err     error
}

func (m *manual) line(format string, args ...any) {
	if m.err == nil {
		_, m.err = fmt.Fprintf(m.out, format+"\n", args...)
	}
}

func (m *manual) write(root *cobra.Command) {
	m.line(`.TH DARKROOM 1 "" "darkroom %s" "User commands"`, roff(m.version))
	m.line(".ad l")
	m.line(".SH NAME\n%s \\- %s", roff(root.Name()), roff(root.Short))
	m.line(".SH SYNOPSIS\n.B %s\n[\\fIcommand\\fR] [\\fIflags\\fR]", roff(root.Name()))
	m.line(".SH DESCRIPTION")
	m.text(root.Long)
	m.line(".SH COMMANDS")
	for _, cmd := range root.Commands() {
		m.command(cmd)
	}
	m.line(".SH FLAGS OF ALL COMMANDS")
	m.flags(root.PersistentFlags())
	m.line(".SH EXAMPLES")
	m.example(root.Example)
	m.line(".SH ENVIRONMENT")
	for _, v := range variables {
		m.line(".TP\n.B %s\n%s", roff(v.name), roff(v.text))
	}
	m.line(".SH FILES")
	for _, f := range places {
		m.line(".TP\n.I %s\n%s", roff(f.name), roff(f.text))
	}
	m.line(".SH EXIT STATUS")
	for _, e := range exitWords {
		m.line(".TP\n.B %d\n%s", e.code, roff(e.text))
	}
}

// command writes a command, its flags, and the commands below it.
func (m *manual) command(cmd *cobra.Command) {
	if cmd.Hidden || cmd.Name() == "help" {
		return
	}
	if cmd.Runnable() {
		m.line(".SS %s", roff(strings.TrimSuffix(cmd.UseLine(), " [flags]")))
		long := cmd.Long
		if long == "" || cmd.Parent().Name() == "completion" { // its help is a list of shell commands
			long = strings.TrimSuffix(cmd.Short, ".") + "."
		}
		m.text(long)
		m.example(cmd.Example)
		m.flags(cmd.LocalNonPersistentFlags())
	}
	for _, sub := range cmd.Commands() {
		m.command(sub)
	}
}

// example writes lines as they are.
func (m *manual) example(text string) {
	if text == "" {
		return
	}
	m.line(".PP\n.nf")
	for line := range strings.Lines(text) {
		m.line("%s", roff(strings.TrimRight(line, "\n")))
	}
	m.line(".fi")
}

func (m *manual) flags(flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := `\fB` + roff("--"+f.Name) + `\fR`
		if f.Shorthand != "" {
			name = `\fB` + roff("-"+f.Shorthand) + `\fR, ` + name
		}
		if value != "" {
			name += ` \fI` + roff(value) + `\fR`
		}
		m.line(".TP\n%s\n%s", name, roff(usage))
	})
}

// text writes paragraphs; lines that are set in stay as they are.
func (m *manual) text(s string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(s), "\n\n") {
		if i > 0 {
			m.line(".PP")
		}
		for line := range strings.SplitSeq(paragraph, "\n") {
			if strings.HasPrefix(line, "  ") {
				m.line(".br")
			}
			m.line("%s", roff(line))
		}
	}
}

// roff writes text so that none of it is taken for a request.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
