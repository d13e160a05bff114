package words

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// sayers are calls whose literals are said, and which of their arguments those
// are.
var sayers = map[string][]int{
	"Say": {0}, "SayIf": {1}, "say": {0}, "Count": {1, 2}, "NewConfirm": {4},
	"Println": {0}, "Remark": {0}, "Sentencef": {0}, "Usagef": {0},
}

// found is every literal that the screens say, with where.
func found(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	files := token.NewFileSet()
	visit := func(dir string, look func(file string, n ast.Node)) {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && (d.Name() == "testdata" || d.Name() == "sim") && path != dir {
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
	visit("..", func(file string, n ast.Node) {
		switch n := n.(type) {
		case *ast.CallExpr:
			for _, i := range sayers[calleeOf(n)] {
				if i < len(n.Args) {
					keep(out, file, n.Args[i])
				}
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Label" {
				keep(out, file, n.Value)
			}
		case *ast.CompositeLit:
			if id, ok := n.Type.(*ast.Ident); ok && id.Name == "Look" && len(n.Elts) == 2 {
				keep(out, file, n.Elts[1])
			}
		case *ast.ValueSpec:
			if len(n.Names) == 1 && slices.Contains([]string{"tabLabels", "looks", "classWords"}, n.Names[0].Name) {
				for _, e := range n.Values[0].(*ast.CompositeLit).Elts {
					if pair, ok := e.(*ast.KeyValueExpr); ok {
						e = pair.Value
					}
					if look, ok := e.(*ast.CompositeLit); ok { // its mark and its word
						e = look.Elts[1]
					}
					keep(out, file, e)
				}
			}
		case *ast.FuncDecl:
			if n.Name.Name == "KindWord" {
				ast.Inspect(n, func(n ast.Node) bool {
					if r, ok := n.(*ast.ReturnStmt); ok {
						keep(out, file, r.Results[0])
					}
					return true
				})
			}
		}
	})
	visit("../../api", func(file string, n ast.Node) { // what rows of fields are called
		if pair, ok := n.(*ast.KeyValueExpr); ok && filepath.Base(file) == "fields.go" {
			if key, ok := pair.Key.(*ast.Ident); ok && slices.Contains([]string{"Label", "Help", "Empty", "Unit", "Bare"}, key.Name) {
				keep(out, file, pair.Value)
			}
		}
	})
	return out
}

func calleeOf(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

func keep(out map[string]string, file string, e ast.Expr) {
	if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		if s, err := strconv.Unquote(lit.Value); err == nil && strings.TrimSpace(s) != "" {
			out[s] = file
		}
	}
}

func TestEverythingSaidHasAChineseEntry(t *testing.T) {
	t.Parallel()
	said := found(t)
	if len(said) < 100 {
		t.Fatalf("only %d literals were found: the search has gone blind", len(said))
	}
	says := chinese().Sentences
	var missing []string
	for s, file := range said {
		if _, ok := says[s]; !ok {
			missing = append(missing, fmt.Sprintf("%s: %q", file, s))
		}
	}
	slices.Sort(missing)
	if len(missing) > 0 {
		t.Errorf("%d formats have no Chinese entry:\n%s", len(missing), strings.Join(missing, "\n"))
	}
}

var verb = regexp.MustCompile(`%(\[\d+\])?[-+#0 ]*\d*(?:\.\d+)?([a-zA-Z%])`)

// verbs are the verbs of a format by argument.
func verbs(format string) map[int]string {
	out, next := map[int]string{}, 1
	for _, m := range verb.FindAllStringSubmatch(format, -1) {
		if m[2] == "%" {
			continue
		}
		if m[1] != "" {
			next, _ = strconv.Atoi(strings.Trim(m[1], "[]"))
		}
		out[next] = m[2]
		next++
	}
	return out
}

func TestChineseEntriesTakeTheSameArguments(t *testing.T) {
	t.Parallel()
	for en, zh := range chinese().Sentences {
		want, got := verbs(en), verbs(zh)
		if fmt.Sprint(want) != fmt.Sprint(got) {
			t.Errorf("%q takes %v, its entry %q takes %v", en, want, zh, got)
		}
	}
}

func TestUnknownFormatsAreSaidInEnglish(t *testing.T) {
	t.Parallel()
	if got := For("zh").Say("%d of nothing in the catalogue", 3); got != "3 of nothing in the catalogue" {
		t.Errorf("got %q", got)
	}
	if got := For("zh").Count(1, "%d problem", "%d problems"); got != "1 个问题" {
		t.Errorf("got %q", got)
	}
	if got := For("en").Count(2, "%d file", "%d files"); got != "2 files" {
		t.Errorf("got %q", got)
	}
}
