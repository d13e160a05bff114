package words

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Keys stand in ascending order, so that none stands twice (which would hide its
// first value) and two changes rarely touch the same lines.
func TestCatalogueIsInOrder(t *testing.T) {
	t.Parallel()
	var sections map[string]json.RawMessage
	if err := json.Unmarshal(zhFile, &sections); err != nil {
		t.Fatal(err)
	}
	for name, text := range sections {
		decoder, last, keys := json.NewDecoder(bytes.NewReader(text)), "", 0
		for i := -1; ; i++ { // the brace, then keys and values in turns
			token, err := decoder.Token()
			if err != nil {
				break
			}
			if key, ok := token.(string); ok && i%2 == 0 {
				if key <= last {
					t.Errorf("%s: %q stands after %q", name, key, last)
				}
				last, keys = key, keys+1
			}
		}
		if keys < 40 {
			t.Errorf("%s: only %d keys were found", name, keys)
		}
	}
}

// Each sentence of the catalogue is one that the source has, also where it is
// put together of several literals.
func TestNoSentenceIsLeftOver(t *testing.T) {
	t.Parallel()
	written := map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok {
				if s, ok := folded(e); ok {
					written[s] = true
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for en := range chinese().Sentences {
		if !written[en] {
			t.Errorf("%q is said nowhere", en)
		}
	}
}

// folded is the text of a literal, or of literals with + between them.
func folded(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		left, ok := folded(e.X)
		right, also := folded(e.Y)
		return left + right, ok && also && e.Op == token.ADD
	}
	return "", false
}
