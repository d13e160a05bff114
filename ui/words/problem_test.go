package words

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"darkroom/api"
	"darkroom/api/mcp"
)

// problemCodes are the codes that the source of api names, in order.
func problemCodes(t *testing.T) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "../../api/problem.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	ast.Inspect(f, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(strings.ToLower(v.Names[0].Name), "code") {
			codes = append(codes, literalOf(v.Values[0]))
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
		problems, err := mcp.Check(closed, []byte(args))
		if err != nil {
			t.Error(err)
		}
		found = append(found, problems...)
	}
	problems, _ := mcp.Check([]byte(`{"additionalProperties":false}`), []byte(`{"z":1}`))
	found = append(found, problems...)
	seen := map[string]bool{}
	for _, p := range found {
		seen[p.Code] = true
		for _, lang := range addresses("en", "zh") {
			if s := For(lang).Problem(p); strings.Contains(s, "%!") || s == p.String() {
				t.Errorf("%s in %s: %q", p, lang, s)
			}
		}
	}
	for _, code := range problemCodes(t) {
		if !seen[code] {
			t.Errorf("no request here has the problem %s", code)
		}
	}
	long := For("en").Problem(api.NewProblem("size", "not_listed", "size", many))
	if want := "This model lists other values for size: choose one of a, b, c, d, e, f, g, h, i, j, k, l (4 more)."; long != want {
		t.Errorf("%q, want %q", long, want)
	}
	if got, want := For("zh").Problem(api.NewProblem("prompt", "no_material", "【@图片1】", api.MaterialImage)), "【@图片1】 引用的素材不存在：请添加图片，或删去引用。"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
