package words

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/mcp"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

func TestUnknownFormatsAreSaidInEnglish(t *testing.T) {
	t.Parallel()
	expect.Equal(t, For("zh").Say("%d of nothing in the catalogue", 3), "3 of nothing in the catalogue")
	expect.Equal(t, For("zh").Count(1, "%d problem", "%d problems"), "1 个问题")
	expect.Equal(t, For("en").Count(2, "%d file", "%d files"), "2 files")
}

func TestErrorsAreSaidInBothLanguages(t *testing.T) {
	t.Parallel()
	text := func(s string) api.Text { return api.CleanLines(s, 200) }
	for _, c := range []struct {
		e      *api.Error
		en, zh string
	}{
		{&api.Error{Class: api.ClassKey, Status: 401, Text: text("bad token.")},
			"the service refused the API key (401): bad token; type the key again, or check it on the service's API key page",
			"服务拒绝了 API 密钥（401）：bad token；请重新输入密钥，或在服务的 API 密钥页面检查"},
		{&api.Error{Class: api.ClassRate, Status: 429, RetryAfter: 6500 * time.Millisecond},
			"too many calls for this key (429); wait 7s, then try again", "此密钥的调用过多（429）；请等待 7s 再试"},
		{&api.Error{Class: api.ClassNetwork, Reason: api.Sentence("the service is not reachable at %v: %v").Reason("h.example", api.Sentence("connection refused").Reason())},
			"the service is not reachable at h.example: connection refused; check the network and the service's address",
			"无法连接服务 h.example：连接被拒绝；请检查网络和服务地址"},
		{&api.Error{Class: api.ClassNetwork, Reason: api.Sentence("the service at %v gave %v within %v").Reason("h.example", api.ReasonNoAnswer.Reason(), 10*time.Second), Do: api.AdviseToolCharged.Reason()},
			"the service at h.example gave no answer within 10s; the tool may have run and been charged: look on the service's site before calling it again",
			"服务 h.example 在 10s 内没有响应；工具可能已运行并扣费：再次调用前请先在服务网站查看"},
		{&api.Error{Class: api.ClassUnreadable, Status: 200, Reason: api.Sentence("the service at %v answered %v, which cannot be read: %v").Reason("h.example", 200, api.Sentence("it is a web page (HTML), not JSON").Reason())},
			"the service at h.example answered 200, which cannot be read: it is a web page (HTML), not JSON; check the service's address, or look at the raw response",
			"服务 h.example 返回 200，无法读懂：是网页（HTML），不是 JSON；请检查服务地址，或查看原始响应"},
		{&api.Error{Class: api.ClassServer, Status: 500},
			"the service reports a fault of its own (500); try again later", "服务自身出现故障（500）；请稍后再试"},
		{&api.Error{Class: api.ClassNetwork, Final: true, Reason: api.ReasonStopped.Reason()},
			"the call was stopped before it was complete", "调用在完成前被停止"},
		{&api.Error{Class: "another"}, "the service reports a fault of its own; try again later", "服务自身出现故障；请稍后再试"},
	} {
		expect.Equal(t, c.e.Error(), c.en, "in a log")
		expect.Equal(t, For("en").Error(c.e), c.en, "in English")
		expect.Equal(t, For("zh").Error(c.e), c.zh, "in Chinese")
		expect.Equal(t, For("zh").Reason(api.ParseReason(c.e.Why().Stored(), c.en)), c.zh, "as a stored job has it")
	}
	for _, class := range []api.ErrorClass{api.ClassKey, api.ClassCredits, api.ClassRate, api.ClassInvalid, api.ClassModeration, api.ClassNotFound,
		api.ClassConflict, api.ClassServer, api.ClassNetwork, api.ClassUnreadable, api.ClassCurrency} {
		e := &api.Error{Class: class, Status: 418, Text: text("x")}
		for _, unsaid := range []string{"%!", "class_", "advise_"} {
			expect.Lacks(t, e.Error(), unsaid, class)
		}
		expect.That(t, For("zh").Error(e) != e.Error(), class, "is said in English")
	}
}

// problemCodes are the codes that the source of api names, in order.
func problemCodes(t *testing.T) []string {
	t.Helper()
	f := simtest.Must(parser.ParseFile(token.NewFileSet(), "../../api/check.go", nil, 0))(t)
	var codes []string
	ast.Inspect(f, func(n ast.Node) bool {
		if row, ok := n.(*ast.KeyValueExpr); ok && literalOf(row.Value) != "" {
			codes = append(codes, literalOf(row.Key))
		}
		return true
	})
	slices.Sort(codes)
	return codes
}

// The values that api gives fit the formats of both languages.
func TestProblemsFillTheirSentences(t *testing.T) {
	t.Parallel()
	seed, low, high := int64(1<<60), 4.0, 8.0
	many := strings.Split("abcdefghijklmnop", "")
	image := func(r api.Request) api.Request { r.Kind, r.Model = api.KindImage, "a/b"; return r }
	video := func(r api.Request) api.Request { r.Kind, r.Model = api.KindVideo, api.Seedance2; return r }
	listed := api.Model{ID: "a/b", Kind: api.KindImage, Parameters: []api.Parameter{{Name: "size", Values: many}, {Name: "image_url", Required: true}}}
	other := api.Model{ID: "c/d", Kind: api.KindVideo, Parameters: []api.Parameter{{Name: "duration", Min: &low, Max: &high}}}
	addresses := func(list ...string) []string { return list }
	var found []api.Problem
	check := func(r api.Request, m api.Model) { found = append(found, api.Check(r, m, "")...) }
	check(api.Request{}, api.Model{})
	check(api.Request{Kind: api.KindImage, Prompt: "\xff"}, api.Model{})
	check(api.Request{Kind: api.KindImage, Model: api.Seedance2, Quality: "x"}, api.Model{})
	check(api.Request{Kind: api.KindImage, Model: "x", Prompt: strings.Repeat("p", 5001), Size: " "}, api.Model{})
	check(api.Request{Kind: api.KindVideo, Model: "a/b", Prompt: "p", Size: "1K", Seed: &seed}, listed)
	check(image(api.Request{Prompt: "p", Size: "z", Seed: &seed}), listed)
	for _, d := range addresses("x", "-1", "3", "9") {
		check(api.Request{Kind: api.KindVideo, Model: "c/d", Prompt: "p", Duration: d}, other)
	}
	check(video(api.Request{Prompt: "【@图片0】【@图片1】【@视频2】", VideoURL: "https://example.com/v.mp4", Seed: &seed, VideoModel: "fast", Resolution: "1080p"}), api.Model{})
	check(video(api.Request{Prompt: "p", VideoModel: "standard", Resolution: "9p", EndImageURL: "https://example.com/a.png"}), api.Model{})
	check(video(api.Request{Prompt: "p", VideoModel: "standard_vip", Resolution: "9p", AudioFiles: addresses("https://example.com/a.mp3")}), api.Model{})
	check(video(api.Request{Prompt: "p", FunctionMode: api.ModeFirstLastFrame, ImageFiles: addresses("https://example.com/a.png")}), api.Model{})
	check(video(api.Request{Prompt: "p", ImageFiles: addresses("", "https://h.example/a b", "https://h.example:0/", "x", "file:///x", "https:///x",
		"https://u@h.example/", "https://10.0.0.1/", "https://h.example/8", "https://h.example/9", "https://h.example/10")}), api.Model{})
	closed := []byte(`{"additionalProperties":false,"required":["a"],"properties":{"a":{"type":"string"}}}`)
	for _, args := range addresses(`[]`, `{"z":1}`, `{"a":1}`) {
		found = append(found, simtest.Must(mcp.Check(closed, []byte(args)))(t)...)
	}
	problems, _ := mcp.Check([]byte(`{"additionalProperties":false}`), []byte(`{"z":1}`))
	found = append(found, problems...)
	found = append(found, api.NewProblem("image_url", "agent_material"),
		api.NewProblem("yes", "unknown_field", "yes")) // what is against an agent's request
	seen := map[string]bool{}
	for _, p := range found {
		seen[p.Code] = true
		for _, lang := range addresses("en", "zh") {
			s := For(lang).Problem(p)
			expect.That(t, !strings.Contains(s, "%!") && s != p.String(), p, "in", lang, s)
		}
	}
	for _, code := range problemCodes(t) {
		expect.That(t, seen[code], "no request here has the problem", code)
	}
	long := For("en").Problem(api.NewProblem("size", "not_listed", "size", many))
	expect.Equal(t, long, "size must be one of a, b, c, d, e, f, g, h, i, j, k, l (4 more) for this model.")
	expect.Equal(t, For("zh").Problem(api.NewProblem("prompt", "no_material", "【@图片1】", api.MaterialImage)), "【@图片1】 引用的素材不存在：请添加图片，或删去引用。")
}

// TestWhatIsNotTested says which tests are skipped on this machine, and what they
// need. go test shows nothing of a package that passes, unless it runs with -v: so
// the last package, which this is, writes it to the terminal, if there is one.
func TestWhatIsNotTested(t *testing.T) {
	var skipped []string
	for _, need := range []struct{ program, pack, what string }{
		{"ffmpeg", "ffmpeg", "frames of videos"},
		{"dbus-daemon", "dbus-daemon", "the keyring"},
		{"gnome-keyring-daemon", "gnome-keyring", "the keyring"},
		{"strace", "strace", "failing disks"},
		{"mount", "mount", "full disks"},
		{"bash", "bash", "ctrl+z"},
		{"groff", "groff-base", "the manual page"},
		{"node", "nodejs", "a tool server of others"},
	} {
		if _, err := exec.LookPath(need.program); err != nil {
			skipped = append(skipped, need.what+" (install "+need.pack+")")
		}
	}
	if _, err := os.Stat(os.Getenv("EVERYTHING_SERVER")); err != nil {
		skipped = append(skipped, "a tool server of others (set EVERYTHING_SERVER, as .ci/run does)")
	}
	if runtime.GOOS != "linux" {
		skipped = append(skipped, "the built program (use Linux)")
	}
	if os.Geteuid() != 0 {
		skipped = append(skipped, "mounts (be root)")
	}
	said := "skipped for want of a program or a right: nothing"
	if len(skipped) > 0 {
		said = "not tested on this machine: " + strings.Join(skipped, ", ") + ". .ci/run installs all of it."
	}
	if os.Getenv("CI") == "" {
		said += "\nA third of the tests of ui/cli/blackbox ran, another third each time; with CI=true all of them run."
	}
	t.Log(said)
	if terminal, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0); err == nil && !testing.Verbose() {
		fmt.Fprintln(terminal, said)
		_ = terminal.Close()
	}
}
