package words

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// sayers are calls whose literals are said, and which of their arguments those
// are.
var sayers = map[string][]int{
	"Say": {0}, "SayIf": {1}, "Moving": {2}, "say": {0}, "Count": {1, 2}, "NewConfirm": {4},
	"Println": {0}, "Remark": {0}, "Sentencef": {0}, "Usagef": {0}, "Sentence": {0},
}

// roomSayers are those of state/settings and state/media.
var roomSayers = map[string][]int{
	"final": {0}, "failed": {1}, "no": {0}, "problem": {0}, "stop": {0}, "wrong": {0}, "reason": {0}, "program": {1}, "table": {2}, "readTexts": {2},
}

// tables are variables whose literals are said: of a row that is a literal of
// its own, the literal at this place.
var tables = map[string]int{"tabLabels": 0, "spendPeriods": 0, "tabWords": 0, "looks": 1, "unitWords": 1, "classWords": 1, "kindWords": 1, "problems": 0}

// TestCatalogue holds zh.json to the source: each sentence that is said has an
// entry with the same verbs, each entry is written in the source, and the entries
// stand in ascending order, so that none stands twice and two changes rarely touch
// the same lines.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	said, written := map[string]string{}, map[string]bool{}
	eachFile(t, "../..", func(path string, n ast.Node) {
		if e, ok := n.(ast.Expr); ok {
			written[literalOf(e)] = true
		}
		inUI := strings.HasPrefix(path, "../../ui")
		keep := func(e ast.Expr) {
			if s := literalOf(e); strings.TrimSpace(s) != "" {
				said[s] = path
			}
		}
		switch n := n.(type) {
		case *ast.CallExpr:
			if name := calleeOf(n); inUI || name == "Sentence" {
				for _, i := range sayers[name] {
					if i < len(n.Args) {
						keep(n.Args[i])
					}
				}
			} else if strings.HasPrefix(path, "../../state/settings") || strings.HasPrefix(path, "../../state/media") {
				for _, i := range roomSayers[name] {
					keep(n.Args[i])
				}
			}
		case *ast.KeyValueExpr:
			key, ok := n.Key.(*ast.Ident)
			row := ok && filepath.Base(path) == "fields.go" && slices.Contains([]string{"Label", "Help", "Empty", "Unit", "Bare"}, key.Name)
			if row || ok && inUI && (key.Name == "Label" || key.Name == "Also") {
				keep(n.Value)
			}
		case *ast.CompositeLit:
			if id, ok := n.Type.(*ast.Ident); ok && id.Name == "Look" && len(n.Elts) == 2 {
				keep(n.Elts[1])
			}
		case *ast.ValueSpec:
			eachRow(n, keep)
		}
	})
	end := simtest.Must(os.ReadFile("../cli/manual.txt"))(t)
	for line := range strings.FieldsFuncSeq(string(end), func(r rune) bool { return r == '\n' }) {
		text := strings.TrimSpace(line[strings.LastIndexByte(line, '\t')+1:])
		said[text], written[text] = "manual.txt", true
	}
	help := simtest.Must(os.ReadFile("../cli/help.txt"))(t)
	for part := range strings.SplitSeq(strings.TrimSpace(string(help)), "\n\n") {
		if group, ok := strings.CutPrefix(part, "# "); ok {
			part = group
		} else if _, short, ok := strings.Cut(part, "\n"); ok && strings.HasPrefix(part, "## ") {
			part = short
		} else if strings.HasPrefix(part, "  ") && part[2] != ' ' {
			continue // an example
		} else if part[0] != ' ' {
			part = strings.ReplaceAll(part, "\n", " ")
		}
		said[part], written[part] = "help.txt", true
	}
	expect.Must(t, len(said) >= 900, "only", len(said), "sentences were found: the search no longer sees them")
	for s, path := range said {
		_, ok := chinese()[s]
		expect.That(t, ok, path, s, "has no Chinese entry")
	}
	for en, zh := range chinese() {
		expect.That(t, written[en], en, "is said nowhere")
		expect.That(t, zh != "", en, "has an empty entry")
		expect.Equal(t, fmt.Sprint(verbs(zh)), fmt.Sprint(verbs(en)), "the entry of", en, "takes")
	}
	keys := keysInOrder(t)
	expect.That(t, slices.IsSorted(keys) && len(keys) == len(chinese()), "the entries of zh.json do not stand in ascending order, each once")
}

// eachRow calls keep with the sentences of a variable that is one of tables.
func eachRow(n *ast.ValueSpec, keep func(ast.Expr)) {
	place, ok := tables[n.Names[0].Name]
	if !ok || len(n.Names) != 1 || len(n.Values) != 1 {
		return
	}
	table, ok := n.Values[0].(*ast.CompositeLit)
	if !ok {
		return
	}
	for _, e := range table.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			e = pair.Value
		}
		if row, ok := e.(*ast.CompositeLit); ok {
			e = row.Elts[place]
		}
		keep(e)
	}
}

// keysInOrder are the keys of zh.json as they stand there.
func keysInOrder(t *testing.T) []string {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(zhFile))
	var keys []string
	for i := -1; ; i++ { // the brace, then keys and values in turns
		token, err := decoder.Token()
		if err != nil {
			return keys
		}
		if key, ok := token.(string); ok && i%2 == 0 {
			keys = append(keys, key)
		}
	}
}

// TestRoomsBelowSaySentences: the rooms below the screens hand out sentences. One
// that they write as an error or a text would be English in every language.
func TestRoomsBelowSaySentences(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"../../api", "../../state", "../picture", "../sheet"} {
		eachFile(t, dir, func(path string, n ast.Node) {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 || !slices.Contains([]string{"New", "Errorf", "Clean", "CleanLines"}, calleeOf(call)) {
				return
			}
			text := literalOf(call.Args[0])
			expect.That(t, len(text) < 16, path, text, "is not an api.Sentence")
		})
	}
}

// eachFile calls look with each node of the program's files below a folder, but
// for those of the simulator.
func eachFile(t *testing.T, dir string, look func(path string, n ast.Node)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && (d.Name() == "sim" || d.Name() == "testdata") {
				return filepath.SkipDir
			}
			return err
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool { look(path, n); return true })
		return nil
	})
	simtest.NoError(t, err)
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

// literalOf is the text of a literal, or of literals with + between them.
func literalOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if s, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return s
		}
	case *ast.BinaryExpr:
		return literalOf(e.X) + literalOf(e.Y)
	}
	return ""
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

// unwanted are phrases that were replaced by standard ones: what is said must
// not fall back to them, in either language's key.
var unwanted = regexp.MustCompile(`It goes on by itself|is a reference now|the service says COMPLETED|maybe %s cr|give it its id|Look at the service's own pages|` +
	`declare it not charged|prompts sent before|ask the service again|models or figures|longer or shorter|only reads|may spend|` +
	`^needed: |This tool needs|Tell what a generation|Ask the hosts|The hosts see |Same price for more|There is no session bus, so|` +
	`already under way: confirm|problems first|things? to do|take out %d|has to be one of|all the same|raw answer|reaks? a rule|of this machine`)

// TestSentencesHoldNoKeys: each key can be another one, but for those that cannot be
// bound, so that a sentence takes it from its action.
func TestSentencesHoldNoKeys(t *testing.T) {
	t.Parallel()
	fixed := regexp.MustCompile(`\b(?:ctrl\+[cq]|esc|enter|tab)\b`)
	key := regexp.MustCompile(`\b(?:ctrl|alt)\+|[Pp]ress [^%]|\b(?:space|backspace) (?:on|to)\b`)
	for _, sentence := range keysInOrder(t) {
		if sentence != "refuse tools that may spend, because their price is not known" {
			expect.Equal(t, unwanted.FindString(sentence), "", "a phrase that was replaced, in", sentence)
		}
		asExample := strings.Contains(sentence, "is not a key") // in the settings
		expect.That(t, asExample || !key.MatchString(fixed.ReplaceAllString(sentence, "%")), sentence, "holds a key")
	}
}
