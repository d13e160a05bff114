package settings

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestThemeIsRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file    string
		want    Theme
		problem string // what the only problem holds; "" is none
	}{
		"a name":           {"[theme]\nname = \"slate\"\n", Theme{Name: "slate"}, ""},
		"a background":     {"[theme]\nbackground = \"light\"\n", Theme{Background: "light"}, ""},
		"the terminal's":   {"[theme]\nbackground = \"auto\"\n", Theme{}, ""},
		"own colours":      {"[theme]\naccent = \"#f80\"\ngood = 2\nbad = \"203\"\n", Theme{Own: map[string]string{"accent": "#f80", "good": "2", "bad": "203"}}, ""},
		"by background":    {"[theme]\n[theme.light]\nrun = \"#112233\"\n[theme.dark]\nselection = 236\n", Theme{Dark: map[string]string{"selection": "236"}, Light: map[string]string{"run": "#112233"}}, ""},
		"in one line":      {"theme = { name = \"mono\" }\n", Theme{Name: "mono"}, ""},
		"no such theme":    {"[theme]\nname = \"neon\"\n", Theme{}, "line 2, theme.name in FILE is none of amber, slate, mono, contrast"},
		"no such colour":   {"\n[theme]\n\nacent = \"#f80\"\n", Theme{}, "line 4, theme.acent in FILE is not a setting, so nothing is sent: the nearest one is theme.accent"},
		"no colour":        {"[theme.dark]\naccent = \"orange\"\n", Theme{}, "line 2, theme.dark.accent in FILE is not a colour, so the theme's is used"},
		"too large":        {"[theme]\naccent = 256\n", Theme{}, "line 2, theme.accent in FILE is not a colour"},
		"short of a digit": {"[theme]\naccent = \"#12345\"\n", Theme{}, "is not a colour"},
		"no table":         {"theme = \"slate\"\n", Theme{}, "line 1, theme in FILE is not a table"},
		"no inner table":   {"[theme]\ndark = 1\n", Theme{}, "line 2, theme.dark in FILE is not a table"},
	} {
		s, _ := load(t, c.file, nil)
		if d := cmp.Diff(c.want, s.Theme); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		oneProblem(t, name, s, c.problem)
	}
}

// oneProblem expects a problem that holds a text, or none for "".
func oneProblem(t *testing.T, name string, s Settings, want string) {
	t.Helper()
	if want == "" && len(s.Problems) == 0 {
		return
	}
	if len(s.Problems) != 1 || want == "" || !strings.Contains(strings.ReplaceAll(s.Problems[0].String(), s.ConfigFile, "FILE"), want) {
		t.Errorf("%s: the problems are %v, want %q", name, s.Problems, want)
	}
}

func TestThemeIsSaved(t *testing.T) {
	t.Parallel()
	for old, want := range map[string]string{
		"":                                      "[theme]\nname = \"slate\"\n",
		"budget = 5\n":                          "budget = 5\n\n[theme]\nname = \"slate\"\n",
		"budget = 5":                            "budget = 5\n\n[theme]\nname = \"slate\"\n",
		"[theme] # mine\naccent = 3\n":          "[theme] # mine\nname = \"slate\"\naccent = 3\n",
		"[theme]\nname = \"mono\"\n[keys]\n":    "[theme]\nname = \"slate\"\n[keys]\n",
		"[x]\nname = 1\n[theme]\n[y]\nz = 1":    "[x]\nname = 1\n[theme]\nname = \"slate\"\n[y]\nz = 1",
		"[theme.dark]\naccent = 3\n":            "[theme.dark]\naccent = 3\n\n[theme]\nname = \"slate\"\n",
		"[[command]]\nname = 1\n":               "[[command]]\nname = 1\n\n[theme]\nname = \"slate\"\n",
		"theme = { name = \"mono\" }\n":         "!",
		"theme.name = \"mono\"\n":               "!",
		"x = \"\"\"\n[theme]\nname = 1\n\"\"\"": "x = \"\"\"\n[theme]\nname = 1\n\"\"\"\n\n[theme]\nname = \"slate\"\n",
		"theme = []\n":                          "!",
		"[[theme]]\nname = \"mono\"\n":          "!",
		"budget = = 1":                          "!",
	} {
		s, _ := load(t, old, nil)
		err := Save(s.ConfigFile, "slate", "theme", "name")
		got, _ := readText(s.ConfigFile, maxSettingsFile)
		if want == "!" {
			want = old
			if err == nil {
				t.Errorf("%q was changed", old)
			}
		} else if err != nil {
			t.Errorf("%q: %v", old, err)
		}
		if got != want {
			t.Errorf("%q became %q, want %q", old, got, want)
		}
	}
}
