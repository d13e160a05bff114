package cli

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"darkroom/ui/cli/help"
	"darkroom/ui/cli/program"
	"darkroom/ui/cli/say"
)

// TestManualHasEverything: each command and flag stands in it, and nothing of
// the text is taken for a request of roff.
func TestManualHasEverything(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := &program.Program{Env: func(string) string { return "" }}
	p.Out, p.Err = &out, &out
	if code := run(t.Context(), p, []string{"man"}); code != say.ExitDone {
		t.Fatalf("exit code %d: %s", code, out.String())
	}
	root := (&commands{Program: p}).root()
	page := out.String()
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Runnable() && !cmd.Hidden && cmd != root && !strings.Contains(page, ".SS "+cmd.CommandPath()) {
			t.Errorf("the manual lacks %s", cmd.CommandPath())
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
	for _, cmd := range program.CommandsBelow(root) {
		if cmd.Example == "" {
			t.Errorf("the help of %s has no example", cmd.CommandPath())
		}
	}
	for path := range help.Examples {
		if cmd, rest, err := root.Find(strings.Fields(path)[1:]); err != nil || len(rest) > 0 || cmd.CommandPath() != path {
			t.Errorf("there are examples for %q, which is no command", path)
		}
	}
	for _, want := range []string{".SH EXAMPLES", ".SH ENVIRONMENT", ".SH FILES", `\-\-aspect\-ratio`, `\-\-base\-url`, `\-\-max\-credits`, ".SH EXIT STATUS"} {
		if !strings.Contains(page, want) {
			t.Errorf("the manual lacks %s", want)
		}
	}
	known := []string{".TH ", ".SH ", ".SS ", ".TP", ".B ", ".PP", ".br", ".ad l", ".nf", ".fi", ".I "}
	for line := range strings.SplitSeq(page, "\n") {
		if !strings.HasPrefix(line, ".") && !strings.HasPrefix(line, "'") {
			continue
		}
		ok := false
		for _, k := range known {
			ok = ok || strings.HasPrefix(line, k)
		}
		if !ok {
			t.Errorf("taken for a request: %q", line)
		}
	}
	if groff, err := exec.LookPath("groff"); err == nil {
		cmd := exec.Command(groff, "-k", "-man", "-Tutf8", "-ww", "-z")
		cmd.Stdin = strings.NewReader(page)
		if said, err := cmd.CombinedOutput(); err != nil || len(said) > 0 {
			t.Errorf("groff: %v\n%s", err, said)
		}
	}
}
