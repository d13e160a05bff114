package words

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestSentencesFromBelowAreTranslated(t *testing.T) {
	t.Parallel()
	zh := For("zh")
	for in, want := range map[string]string{
		"": "",
		"the service refused the API key (401): bad token; type the key again, or check it on the service's API key page":                                                           "服务拒绝了 API 密钥（401）：bad token；请重新输入密钥，或在服务的 API 密钥页面检查",
		"too many calls for this key (429); wait 7s, then try again":                                                                                                                "此密钥的请求过多（429）；请等待 7s 再试",
		"the service is not reachable at api.example.com: connection refused; check the network and the base URL":                                                                   "无法连接服务 api.example.com：连接被拒绝；请检查网络和服务地址",
		"nothing was sent: the disk is full: free some space, then try again":                                                                                                       "没有发送任何请求：磁盘已满：请腾出空间再试",
		"the budget of 100 credits a day does not allow 425 more credits (20 are spent or under way): nothing was sent; raise the budget or wait for tomorrow":                      "每日预算 100 积分不够再花 425 积分（已花或进行中 20）：没有发送；请提高预算或等到明天",
		"the keyring is locked: unlock it and try again, or keep the key for this session only, or set DARKROOM_API_KEY":                                                            "密钥环已锁定：请解锁后再试，或仅在本次运行中使用密钥，或设置 DARKROOM_API_KEY",
		"the service reports a fault of its own (500); the request may have been accepted and charged: look on the service's site, then attach the id, dismiss it or send it again": "服务自身出现故障（500）；请求可能已被接受并扣费：请在服务网站查看，然后填写编号、确认未扣费或重新发送",
		// The service's own words stay as they are.
		"The picture shows a real person (policy 7)": "The picture shows a real person (policy 7)",
		"内容违规：请修改":                                   "内容违规：请修改",
	} {
		if got := zh.Look(in); got != want {
			t.Errorf("%q\n became %q\n   want %q", in, got, want)
		}
	}
	const own = "the service refused the API key"
	if got := For("en").Look(own); got != own {
		t.Errorf("in English %q became %q", own, got)
	}
}

// A shape whose words nobody says any more is a leftover.
func TestSentencesFromBelowAreStillSaid(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	sources(t, func(_ string, n ast.Node) {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil {
				all.WriteString(s)
				all.WriteByte('\n')
			}
		}
	})
	outside := []string{"no such file or directory", "permission denied", "no space left on device", "read-only file system"} // the system's
	for _, pair := range slices.Concat(chineseSettings, chinesePicturesBelow, chineseBelow) {
		if slices.Contains(outside, pair[0]) {
			continue
		}
		for _, part := range strings.Split(pair[0], "%s") {
			if part = strings.TrimSpace(part); len(part) > 12 && !strings.Contains(all.String(), part) {
				t.Errorf("nothing in api, state or ui/picture says %q", part)
			}
		}
		if len(verbs(pair[0])) != len(verbs(pair[1])) {
			t.Errorf("%q and its entry have other blanks", pair[0])
		}
	}
}

// sources visits the rooms below, without their tests and the simulator.
func sources(t *testing.T, look func(file string, n ast.Node)) {
	t.Helper()
	files := token.NewFileSet()
	for _, dir := range []string{"../../api", "../../state", "../picture"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && (d.Name() == "sim" || d.Name() == "testdata" || d.Name() == "blackbox") {
				return filepath.SkipDir
			}
			if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			f, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(f, func(n ast.Node) bool { look(path, n); return true })
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Every error and every text of a refusal or a job that people can meet on a
// screen has a Chinese entry.
func TestErrorsFromBelowHaveAChineseEntry(t *testing.T) {
	t.Parallel()
	zh, seen := For("zh"), 0
	sources(t, func(file string, n ast.Node) {
		var said ast.Expr
		switch n := n.(type) {
		case *ast.CallExpr:
			if name := calleeOf(n); len(n.Args) > 0 && (name == "New" && isPackage(n, "errors") || name == "Clean" || name == "end") {
				said = n.Args[0]
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Text" {
				said = n.Value
			}
		}
		text, ours := sentenceOf(said)
		if !ours || len(text) < 16 || slices.ContainsFunc(unseen, func(s string) bool { return strings.HasPrefix(text, s) }) {
			return
		}
		seen++
		if zh.Look(text) == text {
			t.Errorf("%s: %q has no Chinese entry", file, text)
		}
	})
	if seen < 90 {
		t.Fatalf("only %d sentences were found: the search has gone blind", seen)
	}
}

func isPackage(c *ast.CallExpr, name string) bool {
	s, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	id, ok := s.X.(*ast.Ident)
	return ok && id.Name == name
}

// sentenceOf reads a text out of the source; what differs becomes "x".
func sentenceOf(e ast.Expr) (text string, ours bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		a, aok := sentenceOf(e.X)
		b, bok := sentenceOf(e.Y)
		return a + b, aok || bok
	case *ast.CallExpr:
		if calleeOf(e) == "Sprintf" && len(e.Args) > 0 {
			s, ok := sentenceOf(e.Args[0])
			return verb.ReplaceAllString(s, "x"), ok
		}
	}
	return "x", false
}

// unseen are texts that no screen shows: they are read by commands, carried
// inside others, or told to programmers.
var unseen = []string{
	"not an amount of credits", "the result was not read to its end", "a key is not written out",
	"text after the JSON value", "nested too deeply", "too many values",
	"the download must start over", "file locks do not work there", "the recipe cannot be written down",
	"its base_url is written in an unusual way", "its layout is unusual", "a result without a job cannot be saved",
	"x without saying why", // the search sees its beginning as another's
}
