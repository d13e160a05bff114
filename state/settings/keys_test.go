package settings

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKeyNames(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"ctrl+s": "ctrl+s", "Ctrl+S": "ctrl+shift+s", "alt+ctrl+x": "ctrl+alt+x", "S": "S", "shift+s": "S", "f5": "f5", "F12": "f12", "f63": "f63",
		"+": "+", "ctrl++": "ctrl++", "space": "space", " ": "space", "alt+shift+z": "alt+shift+z", "alt+Z": "alt+shift+z", "shift+tab": "shift+tab",
		"PgDown": "pgdown", "纸": "纸", "?": "?", "shift+f5": "shift+f5", "": "", "ctrl+": "", "f64": "", "f0": "", "f05": "", "ctrl": "", "hyper+ctrl+ctrl+x": "",
		"ctrl+wheel": "", "xy": "", "shift+1": "", "\x1b": "", "\u202e": "", "win+x": "",
	} {
		if got, ok := KeyName(given); got != want && ok || ok != (want != "") {
			t.Errorf("%q is %q, %t; want %q", given, got, ok, want)
		}
	}
}

func TestKeysOfActionsAreRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file string
		want       map[string][]string
		problem    string // what the only problem holds; "" is none
	}{
		{"two keys", `review = ["ctrl+s", "f5"]`, map[string][]string{"review": {"ctrl+s", "f5"}}, ""},
		{"one key", `favourite = "*"`, map[string][]string{"favourite": {"*"}}, ""},
		{"two change places", "reject = 'f'\nfavourite = 'x'", map[string][]string{"reject": {"f"}, "favourite": {"x"}}, ""},
		{"a reserved key that it has", `back = ["esc", "f9"]`, map[string][]string{"back": {"esc", "f9"}}, ""},
		{"no action", `reviw = "f5"`, nil, "keys.reviw in FILE is not an action, so nothing is sent: the nearest one is keys.review"},
		{"no key", `review = "f64"`, nil, "keys.review in FILE: f64 is not a key"},
		{"no text", `review = 5`, nil, "keys.review in FILE is not a key or a list of keys in quotes"},
		{"none", `review = []`, nil, "keys.review in FILE is not a key or a list of keys"},
		{"reserved", `review = ["f5", "ctrl+i"]`, nil, "keys.review in FILE: ctrl+i is reserved and cannot be bound"},
		{"taken on the screen", `again = "shift+F"`, nil, "keys.again in FILE: F is already the key of final in the same place"},
		{"taken everywhere", `again = "ctrl+k"`, nil, "keys.again in FILE: ctrl+k is already the key of all_actions"},
		{"taken on a screen", `help = "ctrl+s"`, nil, "keys.help in FILE: ctrl+s is already the key of"},
		{"the second question has a key of its own", `agree_again = "y"`, nil, "keys.agree_again in FILE: y is already the key of agree"},
	} {
		s, _ := load(t, "[keys]\n"+c.file+"\n", nil)
		if d := cmp.Diff(c.want, s.Keys); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if c.problem == "" && len(s.Problems) == 0 {
			continue
		}
		if len(s.Problems) != 1 || c.problem == "" || !strings.Contains(strings.ReplaceAll(s.Problems[0].String(), s.ConfigFile, "FILE"), c.problem) {
			t.Errorf("%s: the problems are %v, want %q", c.name, s.Problems, c.problem)
		}
	}
	s, _ := load(t, "[keys]\nagain = 'k'\ncompare = 'n'\n", nil) // compare needs the key that again keeps
	if len(s.Keys) != 0 || len(s.Problems) != 2 {
		t.Errorf("%v is taken, with %v", s.Keys, s.Problems)
	}
	if s, _ := load(t, "keys = 1\n", nil); len(s.Problems) != 1 {
		t.Errorf("keys = 1 has the problems %v", s.Problems)
	}
}

func TestActionsAreKnown(t *testing.T) {
	t.Parallel()
	for _, a := range Actions() {
		for _, k := range a.Keys {
			if name, ok := KeyName(k); !ok || name != k {
				t.Errorf("%s of %s has the key %q, written %q", a.Name, a.Place, k, name)
			}
		}
	}
	if len(Actions()) < 200 {
		t.Errorf("only %d actions are known", len(Actions()))
	}
}
