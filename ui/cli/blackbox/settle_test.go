//go:build linux

package blackbox

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// TestSameRequestIsAQuestion sends a body again while its outcome is unknown.
func TestSameRequestIsAQuestion(t *testing.T) {
	service, h := begin(t, simtest.Options{Faults: []simtest.Fault{{Endpoint: "create", Count: 1, Do: "reset-after-body"}}}, "DARKROOM_TIME_SCALE", "0.1")
	args := []string{"image", "a harbour", "--model", "lumen/still-1", "--yes", "--json"}
	first := document[job](t, h.run(args...).wantCode(t, 6))
	expect.Lacks(t, h.run(args...).wantCode(t, 2).prints(t, "--again").stderr, "--again")
	wantCreates(t, service, 1)
	h.run(append(args, "--again")...).wantCode(t, 0)
	wantCreates(t, service, 2)
	h.run("job", first.ID, "--attach", "nosuch").wantCode(t, 2).says(t, "the service does not know this id: nothing was changed")
	attached := document[job](t, h.run("job", first.ID, "--attach", service.Ledger()[0].ID, "--json").wantCode(t, 0))
	expect.That(t, attached.RemoteID != nil, "attached", attached)
	expect.That(t, slices.Contains([]string{"queued", "running", "fetching", "done"}, attached.Phase), "attached", attached.Phase)
	expect.Equal(t, document[job](t, h.run("wait", first.ID, "--json").wantCode(t, 0)).Phase, "done", "the attached job ended as")
	wantCreates(t, service, 2)
}

// TestUnknownIsSettled dismisses one unknown job and sends another again.
func TestUnknownIsSettled(t *testing.T) {
	service, h := begin(t, simtest.Options{Faults: []simtest.Fault{{Endpoint: "create", Count: 2, Do: "reset-after-body"}}},
		"DARKROOM_TIME_SCALE", "0.1", "DARKROOM_BUDGET", "30")
	send := func(prompt string, code int) ended {
		return h.run("image", prompt, "--model", "lumen/still-1", "--yes", "--json").wantCode(t, code)
	}
	one, two := document[job](t, send("one", 6)), document[job](t, send("two", 6))
	send("three", 2) // 12.5 credits each: what is unknown counts as spent
	e := h.run("job", one.ID, "--dismiss", "--json").wantCode(t, 2)
	expect.Contains(t, e.stderr+e.stdout, "pass --yes", "without a terminal", e.stdout, e.stderr)
	h.run("job", one.ID, "--dismiss", "--yes", "--json").wantCode(t, 0)
	h.run("job", two.ID, "--resend").wantCode(t, 2).says(t, "charged twice")
	h.run("job", two.ID, "--resend", "--yes").wantCode(t, 2)
	wantCreates(t, service, 2)
	again := document[job](t, h.run("job", two.ID, "--resend", "--yes", "--yes", "--json").wantCode(t, 0))
	wantCreates(t, service, 3)
	expect.That(t, again.ID != two.ID, "it was sent again as the same job")
	h.run("job", two.ID, "--resend", "--yes", "--yes").wantCode(t, 2).says(t, again.ID)
	expect.Equal(t, h.run("job", two.ID, "--jq", ".resent_as").stdout, again.ID+"\n", "sent again as")
	wantCreates(t, service, 3)
	send("four", 2)
}

// TestBudgetHoldsOverWindows lets windows that confirm at once compete for a
// budget that has room for two requests: of the day in one round, of the month in the next.
func TestBudgetHoldsOverWindows(t *testing.T) {
	t.Parallel()
	for round := range times(2, 50) {
		budgetRound(t, []string{"DARKROOM_BUDGET", "DARKROOM_BUDGET_MONTH"}[round%2])
	}
}

func budgetRound(t *testing.T, budget string) {
	service, h := serve(t, simtest.Options{}, "DARKROOM_TIME_SCALE", "0.1", budget, "30")
	k := &killLane{t: t, h: h, service: service}
	var windows []*window
	for _, prompt := range []string{"one", "two", "three", "four", "five"} {
		windows = append(windows, k.send(prompt))
	}
	sent := 0
	for _, v := range windows {
		if <-v.done; v.cmd.ProcessState.ExitCode() == 0 {
			sent++
		} else if code := v.cmd.ProcessState.ExitCode(); code != 2 {
			t.Errorf("exit code %d, want 2: %s", code, v)
		}
	}
	n := creates(service)
	expect.That(t, n == 2 && sent == 2, n, "creates and", sent, "runs that sent, want 2")
}

// TestSameRequestOverWindows lets windows confirm the same request at once:
// one sends it, to the others it is a question.
func TestSameRequestOverWindows(t *testing.T) {
	service, h := begin(t, simtest.Options{TimeScale: endless}, "DARKROOM_TIME_SCALE", "0.1")
	k := &killLane{t: t, h: h, service: service}
	sent, asked := 0, 0
	for range times(2, 10) {
		var windows []*window
		for range 5 {
			windows = append(windows, k.send("the same for all"))
		}
		for _, v := range windows {
			<-v.done
			switch code := v.cmd.ProcessState.ExitCode(); {
			case code == 0:
				sent++
			case code == 2 && strings.Contains(v.String(), "--again"):
				asked++
			default:
				t.Errorf("exit code %d: %s", code, v)
			}
		}
	}
	n := creates(service)
	expect.That(t, n == 1 && sent == 1, n, "creates and", sent, "runs that sent, want 1")
	t.Logf("%d windows with the same request: %d sent it, %d were asked first", sent+asked, sent, asked)
}

// TestRedirectsLeadNowhere answers every call of the key with a redirect to
// another port, host or scheme, which must never hear of it.
func TestRedirectsLeadNowhere(t *testing.T) {
	t.Parallel()
	var heard atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { heard.Add(1) }))
	t.Cleanup(elsewhere.Close)
	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { heard.Add(1) }))
	secure.StartTLS()
	t.Cleanup(secure.Close)
	service, h := serve(t, simtest.Options{}, "DARKROOM_TIME_SCALE", "0.1")
	accepted := document[job](t, h.run("image", "first", "--model", "lumen/still-1", "--yes", "--json", "--no-wait").wantCode(t, 0))
	targets := []string{elsewhere.URL, strings.Replace(elsewhere.URL, "127.0.0.1", "localhost", 1), secure.URL}
	for i, code := range []int{301, 302, 303, 307, 308} {
		for j, target := range targets {
			service.ClearFaults()
			for _, endpoint := range []string{"create", "job", "models", "estimate"} {
				service.AddFault(simtest.Fault{Endpoint: endpoint, Do: "redirect", Status: code, Body: target + "/api/v1/moved"})
			}
			prompt := strings.Repeat("x", 1+i*len(targets)+j)
			before := creates(service)
			h.run("image", prompt, "--model", "lumen/still-1", "--yes", "--json").wantCode(t, 6)
			expect.Equal(t, creates(service)-before, 1, code, "to", target, "creates")
			h.run("models", "--json")
			h.run("wait", accepted.ID, "--timeout", "50ms", "--json").wantCode(t, 7)
		}
	}
	expect.Equal(t, heard.Load(), 0, "requests were led elsewhere")
	service.ClearFaults()
	h.run("wait", accepted.ID, "--json").wantCode(t, 0)
	t.Logf("15 redirects of 4 kinds of call: %d requests elsewhere", heard.Load())
}

// TestSimultaneousResends lets four commands send one unknown job again at the
// same time: all have asked for the price before one of them sends.
func TestSimultaneousResends(t *testing.T) {
	service, h := begin(t, simtest.Options{Faults: []simtest.Fault{{Endpoint: "create", Count: 1, Do: "reset-after-body"}}}, "DARKROOM_TIME_SCALE", "0.1")
	j := document[job](t, h.run("image", "one", "--model", "lumen/still-1", "--yes", "--json").wantCode(t, 6))
	service.AddFault(simtest.Fault{Endpoint: "estimate", Do: "latency", Delay: time.Second})
	ids := make(chan string, 4)
	for range cap(ids) {
		go func() {
			out, err := h.command(t.Context(), "job", j.ID, "--resend", "--yes", "--yes", "--json").Output()
			expect.Is(t, err, nil, string(out))
			ids <- document[job](t, ended{stdout: string(out)}).ID
		}()
	}
	first := within(t, "a job", ids)
	for range cap(ids) - 1 {
		expect.Equal(t, within(t, "a job", ids), first, "jobs")
	}
	wantCreates(t, service, 2)
}

// TestAResendHasAPrice: the price is shown before the question, and a limit
// refuses it.
func TestAResendHasAPrice(t *testing.T) {
	service, h := begin(t, simtest.Options{Faults: []simtest.Fault{{Endpoint: "create", Count: 1, Do: "reset-after-body"}}}, "DARKROOM_TIME_SCALE", "0.1")
	j := document[job](t, h.run("image", "one", "--model", "lumen/still-1", "--yes", "--json").wantCode(t, 6))
	resend := func(code int, more ...string) string {
		t.Helper()
		return h.run(append([]string{"job", j.ID, "--resend"}, more...)...).wantCode(t, code).stderr
	}
	expect.Contains(t, resend(2), "12.5 credits", "the question")
	expect.Contains(t, resend(2, "--yes", "--yes", "--max-credits", "12"), "--max-credits is 12")
	wantCreates(t, service, 1)
	resend(0, "--yes", "--yes", "--max-credits", "12.5")
	wantCreates(t, service, 2)
}

// chinese is the same home with the Chinese language.
func (h *home) chinese() *home { return h.with("DARKROOM_LANG", "zh") }

var (
	// neutral is what is the same in every language: paths, addresses, ids, flags
	// and field names, and commands to type.
	neutral = regexp.MustCompile(`darkroom( (login|wait|fetch|tools|models|(help )?job( ID)?|help|doctor|jobs))?|[^\s：（）]*[/_.-][^\s：（）]*|\b[a-z2-7]{16}\b`)
	english = regexp.MustCompile(`(?i)\b(the|is|was|are|be|not|none|no|nothing|it|and|or|of|for|with|without|from|see|set|give|add|` +
		`jobs?|image|video|done|queued|running|failed|unknown|credits?|cr|price|sent|send|again|total|phase|kind|model|models|` +
		`created|ended|service|table|key|keyring|store|terminal|answers?|tools?|asked|address|request|breaks?|rule|stopped|waiting)\b`)
)

// speaksChinese fails the test when a text holds an English sentence or word of
// the program's own.
func speaksChinese(t *testing.T, what, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		expect.Equal(t, english.FindString(neutral.ReplaceAllString(line, " ")), "", what, "English in", line)
	}
}

// TestCommandsSpeakChinese: the plain output, notices and errors of commands
// are Chinese, and the exit codes those of English.
func TestCommandsSpeakChinese(t *testing.T) {
	_, h := begin(t, simtest.Options{})
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
		{nil, "job", 2, "缺少 ID"},
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
		expect.Equal(t, said.code, c.code, c.line, "in Chinese")
		expect.Equal(t, plain.code, c.code, c.line, "in English")
		expect.Contains(t, said.stdout+said.stderr, c.says, c.line)
		speaksChinese(t, c.line, said.stdout+said.stderr)
		text := strings.NewReplacer("一只纸船", "", "船", "").Replace(plain.stdout + plain.stderr)
		expect.That(t, !han(text), c.line, "speaks Chinese in English", text)
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
		h.with(pairs...).run("spend").wantCode(t, 0).prints(t, "没有花费")
	}
	h.configure("lang = \"zh\"\nnonsense = 1\n")
	h.run("spend").wantCode(t, 0).prints(t, "没有花费").says(t, "不是设置项")
	h.with("DARKROOM_LANG", "en").run("spend").wantCode(t, 0).prints(t, "nothing was spent").says(t, "not a setting")
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
	service, h := begin(t, simtest.Options{})
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
		expect.Equal(t, zh.code, en.code, line)
		expect.Equal(t, sameDocument(zh.stdout), sameDocument(en.stdout), line)
	}
	en := h.with("DARKROOM_API_KEY", "").run("image", "x", "--yes", "--json").wantCode(t, 5)
	zh := h.chinese().with("DARKROOM_API_KEY", "").run("image", "x", "--yes", "--json").wantCode(t, 5)
	en.prints(t, "no API key")
	expect.Equal(t, zh.stdout, en.stdout, "without a key")
}

// TestUnknownOutcomeInChinese: the stored English reason is translated where it is
// shown, and sending again is refused with what to add.
func TestUnknownOutcomeInChinese(t *testing.T) {
	service, h := begin(t, simtest.Options{}, "DARKROOM_LANG", "zh")
	service.AddFault(simtest.Fault{Endpoint: "create", Count: 1, Do: "status", Status: 500})
	h.run("image", "船", "--yes").wantCode(t, 6).says(t, "· 未知 · 服务自身出现故障（500）", " · 可能已被受理并扣费")
	h.run("image", "船", "--yes").wantCode(t, 2).says(t, "请用 --again")
	h.run("spend").wantCode(t, 0).prints(t, "0 积分，可能另有 12.5")
}

// TestCallLimitAdvice: a key without calls is not to be given credits.
func TestCallLimitAdvice(t *testing.T) {
	_, h := begin(t, simtest.Options{Calls: 1})
	h.run("models").wantCode(t, 0)
	expect.Lacks(t, h.run("models").says(t, "no calls left (403)").stderr, "add credits")
	h.chinese().run("models").says(t, "调用次数已用完")
}

// TestLinearInChinese goes the way of TestLinear in Chinese.
func TestLinearInChinese(t *testing.T) {
	_, h := begin(t, simtest.Options{}, "DARKROOM_LANG", "zh")
	s := h.lines()
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
	expect.Equal(t, s.end(), 0, "exit code")
	speaksChinese(t, "linear mode", strings.ReplaceAll(string(s.bytes()), "\r\n", "\n"))
}

// TestIdenticalRequestIsAskedAbout: one question says what is running and what
// sending again costs, in either language.
func TestIdenticalRequestIsAskedAbout(t *testing.T) {
	t.Parallel()
	for lang, says := range map[string][]string{
		"en": {"Send it? [y/N]", "· sending", "An identical request is running: job ", "Send again for 12.5 credits? [y/N]", "not sent"},
		"zh": {"发送？ [y/N]", "· 发送中", "相同的请求正在进行中：任务 ", "再次发送，花费 12.5 积分？ [y/N]", "未发送"},
	} {
		t.Run(lang, func(t *testing.T) {
			service, h := begin(t, simtest.Options{TimeScale: 20}, "DARKROOM_LANG", lang)
			s := h.lines()
			s.says("a boat", says[0])
			s.says("y", says[1])
			s.says("a boat", says[0])
			s.says("y", says[2])
			s.waitFor(says[3])
			s.says("n", says[4])
			s.keys("/quit<enter>")
			s.end()
			wantCreates(t, service, 1)
		})
	}
}
