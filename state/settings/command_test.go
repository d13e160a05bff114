package settings

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCommandsAreRead(t *testing.T) {
	t.Parallel()
	run := func(words ...string) []string { return words }
	for name, c := range map[string]struct {
		file    string
		want    []Command
		problem string
	}{
		"one":              {"key = 'B'\nname = 'copy to r2'\nrun = ['rclone', 'copy', '{file}', 'r2:']", []Command{{"B", "copy to r2", run("rclone", "copy", "{file}", "r2:")}}, ""},
		"without a name":   {"key = 'alt+b'\nrun = ['/usr/bin/gimp', '{file}']", []Command{{"alt+b", "gimp", run("/usr/bin/gimp", "{file}")}}, ""},
		"without a key":    {"run = ['up', '--id={id}']", []Command{{"", "up", run("up", "--id={id}")}}, ""},
		"two":              {"key = 'B'\nrun = ['a', '{id}']\n[[command]]\nkey = 'f5'\nrun = ['b', '{id}']", []Command{{"B", "a", run("a", "{id}")}, {"f5", "b", run("b", "{id}")}}, ""},
		"other braces":     {"run = ['awk', '{print}', '{file}']", []Command{{"", "awk", run("awk", "{print}", "{file}")}}, ""},
		"a key taken":      {"key = 'U'\nrun = ['a', '{id}']", []Command{{"", "a", run("a", "{id}")}}, "line 2, command.1.key in FILE: U is already the key of undo_rating where results are shown"},
		"a key everywhere": {"key = 'ctrl+k'\nrun = ['a', '{id}']", []Command{{"", "a", run("a", "{id}")}}, "ctrl+k is already the key of all_actions"},
		"a key given away": {"key = 'U'\nrun = ['a', '{id}']\n[keys]\nundo_rating = 'f9'", []Command{{"U", "a", run("a", "{id}")}}, ""},
		"a key just taken": {"key = 'f9'\nrun = ['a', '{id}']\n[keys]\nundo_rating = 'f9'", []Command{{"", "a", run("a", "{id}")}}, "f9 is already the key of undo_rating"},
		"two of one key":   {"key = 'B'\nrun = ['a', '{id}']\n[[command]]\nkey = 'shift+b'\nrun = ['b', '{id}']", []Command{{"B", "a", run("a", "{id}")}, {"", "b", run("b", "{id}")}}, "line 5, command.2.key in FILE: B is already the key of a"},
		"reserved":         {"key = 'ctrl+i'\nrun = ['a', '{id}']", []Command{{"", "a", run("a", "{id}")}}, "ctrl+i is reserved"},
		"no key":           {"key = 'ctrl+wheel'\nrun = ['a', '{id}']", []Command{{"", "a", run("a", "{id}")}}, "ctrl+wheel is not a key"},
		"nothing to run":   {"key = 'B'", nil, "command.1.run in FILE is no command"},
		"one text":         {"run = 'rclone copy {file}'", nil, "line 2, command.1.run in FILE is no command"},
		"about no result":  {"run = ['ls']", nil, "is no command"},
		"a file to run":    {"run = ['{file}', '{id}']", nil, "is no command"},
		"no program":       {"run = ['', '{file}']", nil, "is no command"},
		"not all texts":    {"run = ['a', '{file}', 3]", nil, "is no command"},
		"a slip":           {"kye = 'B'\nrun = ['a', '{id}']", []Command{{"", "a", run("a", "{id}")}}, "line 2, command.1.kye in FILE is not a setting"},
		"controls":         {"name = \"a\\u001b[31m\\nb\"\nrun = ['a', '{id}']", []Command{{"", "a\uFFFD[31m b", run("a", "{id}")}}, ""},
	} {
		s, _ := load(t, "[[command]]\n"+c.file+"\n", nil)
		if d := cmp.Diff(c.want, s.Commands); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		oneProblem(t, name, s, c.problem)
	}
	s, _ := load(t, "command = 1\n", nil)
	oneProblem(t, "no tables", s, "line 1, command in FILE is not a list of tables")
	var many strings.Builder
	for i := range MaxCommands + 1 {
		fmt.Fprintf(&many, "[[command]]\nrun = ['a%d', '{id}']\n", i)
	}
	s, _ = load(t, many.String(), nil)
	oneProblem(t, "many", s, "line 19, command.10 in FILE is one too many: there can be 9 commands")
	if len(s.Commands) != MaxCommands {
		t.Errorf("of many there are %d", len(s.Commands))
	}
}
