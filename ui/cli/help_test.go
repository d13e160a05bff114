package cli

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"darkroom/api/sim"
	"darkroom/ui/cli/help"
	"darkroom/ui/cli/program"
	"darkroom/ui/cli/say"
	"darkroom/ui/words"
)

// printed runs a command line in a language and gives what it prints.
func printed(t *testing.T, lang string, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	p := &program.Program{Env: func(name string) string {
		return map[string]string{"DARKROOM_LANG": lang, "HOME": t.TempDir()}[name]
	}}
	p.Out, p.Err = &out, &out
	if code := run(t.Context(), p, args); code != say.ExitDone {
		t.Fatalf("%v: exit code %d: %s", args, code, out.String())
	}
	return out.String()
}

// everyCommand is the program and all commands below it.
func everyCommand() []*cobra.Command {
	p := &program.Program{Env: func(string) string { return "" }}
	root := (&commands{Program: p}).root()
	all := []*cobra.Command{root}
	for i := 0; i < len(all); i++ {
		all = append(all, all[i].Commands()...)
	}
	return all
}

// Every text of help and of the manual has a Chinese one, and every flag with a
// value says what it takes.
func TestHelpIsTranslated(t *testing.T) {
	t.Parallel()
	zh := words.For("zh")
	check := func(where, text string) {
		if said := zh.Say(text); text != "" && (!strings.ContainsFunc(said, func(r rune) bool { return unicode.Is(unicode.Han, r) }) || strings.Contains(text, "%")) {
			t.Errorf("%s: %q is said as %q", where, text, said)
		}
	}
	for _, cmd := range everyCommand() {
		check(cmd.CommandPath(), cmd.Short)
		check(cmd.CommandPath(), cmd.Long)
		cmd.InitDefaultHelpFlag()
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			check(cmd.CommandPath()+" --"+f.Name, help.Usage(f))
			if f.Value.Type() != "bool" && f.Value.Type() != "count" && help.Placeholder(f) == "" {
				t.Errorf("%s --%s does not say what it takes", cmd.CommandPath(), f.Name)
			}
		})
	}
	for _, row := range slices.Concat(help.Variables, help.Places, help.ExitCodes, sim.FaultNames()) {
		check(row[0], row[1])
	}
}

// No line of help is wider than a terminal of 80 columns, in both languages.
func TestHelpFitsItsWidth(t *testing.T) {
	t.Parallel()
	for _, cmd := range everyCommand() {
		for _, lang := range []string{"en", "zh"} {
			text := printed(t, lang, append([]string{"help"}, strings.Fields(cmd.CommandPath())[1:]...)...)
			for line := range strings.Lines(text) {
				if n := ansi.StringWidth(strings.TrimRight(line, "\n")); n > 80 {
					t.Errorf("%s in %s: a line takes %d columns: %s", cmd.CommandPath(), lang, n, line)
				}
			}
			if want := map[string]string{"en": "Usage:", "zh": "用法："}[lang]; !strings.Contains(text, want) {
				t.Errorf("%s in %s: no %q in\n%s", cmd.CommandPath(), lang, want, text)
			}
		}
	}
}

// TestManualHasEverything: each command and flag stands in it, and nothing of
// the text is taken for a request of roff.
func TestManualHasEverything(t *testing.T) {
	t.Parallel()
	all := everyCommand()
	for path := range help.Examples {
		if !slices.ContainsFunc(all, func(cmd *cobra.Command) bool { return cmd.CommandPath() == path }) {
			t.Errorf("there are examples for %q, which is no command", path)
		}
	}
	for lang, headings := range map[string][]string{
		"en": {".SH EXAMPLES", ".SH ENVIRONMENT", ".SH FILES", ".SH EXIT STATUS"},
		"zh": {".SH 示例", ".SH 环境变量", ".SH 文件", ".SH 退出码"},
	} {
		page := printed(t, lang, "man")
		for _, cmd := range all[1:] {
			if cmd.Name() == "help" || cmd.Hidden {
				continue
			}
			if cmd.Runnable() && !strings.Contains(page, ".SS "+cmd.CommandPath()) {
				t.Errorf("the manual lacks %s", cmd.CommandPath())
			}
			if cmd.Example == "" && cmd.Name() != "completion" {
				t.Errorf("the help of %s has no example", cmd.CommandPath())
			}
		}
		for _, want := range append(headings, `\-\-aspect\-ratio`, `\-\-base\-url`, `\-\-max\-credits`) {
			if !strings.Contains(page, want) {
				t.Errorf("the manual lacks %s", want)
			}
		}
		known := []string{".TH ", ".SH ", ".SS ", ".TP", ".B ", ".PP", ".br", ".ad l", ".nf", ".fi", ".nh", ".I "}
		for line := range strings.Lines(page) {
			request := strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'")
			if request && !slices.ContainsFunc(known, func(k string) bool { return strings.HasPrefix(line, k) }) {
				t.Errorf("taken for a request: %q", line)
			}
		}
		checkRendered(t, page)
	}
}

// checkRendered has groff set a page, where it is installed.
func checkRendered(t *testing.T, page string) {
	t.Helper()
	groff, err := exec.LookPath("groff")
	if err != nil {
		return
	}
	cmd := exec.Command(groff, "-k", "-man", "-Tutf8", "-ww", "-P-c", "-P-u", "-P-b")
	cmd.Env = []string{"LC_ALL=C.UTF-8", "PATH=/usr/bin:/bin"}
	cmd.Stdin = strings.NewReader(page)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	text, err := cmd.Output()
	if err != nil || complaints.Len() > 0 {
		t.Errorf("groff: %v\n%s", err, complaints.String())
	}
	for line := range strings.Lines(string(text)) {
		if n := ansi.StringWidth(strings.TrimRight(line, "\n")); n > 80 {
			t.Errorf("a line of the manual takes %d columns: %s", n, line)
		}
	}
}
