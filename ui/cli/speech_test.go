package cli

import (
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/words"
)

func speaker(lang string) *program { return &program{words: words.For(lang)} }

// The words that are said by their code have no literal that the tests of
// ui/words could find.
func TestFixedWordsHaveAChineseEntry(t *testing.T) {
	t.Parallel()
	zh, latin := speaker("zh"), regexp.MustCompile(`[A-Za-z]`)
	fixed := []string{
		string(api.KindImage), string(api.KindVideo), "tool", kindWord(""), "image", "second", "call",
		"environment", "file", "flag", "demo", "keyring", "session", string(api.SourceService), string(api.SourceTable),
		"service address", "settings", checkedColours, "keyring", "store", "terminal", "service", checkedTools,
	}
	for _, phase := range []api.Phase{
		api.PhaseIntent, api.PhaseSending, api.PhaseQueued, api.PhaseRunning, api.PhaseFetching, api.PhaseDone, api.PhaseFailed,
		api.PhaseRejected, api.PhaseNotSent, api.PhaseUnknown, api.PhaseUnread, api.PhaseExpired, api.PhaseStale,
	} {
		fixed = append(fixed, phaseWord(phase).Error())
	}
	for _, w := range fixed {
		if said := zh.sentence(word(w)); latin.MatchString(said) {
			t.Errorf("%q is said as %q", w, said)
		}
	}
}

// A sentence is English as an error, and in the person's language on the screen,
// with the sentences and errors in it.
func TestSentences(t *testing.T) {
	t.Parallel()
	refusal := &state.Refusal{Code: "again", Reason: api.NewReason("same_running")}
	for _, c := range []struct {
		err    error
		en, zh string
	}{
		{usage("%s: add --again to send it all the same", refusal),
			"an identical request is running: add --again to send it all the same", "相同的请求正在进行中：如仍要发送，请加 --again"},
		{usage("--html: %s", fileError(errors.Join(because(api.NewReason("session_closed")), io.EOF))),
			"--html: the session is closed\nEOF", "--html：会话已关闭 EOF"},
		{sentencef("price not known: %s", state.ErrNoKey),
			"price not known: no API key: run 'darkroom login', or set DARKROOM_API_KEY for this run",
			"价格未知：没有 API 密钥：请运行 darkroom login，或为本次运行设置 DARKROOM_API_KEY"},
		{creditsText(api.Credit), "1 credit", "1 积分"},
		{sentencef("%s by the rate table", creditsText(12*api.Credit)), "12 credits by the rate table", "12 积分（按价目表）"},
		{verbatim("done"), "done", "done"},
		{errors.New("the words of a service"), "the words of a service", "the words of a service"},
	} {
		if got := c.err.Error(); got != c.en {
			t.Errorf("as an error %q, want %q", got, c.en)
		}
		if got := speaker("zh").sentence(c.err); got != c.zh {
			t.Errorf("in Chinese %q, want %q", got, c.zh)
		}
		if got, want := speaker("en").sentence(c.err), oneLine(c.en); got != want {
			t.Errorf("in English %q, want %q", got, want)
		}
	}
	if err := sentencef("price not known: %s", withCode(exitKey, state.ErrNoKey)); !errors.Is(err, state.ErrNoKey) {
		t.Error("the cause within a sentence is not found")
	}
}

// Flags are refused in our words, with the value and without Go's reasons.
func TestFlagErrors(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"--limit x":           `--limit: "x" is not a whole number`,
		"--scale x":           `--scale: "x" is not a number`,
		"--wait=perhaps":      `--wait: "perhaps" is not true or false`,
		"--timeout 5":         `--timeout: "5" is not a duration such as 90s or 10m`,
		"--max-credits lots":  `--max-credits: "lots" is not an amount of credits`,
		"--nonsense":          "unknown flag: --nonsense",
		"-z":                  "unknown flag: -z",
		"--limit":             "the flag --limit needs a value",
		"--=x":                "this is not a flag: --=x",
		"--max-credits= --no": `--max-credits: "" is not an amount of credits`,
	} {
		cmd := &cobra.Command{}
		cmd.Flags().Int("limit", 0, "")
		cmd.Flags().Float64("scale", 0, "")
		cmd.Flags().Bool("wait", false, "")
		cmd.Flags().Duration("timeout", 0, "")
		cmd.Flags().Var(&credits{}, "max-credits", "")
		err := flagError(cmd, cmd.ParseFlags(strings.Fields(line)))
		var f *failure
		if err == nil || err.Error() != want || !errors.As(err, &f) || f.code != exitUsage {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

// Columns are as wide as their widest cell in cells of the terminal, not in
// characters.
func TestTableOfWideCharacters(t *testing.T) {
	t.Parallel()
	for _, right := range []bool{false, true} {
		tab := table{right: right}
		tab.add("完成", "图片", "x")
		tab.add("done", "video", "x")
		tab.add("é", "", "x")
		var out strings.Builder
		if err := tab.write(&out); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if at := ansi.StringWidth(line[:strings.Index(line, "x")]); !right && at != 13 || right && at != 6+7+2 {
				t.Errorf("right %v: the last column begins at %d in %q", right, at, line)
			}
		}
	}
	if got := pad("密钥", 6); got != "密钥  " {
		t.Errorf("%q", got)
	}
}
