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

	"darkroom/ui/cli/run"
	"darkroom/ui/words"
)

// printed runs a command line in a language and gives what it prints.
func printed(t *testing.T, lang string, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	p := &run.Program{Env: func(name string) string {
		return map[string]string{"DARKROOM_LANG": lang, "HOME": t.TempDir()}[name]
	}}
	p.Out, p.Err, p.Columns = &out, &out, func() int { return 0 }
	if code := execute(t.Context(), p, args); code != run.ExitDone {
		t.Fatalf("%v: exit code %d: %s", args, code, out.String())
	}
	return out.String()
}

// everyCommand is the program and all commands below it, in a language.
func everyCommand(lang string) []*cobra.Command {
	p := &run.Program{Env: func(string) string { return "" }}
	p.Words = words.For(lang)
	root := (&commands{Program: p}).root()
	all := []*cobra.Command{root}
	for i := 0; i < len(all); i++ {
		all = append(all, all[i].Commands()...)
	}
	return all
}

// Every text of help and of the manual has a Chinese one.
func TestHelpIsTranslated(t *testing.T) {
	t.Parallel()
	check := func(where, said string) {
		if said != "" && (!strings.ContainsFunc(said, func(r rune) bool { return unicode.Is(unicode.Han, r) }) || strings.Contains(said, "%")) {
			t.Errorf("%s: said as %q", where, said)
		}
	}
	for _, cmd := range everyCommand("zh") {
		check(cmd.CommandPath(), cmd.Short)
		check(cmd.CommandPath(), cmd.Long)
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			check(cmd.CommandPath()+" --"+f.Name, f.Usage)
		})
	}
	for _, row := range slices.Concat(variables, places, exitCodes) {
		check(row[0], words.For("zh").Say(row[1]))
	}
}

// No line of help is wider than a terminal of 80 columns, in both languages.
func TestHelpFitsItsWidth(t *testing.T) {
	t.Parallel()
	for _, cmd := range everyCommand("en") {
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
	all := everyCommand("en")
	for lang, headings := range map[string][]string{
		"en": {"\nExamples:\n", ".SH ENVIRONMENT", ".SH FILES", ".SH EXIT STATUS"},
		"zh": {"\n示例：\n", ".SH 环境变量", ".SH 文件", ".SH 退出码"},
	} {
		page := printed(t, lang, "man")
		for _, cmd := range all[1:] {
			if cmd.Name() == "help" || cmd.Hidden {
				continue
			}
			if !strings.Contains(page, ".SS "+cmd.CommandPath()) {
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
		known := []string{".TH ", ".SH ", ".SS ", ".nf", ".in "}
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
