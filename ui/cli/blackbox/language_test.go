//go:build linux

package blackbox

import (
	"regexp"
	"strings"
	"testing"

	"darkroom/api/sim/simtest"
)

// chinese is the same home with the Chinese language.
func (h *home) chinese() *home { return h.with("DARKROOM_LANG", "zh") }

var (
	// neutral is what is the same in every language: paths, addresses, ids, flags
	// and field names, and commands to type.
	neutral = regexp.MustCompile(`darkroom( (login|wait|fetch|tools|models|help|doctor|jobs|job ID))?|[^\s：（）]*[/_.-][^\s：（）]*|\b[a-z2-7]{16}\b`)
	english = regexp.MustCompile(`(?i)\b(the|is|was|are|be|not|none|no|nothing|it|and|or|of|for|with|without|from|see|set|give|add|` +
		`jobs?|image|video|done|queued|running|failed|unknown|credits?|cr|price|sent|send|again|total|phase|kind|model|models|` +
		`created|ended|service|table|key|keyring|store|terminal|answers?|tools?|asked|address|request|breaks?|rule|stopped|waiting)\b`)
)

// speaksChinese fails the test when a text holds an English sentence or word of
// the program's own.
func speaksChinese(t *testing.T, what, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if word := english.FindString(neutral.ReplaceAllString(line, " ")); word != "" {
			t.Errorf("%s says %q in %q", what, word, line)
		}
	}
}

// TestCommandsSpeakChinese: the plain output, notices and errors of commands
// are Chinese, and the exit codes those of English.
func TestCommandsSpeakChinese(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	h := newHome(t, service.URL())
	zh := h.chinese()
	made := zh.run("image", "一只纸船", "--yes").wantCode(t, 0)
	speaksChinese(t, "image", made.stdout+made.stderr)
	id := h.jobs()[0].ID
	keyless := []string{"DARKROOM_API_KEY", ""}
	for _, c := range []struct {
		home func(*home) *home
		line string
		code int
		says string // in Chinese
	}{
		{nil, "jobs", 0, "完成\t图片\t12.5\t一只纸船"},
		{nil, "job " + id, 0, "提示词    一只纸船\n"},
		{nil, "wait " + id, 0, ""},
		{nil, "estimate image 船", 0, "12.5 积分\n"},
		{nil, "spend", 0, "1 个任务  12.5 积分  █"},
		{nil, "spend --since 2999-01-01", 0, "没有花费"},
		{nil, "prices", 0, "按价目表"},
		{nil, "models", 0, "默认 1K"},
		{nil, "doctor", 0, "✓ API 密钥         ak_"},
		{nil, "video 船 --yes --quality high", 2, "仅用于图片"},
		{nil, "image 船", 2, "请用 --yes 确认"},
		{nil, "image 船 --yes --max-credits 1", 2, "价格为 12.5 积分"},
		{nil, "image @/nothing --yes", 2, "没有这个文件"},
		{nil, "jobs --limit x", 2, "大于 0 的整数"},
		{nil, "jobs --nonsense", 2, "没有这个选项"},
		{nil, "job", 2, "缺少参数"},
		{nil, "job zzzz", 2, "没有这个任务"},
		{func(h *home) *home { return h.with(keyless...) }, "image 船 --yes", 5, "没有 API 密钥"},
		{func(h *home) *home { return h.with("DARKROOM_BASE_URL", "") }, "models", 2, "尚未设置服务地址"},
		{func(h *home) *home { return h.with("DARKROOM_BASE_URL", "http://example.com") }, "models", 2, "http 仅限本机"},
	} {
		if c.home == nil {
			c.home = func(h *home) *home { return h }
		}
		args := strings.Fields(c.line)
		said, plain := c.home(zh).run(args...), c.home(h).run(args...)
		if said.code != c.code || plain.code != c.code {
			t.Errorf("%s: exit %d in Chinese, %d in English, want %d", c.line, said.code, plain.code, c.code)
		}
		if text := said.stdout + said.stderr; !strings.Contains(text, c.says) {
			t.Errorf("%s: no %q in\n%s", c.line, c.says, text)
		} else {
			speaksChinese(t, c.line, text)
		}
		if text := plain.stdout + plain.stderr; strings.ContainsFunc(strings.NewReplacer("一只纸船", "", "船", "").Replace(text), func(r rune) bool { return r >= 0x4e00 && r <= 0x9fff }) {
			t.Errorf("%s speaks Chinese in English:\n%s", c.line, text)
		}
	}
}

// TestLanguageOfTheSystem: without a setting the locale decides.
func TestLanguageOfTheSystem(t *testing.T) {
	t.Parallel()
	h := newHome(t, "http://127.0.0.1:1")
	for _, pairs := range [][]string{
		{"LANG", "zh_CN.UTF-8"}, {"LC_MESSAGES", "zh_CN.UTF-8"}, {"LC_ALL", "zh_CN.UTF-8", "LC_MESSAGES", "en_US.UTF-8"},
		{"LANG", "en_US.UTF-8", "DARKROOM_LANG", "zh"},
	} {
		if e := h.with(pairs...).run("spend").wantCode(t, 0); !strings.Contains(e.stdout, "没有花费") {
			t.Errorf("%v: %s", pairs, e.stdout)
		}
	}
	h.configure("lang = \"zh\"\nnonsense = 1\n")
	if e := h.run("spend").wantCode(t, 0); !strings.Contains(e.stdout, "没有花费") || !strings.Contains(e.stderr, "不是设置项") {
		t.Errorf("by the settings file: %s%s", e.stdout, e.stderr)
	}
	if e := h.with("DARKROOM_LANG", "en").run("spend").wantCode(t, 0); !strings.Contains(e.stdout, "nothing was spent") || !strings.Contains(e.stderr, "not a setting") {
		t.Errorf("English: %s%s", e.stdout, e.stderr)
	}
}

var (
	anyID   = regexp.MustCompile(`"(id|remote_id|path|url|sha256)": "[^"]*"`)
	anyAge  = regexp.MustCompile(`"age_seconds": \d+`)
	anyTime = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+(Z|[+-]\d\d:\d\d)`)
)

// sameDocument leaves out what differs from run to run.
func sameDocument(text string) string {
	return anyTime.ReplaceAllString(anyAge.ReplaceAllString(anyID.ReplaceAllString(text, `"$1": …`), "AGE"), "TIME")
}

// TestDocumentsAreEnglish: what --json prints does not depend on the language,
// for answers and for failures.
func TestDocumentsAreEnglish(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	h := newHome(t, service.URL())
	h.run("image", "a kettle", "--yes").wantCode(t, 0)
	service.AddFault(simtest.Fault{Endpoint: "create", Count: 1, Do: "status", Status: 500})
	h.run("image", "a lamp", "--yes").wantCode(t, 6)
	id := h.jobs()[0].ID
	for _, line := range []string{
		"jobs", "job " + id, "spend", "models", "prices", "estimate image x", "doctor", "tools", "image x --dry-run",
		"image x --yes --again", "video x --yes --quality high", "image x", "jobs --limit x", "job zzzz", "image x --yes --max-credits 1",
	} {
		args := append(strings.Fields(line), "--json")
		en, zh := h.run(args...), h.chinese().run(args...)
		if en.code != zh.code || sameDocument(en.stdout) != sameDocument(zh.stdout) {
			t.Errorf("%s: exit %d and %d\n%s\n%s", line, en.code, zh.code, en.stdout, zh.stdout)
		}
	}
	en := h.with("DARKROOM_API_KEY", "").run("image", "x", "--yes", "--json").wantCode(t, 5)
	zh := h.chinese().with("DARKROOM_API_KEY", "").run("image", "x", "--yes", "--json").wantCode(t, 5)
	if en.stdout != zh.stdout || !strings.Contains(en.stdout, "no API key") {
		t.Errorf("without a key:\n%s\n%s", en.stdout, zh.stdout)
	}
}

// TestUnknownOutcomeInChinese: the stored English reason is translated where it is
// shown, and sending again is refused with what to add.
func TestUnknownOutcomeInChinese(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	h := newHome(t, service.URL()).chinese()
	service.AddFault(simtest.Fault{Endpoint: "create", Count: 1, Do: "status", Status: 500})
	e := h.run("image", "船", "--yes").wantCode(t, 6)
	for _, want := range []string{"· 未知\n", "服务自身出现故障（500）"} {
		if !strings.Contains(e.stderr, want) {
			t.Errorf("no %q in %s", want, e.stderr)
		}
	}
	if e := h.run("image", "船", "--yes").wantCode(t, 2); !strings.Contains(e.stderr, "请用 --again") {
		t.Errorf("again: %s", e.stderr)
	}
	if e := h.run("spend").wantCode(t, 0); !strings.Contains(e.stdout, "0 积分，可能另有 12.5") {
		t.Errorf("spend: %s", e.stdout)
	}
}

// TestCallLimitAdvice: a key without calls is not to be given credits.
func TestCallLimitAdvice(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{Calls: 1})
	h := newHome(t, service.URL())
	h.run("models").wantCode(t, 0)
	e := h.run("models")
	if strings.Contains(e.stderr, "add credits") || !strings.Contains(e.stderr, "no calls left (403)") {
		t.Errorf("exit %d: %s", e.code, e.stderr)
	}
	if e := h.chinese().run("models"); !strings.Contains(e.stderr, "调用次数已用完") {
		t.Errorf("exit %d: %s", e.code, e.stderr)
	}
}

// TestLinearInChinese goes the way of TestLinear in Chinese.
func TestLinearInChinese(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	h := newHome(t, service.URL()).chinese()
	s := h.lines()
	s.waitFor("图片>")
	s.says("水粉灯塔", "发送？ [y/N]")
	s.says("n", "未发送")
	s.says("一只纸船", "发送？ [y/N]")
	s.says("y", "· 完成 · 图片 · 一只纸船")
	s.says("/video --duration 5 --video-model fast", "视频>")
	s.says("/price", "425 积分")
	s.says("/video --quality high", "仅用于图片")
	s.says("/video --duration 5", "视频>")
	s.says("/jobs", "一只纸船")
	s.says("/spend", "12.5 积分")
	s.says("/nonsense", "不是 darkroom 的命令")
	s.says(`/job "x`, "请闭合引号")
	s.says("/help", "/quit            退出")
	s.keys("/quit<enter>")
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	speaksChinese(t, "linear mode", strings.ReplaceAll(string(s.bytes()), "\r\n", "\n"))
}

// TestIdenticalRequestIsAskedAbout: one question says what is running and what
// sending again costs, in either language.
func TestIdenticalRequestIsAskedAbout(t *testing.T) {
	t.Parallel()
	for lang, says := range map[string][]string{
		"en": {"Send it? [y/N]", "· sending", "An identical request is running. Send again for 12.5 credits? [y/N]", "not sent"},
		"zh": {"发送？ [y/N]", "· 发送中", "相同的请求正在进行中。再次发送，花费 12.5 积分？ [y/N]", "未发送"},
	} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			service := startService(t, simtest.Options{TimeScale: 20})
			h := newHome(t, service.URL()).with("DARKROOM_LANG", lang)
			s := h.lines()
			s.waitFor(">")
			s.says("a boat", says[0])
			s.says("y", says[1])
			s.says("a boat", says[0])
			s.says("y", says[2])
			s.says("n", says[3])
			s.keys("/quit<enter>")
			s.end()
			if n := creates(service); n != 1 {
				t.Errorf("%d creates, want 1", n)
			}
		})
	}
}
