package run

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state"
	"darkroom/ui/words"
)

// Flags are refused in our words, with the value and without Go's reasons.
func TestFlagErrors(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"--limit x":           `--limit: "x" is not a whole number`,
		"--scale x":           `--scale: "x" is not a number`,
		"--wait=perhaps":      `--wait: "perhaps" is not true or false`,
		"--timeout 5":         `--timeout: "5" is not a duration such as 90s or 10m`,
		"--max-credits 1e-9":  `--max-credits: "1e-9" is not an amount of credits`,
		"--max-credits lots":  `--max-credits: "lots" is not an amount of credits`,
		"--nonsense":          "unknown flag --nonsense: see 'x --help'",
		"-z":                  "unknown flag -z: see 'x --help'",
		"--limit":             "the flag --limit needs a value",
		"--=x":                "this is not a flag: --=x",
		"--max-credits= --no": `--max-credits: "" is not an amount of credits`,
	} {
		cmd := &cobra.Command{Use: "x"}
		cmd.Flags().Int("limit", 0, "")
		cmd.Flags().Float64("scale", 0, "")
		cmd.Flags().Bool("wait", false, "")
		cmd.Flags().Duration("timeout", 0, "")
		(&LimitFlag{}).Add(cmd, "max-credits", "")
		err := FlagError(cmd, cmd.ParseFlags(strings.Fields(line)))
		var f *Failure
		expect.That(t, err != nil && err.Error() == want && errors.As(err, &f) && f.Code == ExitUsage, line, err, "want", want)
	}
}

// Documents of failures name flag and value, and sentences the flag as it was typed.
func TestFailuresNameFlagAndValue(t *testing.T) {
	t.Parallel()
	p := &Program{Typed: map[string]string{"video-model": "--tier"}}
	bad := api.Check(api.Request{Kind: api.KindVideo, Model: api.Seedance2, Prompt: "a", VideoModel: "slow", Size: "2K"}, api.Model{}, "")
	got := simtest.Must(json.Marshal([]failureJSON{
		p.document(&Failure{Code: ExitUsage, Err: Verbatim("-"), Problems: bad}), p.document(FailureOf(BadValue("limit", "x", Verbatim("-"))))}))(t)
	for _, want := range []string{`"sentence":"--size is for images only: leave it out.","flag":"--size"}`, `"flag":"--limit","value":"x"`,
		`"--tier must be one of fast, standard, fast_vip, standard_vip.","flag":"--tier","value":"slow"`} {
		expect.Contains(t, string(got), want)
	}
}

// The address of an uploaded file may hold the key.
func TestARemarkHidesTheKey(t *testing.T) {
	t.Parallel()
	var said strings.Builder
	(&Program{Err: &said, Words: words.For("en")}).Remark("uploaded as %s", "https://example.com/?k=ak_0123456789abcdef")
	expect.Equal(t, said.String(), "uploaded as https://example.com/?k=ak_…\n")
}

// A figure that is too old to count is said, with its time and why there is no newer one; it passes no limit.
func TestAnOldFigureIsNotKnown(t *testing.T) {
	t.Parallel()
	old := api.Estimate{Credits: 7 * api.Credit, Source: api.SourceService, At: time.Now().Add(-time.Hour)}
	got, err := Current(old, errors.New("no answer"), api.Request{})
	expect.That(t, !got.Known() && err != nil &&
		err.Error() == "no answer; the last figure, 7 credits, is of "+old.At.Local().Format(time.DateTime), got, err)
	expect.Is(t, (&LimitFlag{}).Allow(got, err), nil, "without a limit")
	expect.That(t, (&LimitFlag{Amount: 10 * api.Credit, Given: true}).Allow(got, err) != nil, "with a limit nothing")
}

// The words that are said by their code have no literal that the tests of
// ui/words could find.
func TestFixedWordsHaveAChineseEntry(t *testing.T) {
	t.Parallel()
	zh, latin := words.For("zh"), regexp.MustCompile(`[A-Za-z]`)
	fixed := []string{
		string(api.KindImage), string(api.KindVideo), "tool", "unknown", "image", "second", "call",
		"environment", "file", "keyring", "session", string(api.SourceService), string(api.SourceTable),
		"service address", "settings", "keyring", "store", "terminal", "videos", "service", "tool protocol",
	}
	for _, phase := range []api.Phase{
		api.PhaseIntent, api.PhaseSending, api.PhaseQueued, api.PhaseRunning, api.PhaseFetching, api.PhaseDone, api.PhaseFailed,
		api.PhaseRejected, api.PhaseNotSent, api.PhaseUnknown, api.PhaseUnread, api.PhaseExpired, api.PhaseStale,
	} {
		fixed = append(fixed, Phase(phase).Error())
	}
	for _, w := range fixed {
		expect.That(t, !latin.MatchString(zh.Error(Word(w))), w, "is said as", zh.Error(Word(w)))
	}
}

// A sentence is English as an error, and in the person's language on the screen,
// with the sentences and errors in it.
func TestSentences(t *testing.T) {
	t.Parallel()
	refusal := &state.Refusal{Code: "again", Fault: *api.Sentence("an identical request is running: job %v").Fault(nil, "k3v9")}
	for _, c := range []struct {
		err    error
		en, zh string
	}{
		{Usagef("%s; use --again to send it anyway", refusal),
			"an identical request is running: job k3v9; use --again to send it anyway", "相同的请求正在进行中：任务 k3v9；如仍要发送，请用 --again"},
		{Usagef("--html: %s", FileError(errors.Join(Because(api.Sentence("the session is closed").Reason()), io.EOF))),
			"--html: the session is closed\nEOF", "--html：会话已关闭 EOF"},
		{Sentencef("price not known: %s", state.ErrNoKey),
			"price not known: no API key: run 'darkroom login', or set DARKROOM_API_KEY for this run",
			"价格未知：没有 API 密钥：请运行 'darkroom login'，或为本次运行设置 DARKROOM_API_KEY"},
		{Credits(api.Credit), "1 credit", "1 积分"},
		{Sentencef("%s by the rate table", Credits(12*api.Credit)), "12 credits by the rate table", "12 积分（按价目表）"},
		{Verbatim("done"), "done", "done"},
		{errors.New("the words of a service"), "the words of a service", "the words of a service"},
	} {
		expect.Equal(t, c.err.Error(), c.en, "as an error")
		expect.Equal(t, words.For("zh").Error(c.err), c.zh, "in Chinese")
		expect.Equal(t, words.For("en").Error(c.err), api.OneLine(c.en), "in English")
	}
	expect.That(t, errors.Is(Sentencef("price not known: %s", WithCode(ExitKey, state.ErrNoKey)), state.ErrNoKey),
		"the cause within a sentence is not found")
}

// Columns are as wide as their widest cell in cells of the terminal, not in
// characters.
func TestTableOfWideCharacters(t *testing.T) {
	t.Parallel()
	for _, right := range []bool{false, true} {
		var tab Table
		tab.Add("完成", "图片", "x")
		tab.Add("done", "video", "x")
		tab.Add("é", "", "x")
		var out strings.Builder
		tab.Write(&out, right)
		for line := range strings.Lines(out.String()) {
			at := ansi.StringWidth(line[:strings.Index(line, "x")])
			expect.That(t, (right || at == 13) && (!right || at == 6+7+2), "right", right, "the last column begins at", at, "in", line)
		}
	}
	expect.Equal(t, Pad("密钥", 6), "密钥  ")
}

func TestDocumentsSteerNoTerminal(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"plain", "字", "\u009b31mred\u009c", "\u202eturned", "\u2028\u2029", "\U000e0041tag", "\x7f\u200d", "é\u0301"} {
		quoted := simtest.Must(json.Marshal(text))(t)
		shown := Escape(quoted)
		expect.That(t, !strings.ContainsFunc(string(shown), steers), text, "is shown as", string(shown))
		var back string
		expect.Is(t, json.Unmarshal(shown, &back), nil, text)
		expect.Equal(t, back, text)
	}
	got := Escape([]byte("\"a\xffb\""))
	expect.That(t, json.Valid(got) && string(got) == `"a\ufffdb"`, "broken text became", string(got))
}

// queried prints the document of a run by an expression, and gives what is said on
// standard error.
func queried(ctx context.Context, t *testing.T, expression string) string {
	var log strings.Builder
	p := &Program{Out: io.Discard, Err: &log, Words: words.For("en"), ctx: ctx}
	cmd := &cobra.Command{}
	p.JSONFlags(cmd)
	simtest.NoError(t, cmd.ParseFlags([]string{"--jq", expression}))
	expect.That(t, !p.PrintJSON(map[string]any{"id": "k3f9"}) && p.ExitCode == ExitFailed,
		expression, "all of it was printed, exit code", p.ExitCode)
	return log.String()
}

// TestNumbersThatJSONLacks are printed as jq does.
func TestNumbersThatJSONLacks(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	p := &Program{Out: &out, Err: io.Discard, Words: words.For("en"), ctx: t.Context()}
	cmd := &cobra.Command{}
	p.JSONFlags(cmd)
	simtest.NoError(t, cmd.ParseFlags([]string{"--jq", "nan, [infinite, .n]"}))
	expect.That(t, p.PrintJSON(map[string]any{"n": 12.5}) && out.String() == "null\n[1.7976931348623157e+308,12.5]\n", out.String())
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
			took := time.Since(began)
			expect.That(t, took <= 2*time.Second && strings.Contains(said, "--jq: "), "ended with the run after", took, said)
		})
	}
	defer func(was time.Duration) { queryTime = was }(queryTime)
	runtime.GC()            // what the others have left would count as before
	queryTime = time.Minute // which is not reached before the heap has grown
	expect.Contains(t, queried(t.Context(), t, `[range(2e6) | "x" * 1000] | length`), "more than 256 MiB")
	queryTime = 500 * time.Millisecond
	expect.Contains(t, queried(t.Context(), t, "def f: f; f"), "within 500ms")
}

// A signal that comes while the store is opened stops the command like any other.
func TestASignalWhileTheStoreIsOpened(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	p := &Program{Env: func(string) string { return "" }, Own: &state.Settings{DataDir: t.TempDir(), StateDir: t.TempDir()}, Words: words.For("en")}
	err := p.With(ctx, Store, func(*state.Session) error { return nil })
	expect.That(t, errors.Is(err, ErrAborted), "it ends with", err)
}
