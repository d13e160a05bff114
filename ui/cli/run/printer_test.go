package run

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"darkroom/ui/words"
)

// Columns are as wide as their widest cell in cells of the terminal, not in
// characters.
func TestTableOfWideCharacters(t *testing.T) {
	t.Parallel()
	for _, right := range []bool{false, true} {
		tab := Table{Right: right}
		tab.Add("完成", "图片", "x")
		tab.Add("done", "video", "x")
		tab.Add("é", "", "x")
		var out strings.Builder
		tab.Write(&out)
		for line := range strings.Lines(out.String()) {
			if at := ansi.StringWidth(line[:strings.Index(line, "x")]); !right && at != 13 || right && at != 6+7+2 {
				t.Errorf("right %v: the last column begins at %d in %q", right, at, line)
			}
		}
	}
	if got := Pad("密钥", 6); got != "密钥  " {
		t.Errorf("%q", got)
	}
}

func TestDocumentsSteerNoTerminal(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"plain", "字", "\u009b31mred\u009c", "\u202eturned", "\u2028\u2029", "\U000e0041tag", "\x7f\u200d", "é\u0301"} {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		shown := Escape(quoted)
		if strings.ContainsFunc(string(shown), steers) {
			t.Errorf("%q is shown as %q", text, shown)
		}
		var back string
		if err := json.Unmarshal(shown, &back); err != nil || back != text {
			t.Errorf("%q became %q, %v", text, back, err)
		}
	}
	if got := Escape([]byte("\"a\xffb\"")); !json.Valid(got) || string(got) != `"a\ufffdb"` {
		t.Errorf("broken text became %q", got)
	}
}

// queried prints the document of a run by an expression, and gives what is said on
// standard error.
func queried(ctx context.Context, t *testing.T, expression string) string {
	var log strings.Builder
	p := &Program{Out: io.Discard, Err: &log, Words: words.For("en"), ctx: ctx}
	cmd := &cobra.Command{}
	p.JSONFlags(cmd)
	if err := cmd.ParseFlags([]string{"--jq", expression}); err != nil {
		t.Fatal(err)
	}
	if p.PrintJSON(map[string]any{"id": "k3f9"}) || p.ExitCode != ExitFailed {
		t.Errorf("%s: all of it was printed, exit code %d", expression, p.ExitCode)
	}
	return log.String()
}

// An expression that does not end, or that grows, is stopped: at once with the run,
// else by its time and memory.
func TestExpressionsEnd(t *testing.T) {
	for _, expression := range []string{ // the last one is a call that nothing interrupts
		"repeat(1)", "def f: f; f", "last(repeat(1))", "[range(1e12)]", "reduce range(23) as $i (1; [., .]) | tojson",
	} {
		t.Run(expression, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer stop()
			began := time.Now()
			said := queried(ctx, t, expression)
			if took := time.Since(began); took > 2*time.Second || !strings.Contains(said, "--jq: ") {
				t.Errorf("ended with the run after %v: %s", took, said)
			}
		})
	}
	if testing.Short() {
		return
	}
	for _, expression := range []string{"[range(1e12)]", "def f: f; f"} { // which limit is met first depends on the machine
		if said := queried(t.Context(), t, expression); !strings.Contains(said, "more than 256 MiB") && !strings.Contains(said, "within 10s") {
			t.Errorf("%s by itself: %s", expression, said)
		}
	}
}
