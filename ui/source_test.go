package ui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// sources calls look with every file of the rooms below ui, but the commands'.
func sources(t *testing.T, look func(files *token.FileSet, f *ast.File)) {
	t.Helper()
	files, n := token.NewFileSet(), 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "cli" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(files, path, nil, 0)
		if err == nil {
			n++
			look(files, f)
		}
		return err
	})
	expect.Must(t, err == nil && n >= 60, n, "files were read", err)
}

// receiver is the name of a method's receiver, or "".
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 || len(f.Recv.List[0].Names) == 0 {
		return ""
	}
	return f.Recv.List[0].Names[0].Name
}

// envNames are what the shared environment is called, as a variable and as a
// field; env alone is the package.
var (
	envNames  = []string{"k", "K"}
	envFields = []string{"k", "K", "env", "Env"}
)

// captures are the names in a command's body that stand for its method's
// receiver or for the shared environment.
func captures(self string, command *ast.FuncLit) []string {
	var found []string
	var look func(n ast.Node) bool
	look = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if slices.Contains(envFields, n.Sel.Name) {
				found = append(found, n.Sel.Name)
			}
			ast.Inspect(n.X, look)
			return false
		case *ast.KeyValueExpr: // the key may be a field of any name
			ast.Inspect(n.Value, look)
			return false
		case *ast.Ident:
			if n.Name == self && self != "" || slices.Contains(envNames, n.Name) {
				found = append(found, n.Name)
			}
		}
		return true
	}
	ast.Inspect(command.Body, look)
	return found
}

// isCommand reports whether a function literal is a command: func() tea.Msg.
func isCommand(f *ast.FuncLit) bool {
	if f.Type.Params.NumFields() != 0 || f.Type.Results.NumFields() != 1 {
		return false
	}
	s, ok := f.Type.Results.List[0].Type.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "Msg"
}

func TestCommandsCaptureValues(t *testing.T) {
	t.Parallel()
	commands := 0
	sources(t, func(files *token.FileSet, f *ast.File) {
		for _, d := range f.Decls {
			m, ok := d.(*ast.FuncDecl)
			if !ok || m.Body == nil {
				continue
			}
			ast.Inspect(m.Body, func(n ast.Node) bool {
				command, ok := n.(*ast.FuncLit)
				if !ok || !isCommand(command) {
					return true
				}
				commands++
				for _, name := range captures(receiver(m), command) {
					t.Errorf("%s: a command of %s captures %s", files.Position(command.Pos()), m.Name.Name, name)
				}
				return true
			})
		}
	})
	expect.That(t, commands >= 30, "only", commands, "commands were found")
}

func TestTheSourcesAreReadRightly(t *testing.T) {
	t.Parallel()
	const source = `package x
func (s *screen) ask() tea.Cmd {
	k, id, ctx := s.k, s.id, s.k.Context
	_ = func() tea.Msg { return answerMsg{id: id, done: wait(ctx)} }
	_ = func() tea.Msg { return answerMsg{id: s.id} }
	_ = func() tea.Msg { return answerMsg{text: k.Say("x")} }
	_ = func() tea.Msg { return sentence(k, id) }
	return nil
}`
	f := simtest.Must(parser.ParseFile(token.NewFileSet(), "x.go", source, 0))(t)
	var got []int
	ast.Inspect(f.Decls[0], func(n ast.Node) bool {
		if command, ok := n.(*ast.FuncLit); ok && isCommand(command) {
			got = append(got, len(captures("s", command)))
		}
		return true
	})
	expect.List(t, got, []int{0, 1, 1, 1}, "what the commands capture")
}
