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

// The rooms below hand out reasons, which have codes. A sentence that they
// write as an error or as a text would be English in every language.
func TestRoomsBelowGiveReasons(t *testing.T) {
	t.Parallel()
	eachCallBelow(t, func(call *ast.CallExpr, at token.Position) {
		switch calleeOf(call) {
		case "New", "Errorf", "Clean", "CleanLines":
			text := literalOf(call.Args[0])
			if len(text) >= 16 && !slices.ContainsFunc(unseen, func(s string) bool { return strings.HasPrefix(text, s) }) {
				t.Errorf("%s: %q is no reason with a code: declare one", at, text)
			}
		}
	})
}

// declaredReasons are the English formats of the reasons that the rooms below
// declare, by their codes.
func declaredReasons(t *testing.T) map[string]string {
	t.Helper()
	formats := map[string]string{}
	eachCallBelow(t, func(call *ast.CallExpr, at token.Position) {
		if calleeOf(call) != "Declare" {
			return
		}
		code, format := literalOf(call.Args[0]), literalOf(call.Args[1])
		if code == "" || format == "" {
			t.Errorf("%s: code and format of a reason are written out", at)
		}
		formats[code] = format
	})
	if len(formats) < 200 {
		t.Fatalf("only %d reasons are declared: the search no longer finds them", len(formats))
	}
	return formats
}

// eachCallBelow calls do with each call that has arguments in the code of the
// rooms below.
func eachCallBelow(t *testing.T, do func(call *ast.CallExpr, at token.Position)) {
	t.Helper()
	for _, dir := range []string{"../../api", "../../state", "../picture", "../sheet"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && (d.Name() == "sim" || d.Name() == "testdata") {
				return filepath.SkipDir
			}
			if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			files := token.NewFileSet()
			f, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > 0 {
					do(call, files.Position(call.Pos()))
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// literalOf is the text that an expression begins with.
func literalOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		if err == nil && e.Kind == token.STRING {
			return s
		}
	case *ast.BinaryExpr:
		return literalOf(e.X) + literalOf(e.Y)
	case *ast.CallExpr:
		if calleeOf(e) == "Sprintf" && len(e.Args) > 0 {
			return literalOf(e.Args[0])
		}
	}
	return ""
}

// unseen are texts that nobody is shown: they are handled where they come from,
// or for programmers.
var unseen = []string{
	"%w: it is no SQLite file", "%w: another program's tables are in it", "%w: it has another program's mark",
	"no permit yet", "%s follows an index",
	" without saying why", // the reader's words for none; api.Error leaves them out
}
