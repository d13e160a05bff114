package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"darkroom/api"
)

// person is a home folder with a settings file and an environment.
func person(t *testing.T, config string, vars map[string]string) (home string, env func(string) string) {
	t.Helper()
	home = t.TempDir()
	all := map[string]string{"HOME": home}
	for k, v := range vars {
		all[k] = strings.ReplaceAll(v, "HOME", home)
	}
	if config != "" {
		dir := filepath.Join(home, ".config", "darkroom")
		noError(t, os.MkdirAll(dir, 0o700))
		noError(t, os.WriteFile(filepath.Join(dir, "config.toml"), []byte(config), 0o600))
	}
	return home, func(name string) string { return all[name] }
}

func load(t *testing.T, config string, vars map[string]string) (Settings, string) {
	t.Helper()
	home, env := person(t, config, vars)
	s := must(Load(env))(t)
	return s, home
}

func TestSettingsDefaults(t *testing.T) {
	t.Parallel()
	s, home := load(t, "", nil)
	data := filepath.Join(home, ".local", "share", "darkroom")
	want := Settings{TimeScale: 1, Lang: "en", OnDone: "preview", AfterSend: "create", Recipes: true, Progress: true, Pictures: "auto",
		Downloads:  filepath.Join(data, "results"),
		ConfigFile: filepath.Join(home, ".config", "darkroom", "config.toml"),
		DataDir:    data, StateDir: filepath.Join(home, ".local", "state", "darkroom"),
		CacheDir: filepath.Join(home, ".cache", "darkroom")}
	if d := cmp.Diff(want, s); d != "" {
		t.Error(d)
	}
	if left, _ := os.ReadDir(home); len(left) != 0 {
		t.Errorf("looking at the settings wrote %v", left)
	}
}

func TestSettingsRank(t *testing.T) {
	t.Parallel()
	const file = "base_url = \"https://file.example\"\nbudget = 12.5\ndownloads = \"~/mine\"\nopener = \"/bin/file\"\n" +
		"lang = \"zh\"\non_done = \"open\"\nafter_send = \"jobs\"\nrecipes = false\npictures = \"blocks\"\n"
	s, home := load(t, file, map[string]string{"LANG": "en_US.UTF-8"})
	if s.BaseURL != "https://file.example" || s.BaseFrom != "file" || s.Budget != 12_500_000 || s.Opener != "/bin/file" ||
		s.Downloads != filepath.Join(home, "mine") || s.Lang != "zh" || s.OnDone != "open" || s.AfterSend != "jobs" || s.Recipes || s.Pictures != "blocks" || len(s.Problems) > 0 {
		t.Errorf("from the file: %+v", s)
	}
	s, home = load(t, file, map[string]string{"DARKROOM_BASE_URL": "http://127.0.0.1:8080/gw", "DARKROOM_BUDGET": "7", "DARKROOM_DOWNLOADS": "HOME/env",
		"DARKROOM_OPENER": "/bin/env", "DARKROOM_LANG": "en", "DARKROOM_TIME_SCALE": "0.01", "DARKROOM_API_KEY": "ak_x"})
	if s.BaseURL != "http://127.0.0.1:8080/gw" || s.BaseFrom != "environment" || s.Budget != 7*api.Credit || s.Opener != "/bin/env" ||
		s.Downloads != filepath.Join(home, "env") || s.Lang != "en" || s.TimeScale != 0.01 || s.EnvKey != "ak_x" || len(s.Problems) > 0 {
		t.Errorf("from the environment: %+v", s)
	}
}

func TestSettingsSayWhatTheyCannotRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file string
		vars map[string]string
		text string
		ok   func(Settings) bool
	}{
		"unknown key":           {"debug = 5", nil, "debug", func(s Settings) bool { return s.Budget == api.BudgetUnreadable }},
		"budget misspelled":     {"budgte = 5", nil, "budgte", func(s Settings) bool { return s.Budget == api.BudgetUnreadable }},
		"budget of blanks":      {"budgte = 5", map[string]string{"DARKROOM_BUDGET": " "}, "budgte", func(s Settings) bool { return s.Budget == api.BudgetUnreadable }},
		"a slip before it":      {"budegt = 5\nbudget = 900", nil, "line 1, budegt", func(s Settings) bool { return s.Budget == api.BudgetUnreadable }},
		"a slip after it":       {"budget = 900\nbudgte = 5", nil, "line 2, budgte", func(s Settings) bool { return s.Budget == api.BudgetUnreadable }},
		"budget in a theme":     {"[theme]\nname = \"slate\"\nbudget = 5", nil, "line 3, theme.budget in HOME/.config/darkroom/config.toml is not a setting, so nothing is sent: write budget above all lines", func(s Settings) bool { return s.Budget == api.BudgetUnreadable && s.Theme.Name == "slate" }},
		"budget among keys":     {"[keys]\nreview = \"f5\"\nbudget = 5", nil, "line 3, keys.budget", func(s Settings) bool { return s.Budget == api.BudgetUnreadable && s.Keys["review"] != nil }},
		"budget in a command":   {"[[command]]\nrun = [\"up\", \"{file}\"]\nbudget = 5", nil, "budget", func(s Settings) bool { return s.Budget == api.BudgetUnreadable && len(s.Commands) == 1 }},
		"budget of a service":   {"[profile.\"https://budget.example\"]\nbudget = 5", nil, "budget", func(s Settings) bool { return s.Budget == api.BudgetUnreadable }},
		"no service":            {"[profile.mine]\nbudget = 5", nil, "line 1, profile.mine in HOME/.config/darkroom/config.toml is not the address of a service", func(s Settings) bool { return s.Budget == api.BudgetUnreadable }},
		"a slip and a variable": {"budgte = 5", map[string]string{"DARKROOM_BUDGET": "7"}, "budgte in HOME/.config/darkroom/config.toml is not a setting", func(s Settings) bool { return s.Budget == api.BudgetUnreadable }},
		"upload in one text":    {"upload = \"up {file}\"", nil, "upload", func(s Settings) bool { return s.Upload == nil }},
		"upload without file":   {"upload = [\"up\", \"x\"]", nil, "upload", func(s Settings) bool { return s.Upload == nil }},
		"wrong type":            {"recipes = \"no\"", nil, "recipes", func(s Settings) bool { return s.Recipes }},
		"wrong word":            {"on_done = \"dance\"", nil, "on_done", func(s Settings) bool { return s.OnDone == "preview" }},
		"no whole number":       {"variations_limit = 2.5", nil, "variations_limit", func(s Settings) bool { return s.VariationsLimit() == 24 }},
		"too large a limit":     {"variations_limit = 1001", nil, "from 1 to 1000", func(s Settings) bool { return s.VariationsLimit() == 24 }},
		"wrong screen":          {"after_send = \"prices\"", nil, "after_send", func(s Settings) bool { return s.AfterSend == "create" }},
		"number for text":       {"lang = 3", nil, "lang", func(s Settings) bool { return s.Lang == "en" }},
		"not TOML":              {"budget = = 5", nil, "line 1", func(s Settings) bool { return s.Budget == api.BudgetUnreadable }},
		"budget of words":       {"budget = \"lots\"", nil, "nothing is sent", func(s Settings) bool { return s.Budget == api.BudgetUnreadable }},
		"budget below zero":     {"budget = -5", nil, "nothing is sent", func(s Settings) bool { return s.Budget == api.BudgetUnreadable }},
		"budget of a list":      {"budget = [5]", nil, "nothing is sent", func(s Settings) bool { return s.Budget == api.BudgetUnreadable }},
		"budget variable":       {"budget = 5", map[string]string{"DARKROOM_BUDGET": "5 credits"}, "DARKROOM_BUDGET", func(s Settings) bool { return s.Budget == api.BudgetUnreadable }},
		"relative opener":       {"", map[string]string{"DARKROOM_OPENER": "feh"}, "DARKROOM_OPENER", func(s Settings) bool { return s.Opener == "" }},
		"relative downloads":    {"", map[string]string{"DARKROOM_DOWNLOADS": "out"}, "DARKROOM_DOWNLOADS", func(s Settings) bool { return filepath.IsAbs(s.Downloads) }},
		"language":              {"", map[string]string{"DARKROOM_LANG": "fr"}, "DARKROOM_LANG", func(s Settings) bool { return s.Lang == "en" }},
		"plain http afar":       {"", map[string]string{"DARKROOM_BASE_URL": "http://a.example"}, "DARKROOM_BASE_URL", func(s Settings) bool { return s.BaseURL == "http://a.example" }},
		"scale afar":            {"", map[string]string{"DARKROOM_BASE_URL": "https://a.example", "DARKROOM_TIME_SCALE": "0.1"}, "only obeyed", func(s Settings) bool { return s.TimeScale == 1 }},
		"scale without base":    {"", map[string]string{"DARKROOM_TIME_SCALE": "0.1"}, "only obeyed", func(s Settings) bool { return s.TimeScale == 1 }},
		"scale of lookalike":    {"", map[string]string{"DARKROOM_BASE_URL": "https://127.0.0.1.example", "DARKROOM_TIME_SCALE": "0.1"}, "only obeyed", func(s Settings) bool { return s.TimeScale == 1 }},
		"scale not a number":    {"", map[string]string{"DARKROOM_BASE_URL": "http://localhost", "DARKROOM_TIME_SCALE": "NaN"}, "not a number", func(s Settings) bool { return s.TimeScale == 1 }},
		"controls in a value":   {"\"a\\u001b[31m\" = 1", nil, "not a setting", func(s Settings) bool { return !strings.ContainsRune(s.Problems[0].String(), 0x1b) }},
	} {
		s, home := load(t, c.file, c.vars)
		if len(s.Problems) != 1 || !strings.Contains(s.Problems[0].String(), strings.ReplaceAll(c.text, "HOME", home)) || !c.ok(s) {
			t.Errorf("%s: problems %q, settings %+v", name, s.Problems, s)
		}
	}
}

// What stands in a table that is none of its own, or in place of a text, is found as well, and said first.
func TestNamesInWrongTablesStopSpending(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"[command]\nrun = [\"up\", \"{file}\"]\nbudget = 5":                "line 1, command in FILE is not a list of tables",
		"lang = 3\n[downloads]\nbudgte = 5":                                "line 2, downloads in FILE is not a text in quotes",
		"recipes = 1\n[[command]]\nrun = [\"up\", \"{file}\"]\nbudgte = 5": "line 4, command.1.budgte in FILE is not a setting, so nothing is sent: write budget above all lines",
		"recipes = 1\n[profile.\"https://a.example\"]\njobid = \"x\"":      "line 3, profile.https://a.example.jobid in FILE is not a setting, so nothing is sent: the nearest one is profile.https://a.example.job_id",
		"recipes = 1\nlagn = \"zh\"":                                       "line 2, lagn in FILE is not a setting, so nothing is sent: the nearest one is lang",
	} {
		s, _ := load(t, file, nil)
		if s.Budget != api.BudgetUnreadable || !strings.HasPrefix(strings.ReplaceAll(s.Problems[0].String(), s.ConfigFile, "FILE"), want) {
			t.Errorf("%s: budget %v, problems %q", file, s.Budget, s.Problems)
		}
	}
}

func TestNamesOfAnEarlierVersionStopNothing(t *testing.T) {
	t.Parallel()
	c, write := live(t, "budget = 9\nrecipes_inside = true\n", nil)
	s := c.Get()
	oneProblem(t, "at the start", s, "line 2, recipes_inside in FILE is not used any more: the recipe stands in a file of its own next to the result")
	if s.Budget != 9*api.Credit {
		t.Errorf("the budget is %v", s.Budget)
	}
	write("recipes_inside = true\non_done = \"open\"\n")
	if c.Reread(false) || !c.Reread(false) || c.Get().OnDone != "open" || c.Get().Refused {
		t.Errorf("changed: %+v", c.Get())
	}
}

func TestAMisspelledVariableStopsSpending(t *testing.T) { // not parallel: the environment is the process's
	t.Setenv("HOME", t.TempDir())
	for name, c := range map[string]struct {
		vars  map[string]string
		said  string
		limit api.Credits
	}{
		"misspelled":         {map[string]string{"DARKROOM_BUDGTE": "5"}, "DARKROOM_BUDGTE is not a variable", api.BudgetUnreadable},
		"small letters":      {map[string]string{"darkroom_budge": "5"}, "darkroom_budge is not a variable", api.BudgetUnreadable},
		"next to a budget":   {map[string]string{"DARKROOM_BUDGTE": "5", "DARKROOM_BUDGET": "9"}, "DARKROOM_BUDGTE is not a variable of darkroom, so nothing is sent: the nearest one is DARKROOM_BUDGET", api.BudgetUnreadable},
		"of no budget":       {map[string]string{"DARKROOM_BASEURL": "x"}, "DARKROOM_BASEURL is not a variable of darkroom, so nothing is sent: the nearest one is DARKROOM_BASE_URL", api.BudgetUnreadable},
		"of another binary":  {map[string]string{"DARKROOM_CRASH": "send@1"}, "DARKROOM_CRASH is not a variable", api.BudgetUnreadable},
		"all there are":      {map[string]string{"DARKROOM_API_KEY": "k", "DARKROOM_OPENER": "/x", "DARKROOM_TIME_SCALE": "1", "DARKROOM_BASE_URL": "http://[::1]"}, "", 0},
		"without a value":    {map[string]string{"DARKROOM_BUDGTE": " "}, "", 0},
		"another program's":  {map[string]string{"LIGHTROOM_BUDGET": "5", "DARKROOM_LANG": "en"}, "", 0},
		"an amount of names": {map[string]string{"DARKROOM_BUDGET": "DARKROOM_LANG"}, "DARKROOM_BUDGET is not an amount", api.BudgetUnreadable},
	} {
		t.Run(name, func(t *testing.T) {
			for name, value := range c.vars {
				t.Setenv(name, value)
			}
			s, err := Load(Getenv)
			if err != nil || s.Budget != c.limit || (c.said == "") != (len(s.Problems) == 0) {
				t.Fatalf("budget %v, problems %q, %v", s.Budget, s.Problems, err)
			}
			if c.said != "" && !strings.HasPrefix(s.Problems[0].String(), c.said) {
				t.Errorf("%s, want %s…", s.Problems[0], c.said)
			}
		})
	}
}

func TestFolders(t *testing.T) {
	t.Parallel()
	s, home := load(t, "", map[string]string{"XDG_CONFIG_HOME": "HOME/c", "XDG_DATA_HOME": "HOME/d", "XDG_STATE_HOME": "relative", "XDG_PICTURES_DIR": "HOME/p"})
	if s.ConfigFile != home+"/c/darkroom/config.toml" || s.DataDir != home+"/d/darkroom" || s.StateDir != home+"/.local/state/darkroom" || s.Downloads != home+"/p/darkroom" {
		t.Errorf("%+v", s)
	}

	home, env := person(t, "", nil)
	noError(t, os.Mkdir(filepath.Join(home, "Pictures"), 0o700))
	if s, _ := Load(env); s.Downloads != home+"/Pictures/darkroom" {
		t.Errorf("with a Pictures folder: %s", s.Downloads)
	}
	noError(t, os.Mkdir(filepath.Join(home, ".config"), 0o700))
	for line, want := range map[string]string{
		"XDG_PICTURES_DIR=\"$HOME/Bilder\"": "/Bilder/darkroom",
		"XDG_PICTURES_DIR=\"$HOME/\"":       "/.local/share/darkroom/results",
		"# XDG_PICTURES_DIR=\"$HOME/no\"":   "/Pictures/darkroom",
		"XDG_PICTURES_DIR=\"no\"":           "/Pictures/darkroom",
	} {
		noError(t, os.WriteFile(filepath.Join(home, ".config", "user-dirs.dirs"), []byte("XDG_MUSIC_DIR=\"$HOME/m\"\n"+line+"\n"), 0o600))
		if s, _ := Load(env); s.Downloads != home+want {
			t.Errorf("%s: %s, want %s", line, s.Downloads, home+want)
		}
	}
	if _, err := Load(func(string) string { return "" }); err == nil {
		t.Error("no home folder, and no error")
	}
}

func TestLanguageFollowsTheLocale(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		vars map[string]string
		want string
	}{
		{map[string]string{"LANG": "zh_CN.UTF-8"}, "zh"},
		{map[string]string{"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"},
		{map[string]string{"LANG": "de_DE", "LC_MESSAGES": "zh_TW"}, "zh"},
		{map[string]string{"LANG": "de_DE"}, "en"},
	} {
		if s, _ := load(t, "", c.vars); s.Lang != c.want {
			t.Errorf("%v gives %s, want %s", c.vars, s.Lang, c.want)
		}
	}
}

func TestSaveBaseURLKeepsTheRest(t *testing.T) {
	t.Parallel()
	const b = "https://new.example/gw"
	for name, c := range map[string]struct{ old, want string }{
		"new file":     {"", "base_url = \"" + b + "\"\n"},
		"other keys":   {"# mine\nlang = \"zh\" # yes\n", "base_url = \"" + b + "\"\n# mine\nlang = \"zh\" # yes\n"},
		"replaced":     {"lang = \"zh\"\r\n base_url = 'https://old'\r\nbudget = 3", "lang = \"zh\"\r\nbase_url = \"" + b + "\"\r\nbudget = 3"},
		"in a table":   {"[other]\nbase_url = \"x\"\n", "base_url = \"" + b + "\"\n[other]\nbase_url = \"x\"\n"},
		"already so":   {"base_url = \"" + b + "\" # kept\n", "base_url = \"" + b + "\"\n"},
		"not TOML":     {"budget = = 5\n", "!"},
		"several rows": {"base_url = \"\"\"\nx\n\"\"\"\n", "!"},
		"in a text":    {"lang = \"\"\"\nbase_url = 1\n\"\"\"\n", "base_url = \"" + b + "\"\nlang = \"\"\"\nbase_url = 1\n\"\"\"\n"},
	} {
		path := filepath.Join(t.TempDir(), "darkroom", "config.toml")
		if c.old != "" {
			noError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			noError(t, os.WriteFile(path, []byte(c.old), 0o640))
		}
		err := Save(path, b, "base_url")
		want := c.want
		if want == "!" {
			want = c.old
		}
		got, _ := os.ReadFile(path)
		if string(got) != want || (err != nil) != (c.want == "!") {
			t.Errorf("%s: got %q, %v; want %q", name, got, err, want)
		}
		if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
			t.Errorf("%s: left behind: %v", name, left)
		}
	}
	dir := t.TempDir()
	noError(t, os.WriteFile(dir+"/real.toml", []byte("budget = 1\n"), 0o600))
	noError(t, os.Symlink("real.toml", dir+"/config.toml"))
	if err := Save(dir+"/config.toml", b, "base_url"); err != nil {
		t.Error(err)
	}
	if target, err := os.Readlink(dir + "/config.toml"); err != nil || target != "real.toml" {
		t.Errorf("the link became %q, %v", target, err)
	}
}

func FuzzSaveBaseURL(f *testing.F) {
	f.Add("a = 1\n[b]\nc = 2\n", "https://a.example")
	f.Add("base_url = \"\"\"\nx\"\"\"\n", "http://[::1]:8")
	f.Add("x = '''\nbase_url = 1\n'''\n", "\x01\"")
	path := []string{"base_url"}
	f.Fuzz(func(t *testing.T, old, base string) {
		text := withValue(old, base, path)
		if sameBut(old, text, base, path) != nil {
			return
		}
		if again := withValue(text, base, path); again != text {
			t.Errorf("saving twice gives %q, then %q", text, again)
		}
	})
}

func TestWaysSetByHand(t *testing.T) {
	t.Parallel()
	s, _ := load(t, `
base_url = "https://api.example.com"
[profile]
tools_path = "/api/v1/mcp"
estimate = "post"
ratio = "ratio"
[profile."https://api.example.com/"]
job_id = "data.tasks[0].id"
ratio = "aspect_ratio"
answers = "result"
`, nil)
	if len(s.Problems) != 0 {
		t.Error(s.Problems)
	}
	want := Ways{ToolsPath: "/api/v1/mcp", Estimate: "POST", JobID: "data.tasks[0].id", Ratio: "aspect_ratio", Answers: AnswersResult}
	if got := s.WaysFor("https://api.example.com"); got != want {
		t.Errorf("%+v", got)
	}
	if got := s.WaysFor("https://other.example.com"); got != (Ways{ToolsPath: "/api/v1/mcp", Estimate: "POST", Ratio: "ratio"}) {
		t.Errorf("%+v", got)
	}
	s, _ = load(t, `
[profile]
estimate = "PUT"
ratio = 16
job_id = "a..b"
answers = "maybe"
tool_path = "/mcp"
[profile."ftp://x"]
estimate = "GET"
`, nil)
	if len(s.Problems) != 6 || s.WaysFor("ftp://x") != (Ways{}) {
		t.Errorf("%d problems: %q, %+v", len(s.Problems), s.Problems, s.WaysFor("ftp://x"))
	}
}

func TestAnUnusableAddressKeepsNoSecret(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"https://me:pw@host.example/x":      "https://xxxxx@host.example/x",
		"https://me:p/w@host":               "https://xxxxx@host",
		"https://host/?token=pw#pw":         "https://host/?xxxxx",
		"https://host/#pw":                  "https://host/#xxxxx",
		"me:pw@host":                        "xxxxx@host",
		"ak_0123456789abcdef":               "ak_…",
		"https://host.example:99999":        "https://host.example:99999",
		"ftp://host.example/ak_0123456789/": "ftp://host.example/ak_…/",
	} {
		var s reader
		s.setBase("DARKROOM_BASE_URL", given)
		if s.BaseURL != want || len(s.Problems) != 1 {
			t.Errorf("%q is kept as %q with %q, want %q", given, s.BaseURL, s.Problems, want)
		}
		if _, err := api.ParseBase(s.BaseURL); err == nil {
			t.Errorf("%q cannot be used, but what is kept of it can", given)
		}
	}
}

func TestUploadIsTheWordsOfACommand(t *testing.T) {
	t.Parallel()
	s, _ := load(t, "upload = [\"rclone\", \"copyto\", \"{file}\", \"there:a b\"]", nil)
	if len(s.Problems) > 0 || strings.Join(s.Upload, "|") != "rclone|copyto|{file}|there:a b" {
		t.Errorf("%q, %q", s.Upload, s.Problems)
	}
}

func TestPatternOfNames(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		"{date}-{title}-{model}-{seed}-{id}-{n}": "",
		"{kind}_{time}.海-{id}-{n}":               "",
		"x-{id}-{n}":                             "",
		"{title}":                                "does not end in -{id}-{n}",
		"{id}-{n}":                               "does not end in -{id}-{n}",
		"../{title}-{id}-{n}":                    "no pattern of names",
		".{title}-{id}-{n}":                      "no pattern of names",
		"a b-{id}-{n}":                           "no pattern of names",
		"{prompt}-{id}-{n}":                      "no pattern of names",
		"{title}{title}-{id}-{n}":                "twice",
		"{id}-{id}-{n}":                          "no pattern of names",
		strings.Repeat("a", 41) + "-{id}-{n}":    "no pattern of names",
	} {
		s, _ := load(t, "names = \""+pattern+"\"\n", nil)
		problems := fmt.Sprint(s.Problems)
		if want == "" && (s.Names != pattern || len(s.Problems) > 0) || want != "" && (s.Names != "" || !strings.Contains(problems, want)) {
			t.Errorf("%q gives %q and says %q", pattern, s.Names, problems)
		}
	}
	s, _ := load(t, "player = \"/usr/bin/../bin/mpv\"\n", nil)
	if s.Player != "/usr/bin/mpv" || len(s.Problems) > 0 {
		t.Errorf("player %q, %q", s.Player, s.Problems)
	}
	if s, _ = load(t, "player = \"mpv --loop\"\n", nil); s.Player != "" || len(s.Problems) != 1 {
		t.Errorf("player %q, %q", s.Player, s.Problems)
	}
}

// Every setting has its row in the contract, with its variable.
func TestTheContractListsEverySetting(t *testing.T) {
	t.Parallel()
	raw := must(os.ReadFile("../../docs/contract.md"))(t)
	for _, r := range new(reader).rows() {
		want := "| `" + r.variable + "` |"
		if r.name == "keys" || r.name == "theme" {
			want = "| `keys`, `theme` |"
		} else if r.name == "profile" {
			want = "`[profile]`"
		} else if r.name != "" {
			want = strings.ReplaceAll("\n| `"+r.name+"` | `"+r.variable+"` |", "``", "")
			want = strings.ReplaceAll(want, "|  |", "| |")
		}
		if !strings.Contains(string(raw), want) {
			t.Errorf("docs/contract.md lacks %q", want)
		}
	}
}

// must is a value, or the end of the test.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// noError ends the test when a step of its set-up failed.
func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
