package run

import (
	"errors"
	"io"
	"regexp"
	"testing"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/words"
)

// The words that are said by their code have no literal that the tests of
// ui/words could find.
func TestFixedWordsHaveAChineseEntry(t *testing.T) {
	t.Parallel()
	zh, latin := words.For("zh"), regexp.MustCompile(`[A-Za-z]`)
	fixed := []string{
		string(api.KindImage), string(api.KindVideo), "tool", "unknown", "image", "second", "call",
		"environment", "file", "keyring", "session", string(api.SourceService), string(api.SourceTable),
		"service address", "settings", "keyring", "store", "terminal", "service", "tool protocol",
	}
	for _, phase := range []api.Phase{
		api.PhaseIntent, api.PhaseSending, api.PhaseQueued, api.PhaseRunning, api.PhaseFetching, api.PhaseDone, api.PhaseFailed,
		api.PhaseRejected, api.PhaseNotSent, api.PhaseUnknown, api.PhaseUnread, api.PhaseExpired, api.PhaseStale,
	} {
		fixed = append(fixed, Phase(phase).Error())
	}
	for _, w := range fixed {
		if said := zh.Error(Word(w)); latin.MatchString(said) {
			t.Errorf("%q is said as %q", w, said)
		}
	}
}

// A sentence is English as an error, and in the person's language on the screen,
// with the sentences and errors in it.
func TestSentences(t *testing.T) {
	t.Parallel()
	refusal := &state.Refusal{Code: "again", Reason: api.Sentence("an identical request is running").Reason()}
	for _, c := range []struct {
		err    error
		en, zh string
	}{
		{Usagef("%s: add --again to send it all the same", refusal),
			"an identical request is running: add --again to send it all the same", "相同的请求正在进行中：如仍要发送，请加 --again"},
		{Usagef("--html: %s", FileError(errors.Join(Because(api.Sentence("the session is closed").Reason()), io.EOF))),
			"--html: the session is closed\nEOF", "--html：会话已关闭 EOF"},
		{Sentencef("price not known: %s", state.ErrNoKey),
			"price not known: no API key: run 'darkroom login', or set DARKROOM_API_KEY for this run",
			"价格未知：没有 API 密钥：请运行 darkroom login，或为本次运行设置 DARKROOM_API_KEY"},
		{Credits(api.Credit), "1 credit", "1 积分"},
		{Sentencef("%s by the rate table", Credits(12*api.Credit)), "12 credits by the rate table", "12 积分（按价目表）"},
		{Verbatim("done"), "done", "done"},
		{errors.New("the words of a service"), "the words of a service", "the words of a service"},
	} {
		if got := c.err.Error(); got != c.en {
			t.Errorf("as an error %q, want %q", got, c.en)
		}
		if got := words.For("zh").Error(c.err); got != c.zh {
			t.Errorf("in Chinese %q, want %q", got, c.zh)
		}
		if got, want := words.For("en").Error(c.err), api.OneLine(c.en); got != want {
			t.Errorf("in English %q, want %q", got, want)
		}
	}
	if err := Sentencef("price not known: %s", WithCode(ExitKey, state.ErrNoKey)); !errors.Is(err, state.ErrNoKey) {
		t.Error("the cause within a sentence is not found")
	}
}
