// Command mutate makes random changes to the code, one at a time, and reports
// which of them no test notices:
//
//	go run ./.ci/mutate [-n 100] [-seed N] [-least 90] [ROOM …]
//
// A change is compiled instead of the file that it is of (go test -overlay), so
// the checkout stays as it is. The tests of its room run, and while those pass, the
// tests of each room that imports it, all of which go test ./... runs. A change that
// does not compile does not count.
package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// core are the rooms whose code is changed when none is named.
const core = `api api/client api/expand api/pricing api/read state state/keys state/media state/poll
	state/remote state/settings state/store state/submit ui/display ui/form`

// change is a part of a file and what stands there instead.
type change struct {
	room, file string
	source     []byte
	from, to   int // offsets
	text       string
	turn       int // among the changes of its room
}

// swaps are operators and words, and what is written in their place.
var swaps = map[string]string{
	"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||", "||": "&&",
	"+": "-", "-": "+", "*": "+", "true": "false", "false": "true", "continue": "break",
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("mutate: ")
	n := flag.Int("n", 100, "how many changes")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "of the random choice")
	least := flag.Int("least", 0, "fail when fewer of a hundred are noticed")
	flag.Parse()
	rooms := flag.Args()
	if len(rooms) == 0 {
		rooms = strings.Fields(core)
	}
	fmt.Println("-seed", *seed)
	random := rand.New(rand.NewPCG(*seed, 0))
	var queue []change // one of each room, then another of each
	for _, room := range random.Perm(len(rooms)) {
		all := changesOf(rooms[room])
		for turn, i := range random.Perm(len(all)) {
			all[i].turn = turn
		}
		queue = append(queue, all...)
	}
	slices.SortStableFunc(queue, func(a, b change) int { return a.turn - b.turn })
	tried, noticed := map[string]int{}, map[string]int{}
	for _, c := range queue {
		if tried["together"] == *n {
			break
		}
		compiles, by := c.try()
		if !compiles {
			continue
		}
		for _, of := range []string{c.room, "together"} {
			tried[of]++
			if by != "" {
				noticed[of]++
			}
		}
		fmt.Println(cmp.Or(by, "not noticed:"), c)
	}
	for _, room := range append(rooms, "together") {
		fmt.Printf("%-16s %2d of %2d\n", room, noticed[room], tried[room])
	}
	if 100*noticed["together"] < *least**n {
		os.Exit(1)
	}
}

// changesOf are the changes that can be made to the files of a room.
func changesOf(room string) (all []change) {
	list := exec.Command("go", "list", "-f", `{{join .GoFiles "\n"}}`, "./"+room)
	list.Stderr = os.Stderr
	names, err := list.Output()
	check(err)
	for _, name := range strings.Fields(string(names)) {
		file := filepath.Join(room, name)
		source, err := os.ReadFile(file)
		check(err)
		tree, err := parser.ParseFile(token.NewFileSet(), file, source, parser.SkipObjectResolution)
		check(err)
		text := func(n ast.Node) string { return string(source[n.Pos()-1 : n.End()-1]) } // positions count from 1
		add := func(from, to token.Pos, text string) {
			if text != "" {
				all = append(all, change{room: room, file: file, source: source, from: int(from) - 1, to: int(to) - 1, text: text})
			}
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				op := n.Op.String()
				add(n.OpPos, n.OpPos+token.Pos(len(op)), swaps[op])
			case *ast.IfStmt:
				add(n.Cond.Pos(), n.Cond.End(), "!("+text(n.Cond)+")")
			case *ast.ExprStmt: // a call whose value nobody needs
				add(n.Pos(), n.End(), "{}")
			case *ast.AssignStmt:
				if n.Tok == token.ASSIGN && len(n.Lhs) == 1 && text(n.Lhs[0]) != "_" {
					add(n.Pos(), n.End(), "_ = "+text(n.Rhs[0]))
				}
			case *ast.BranchStmt, *ast.Ident:
				add(n.Pos(), n.End(), swaps[text(n)])
			case *ast.BasicLit:
				if number, err := strconv.Atoi(n.Value); err == nil {
					add(n.Pos(), n.End(), strconv.Itoa(number+1))
				}
			case *ast.CallExpr: // the size that a slice is made with changes nothing, nor more bits than 64
				return text(n.Fun) != "make" && !strings.HasPrefix(text(n.Fun), "strconv.Parse")
			}
			return true
		})
	}
	return all
}

// try reports whether the code with a change compiles, and a room whose tests notice it.
func (c change) try() (compiles bool, noticedBy string) {
	work, err := os.MkdirTemp("", "mutate-")
	check(err)
	defer os.RemoveAll(work)
	whole, err := filepath.Abs(c.file)
	check(err)
	changed := slices.Concat(c.source[:c.from], []byte(c.text), c.source[c.to:])
	instead, overlay := filepath.Join(work, "changed.go"), filepath.Join(work, "overlay.json")
	check(os.WriteFile(instead, changed, 0o600))
	check(os.WriteFile(overlay, fmt.Appendf(nil, `{"Replace": {%q: %q}}`, whole, instead), 0o600))
	if _, err := run("build", "-o", os.DevNull, "-overlay", overlay, "./"+c.room); err != nil {
		return false, ""
	}
	for _, rooms := range [][]string{{"./" + c.room}, usersOf(c.room)} {
		failed, err := run(slices.Concat(test, []string{"-overlay", overlay}, rooms)...)
		if err == nil {
			continue
		}
		for _, m := range failing.FindAllStringSubmatch(failed, -1) {
			if _, err := run(append(test, m[1])...); err == nil {
				return true, m[1] + " (" + first.FindString(failed) + ")"
			}
			log.Printf("the tests of %s fail without a change too", m[1])
		}
	}
	return true, ""
}

// test is how tests run: those that never end fail.
var test = []string{"test", "-vet=off", "-short", "-failfast", "-timeout", "5m"}

// failing finds the rooms whose tests fail, first the failure.
var (
	failing = regexp.MustCompile(`(?m)^FAIL\s+(darkroom/\S+)`)
	first   = regexp.MustCompile(`(?m)^(--- FAIL: \S+|panic: .*|fatal error: .*)`)
)

// run runs the go command in 8 GB of memory, which endless changes soon fill.
func run(args ...string) (string, error) {
	bounded := append([]string{"-c", `ulimit -v 8388608; exec go "$@"`, "go"}, args...)
	out, err := exec.Command("sh", bounded...).Output()
	return string(out), err
}

// usersOf are the rooms whose code or tests import a room, but for the tests of the
// built program, which take minutes.
func usersOf(room string) (users []string) {
	const imports = `{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Imports}} {{.TestImports}} {{.XTestImports}}{{"\n"}}{{end}}`
	list := exec.Command("go", "list", "-f", imports, "./...")
	list.Stderr = os.Stderr
	rooms, err := list.Output()
	check(err)
	separate := strings.NewReplacer("[", " ", "]", " ")
	for line := range strings.Lines(string(rooms)) {
		names := strings.Fields(separate.Replace(line))
		if slices.Contains(names[1:], "darkroom/"+room) && names[0] != "darkroom/"+room && names[0] != "darkroom/ui/cli/blackbox" {
			users = append(users, names[0])
		}
	}
	return users
}

// String is the line with the change.
func (c change) String() string {
	before := bytes.Split(c.source[:c.from], []byte("\n"))
	after, _, _ := bytes.Cut(c.source[c.to:], []byte("\n"))
	line := fmt.Sprintf("%s⟦%s → %s⟧%s", before[len(before)-1], c.source[c.from:c.to], c.text, after)
	return fmt.Sprintf("%s:%d: %s", c.file, len(before), strings.Join(strings.Fields(line), " "))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
