package doctor

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"darkroom/api"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state"
	"darkroom/ui/cli/run"
	"darkroom/ui/words"
)

// The report of a bug has nothing of what others wrote, wherever it stands.
func TestReportNamesNobody(t *testing.T) {
	t.Parallel()
	const secret, key = "secret", "ak_0123456789abcdef"
	service := &api.Error{Class: api.ClassServer, Status: 503, Code: api.Clean(secret, 50), Text: api.Clean("we are "+secret, 50)}
	network := &api.Error{Class: api.ClassNetwork, Reason: api.Sentence("the keyring failed (%v): %v").Reason(secret, secret)}
	checks := []check{
		{Name: "service address", Found: run.Sentencef("%s (from %s)", "https://"+secret+".example", run.Word("file"))},
		{Name: "API key", OK: true, Found: run.Sentencef("%s (from the %s)", "ak_…"+secret, run.Word("keyring"))},
		{Name: "keyring", Found: run.Because(api.Sentence("the keyring failed (%v): %v").Reason(secret, api.Sentence("set DARKROOM_API_KEY, or type the key in the screens, for one session").Reason()))},
		{Name: "store", Found: &fs.PathError{Op: "open", Path: "/home/" + secret, Err: fs.ErrPermission}},
		{Name: "terminal", Found: run.Because(api.ReasonText.Reason(secret))},
		{Name: "service", OK: true, Found: run.Sentencef("answers, %d models", 12)},
		{Name: "tool protocol", Found: service},
		{Name: "service", Found: run.WithCode(run.ExitFailed, network)},
	}
	settings := state.Settings{
		BaseURL: "https://" + secret + ".example", Lang: "en", Pictures: "auto", Budget: 7 * api.Credit, Opener: "/home/" + secret,
		Problems: []api.Reason{api.Sentence("%v is not an absolute path, so the system's program opens results: give the full path, such as /usr/bin/xdg-open").Reason(secret)},
	}
	settings.Ways.ToolsPath = "/" + secret
	variables := map[string]string{"TERM": key, "LANG": "de_AT.UTF-8", "HTTPS_PROXY": "http://" + secret, "DARKROOM_API_KEY": key}
	for _, c := range []struct {
		lang string
		want []string
	}{
		{"en", []string{
			"version          darkroom ", "LANG=de_AT.UTF-8", "DARKROOM_API_KEY, HTTPS_PROXY", "pictures=auto", "base_url=…, budget=…, opener=…, profile.tools_path=…",
			"✗ service address  … (from file)", "✓ API key          … (from the keyring)", "keyring failed (…): set DARKROOM_API_KEY",
			"✗ store            …", "– terminal         …", "answers, 12 models", "server, HTTP 503", "(network)",
		}},
		{"zh", []string{"版本", "有响应，12 个模型", "server, HTTP 503"}},
	} {
		var out, log bytes.Buffer
		p := &run.Program{Env: func(name string) string { return variables[name] }}
		p.Out, p.Err, p.Words = &out, &log, words.For(c.lang)
		printBugReport(p, checks, settings)
		for _, text := range c.want {
			expect.Contains(t, out.String(), text, c.lang, "the report")
		}
		expect.That(t, !strings.Contains(out.String(), secret) && !strings.Contains(out.String(), key) && log.Len() == 0 &&
			!strings.Contains(out.String(), "%!") && !t.Failed(), c.lang, "the report is", out.String(), log.String())
	}
}

// Every setting that is not used is a check of its own; what is to be corrected is said once.
func TestSettingsThatAreNotUsed(t *testing.T) {
	settings := state.Settings{BaseFrom: "file", ConfigFile: "/c", Problems: []api.Reason{
		api.Sentence("%v is odd").Reason("lang in /c"), state.WhyBase.Reason("base_url in /c", "odd"), api.Sentence("%v is odd").Reason("XDG_X"),
		state.WhyBase.Reason("DARKROOM_BASE_URL", "odd"), api.Sentence("%v is odd").Reason("names in /c"), api.Sentence("%v is odd").Reason("on_done in /c"),
	}}
	said := ""
	for _, c := range checkSettings(settings) {
		said += fmt.Sprintln(c.Found, c.Advice)
	}
	expect.Equal(t, said, "lang in /c is odd correct /c\n/c correct base_url\nXDG_X is odd correct XDG_X\nnames in /c is odd <nil>\non_done in /c is odd correct /c\n")
}
