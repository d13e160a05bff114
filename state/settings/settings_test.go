package settings

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
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
		simtest.File(t, filepath.Join(home, ".config", "darkroom", "config.toml"), config)
	}
	return home, func(name string) string { return all[name] }
}

func load(t *testing.T, config string, vars map[string]string) (Settings, string) {
	t.Helper()
	home, env := person(t, config, vars)
	return must(Load(env))(t), home
}

func TestSettingsDefaults(t *testing.T) {
	t.Parallel()
	s, home := load(t, "", nil)
	data := filepath.Join(home, ".local", "share", "darkroom")
	want := Settings{TimeScale: 1, Lang: "en", OnDone: "preview", AfterSend: "create", Recipes: true, Progress: true, Motion: true, Pictures: "auto",
		Downloads:  filepath.Join(data, "results"),
		ConfigFile: filepath.Join(home, ".config", "darkroom", "config.toml"),
		DataDir:    data, StateDir: filepath.Join(home, ".local", "state", "darkroom"),
		CacheDir: filepath.Join(home, ".cache", "darkroom")}
	expect.Equal(t, cmp.Diff(want, s), "")
	expect.Len(t, must(os.ReadDir(home))(t), 0, "looking at the settings wrote")
}

func TestSettingsRank(t *testing.T) {
	t.Parallel()
	for _, zero := range []string{"0", "0.0 # 5", "-0e5", "0.0_0"} {
		s, _ := load(t, "budget = "+zero, nil)
		expect.That(t, s.Budget == 0 && len(s.Problems) == 0, zero, "is", s.Budget, s.Problems)
	}
	for _, limit := range []int{1, expand.MaxRequests} {
		s, _ := load(t, fmt.Sprint("variations_limit = ", limit), nil)
		expect.That(t, s.VariationsLimit() == limit, "a limit of", limit, "is", s.VariationsLimit())
	}
	const file = "budget_month = 300\ncredit = \" 0.01  EUR \"\nvariations_limit = 30\nbase_url = \"https://file.example\"\nbudget = 12.5\ndownloads = \"~/mine\"\nopener = \"/bin/file\"\n" +
		"lang = \"zh\"\non_done = \"open\"\nafter_send = \"jobs\"\nrecipes = false\npictures = \"blocks\"\n" +
		"upload = [\"rclone\", \"{file}\", \"there:a b\"]\nplayer = \"/usr/bin/../bin/mpv\"\n"
	s, home := load(t, file, map[string]string{"LANG": "en_US.UTF-8"})
	if s.BaseURL != "https://file.example" || s.BaseFrom != "file" || s.Budgets() != (api.Budgets{12_500_000, 300 * api.Credit}) || s.Credit != (api.Money{Each: api.Credit / 100, Currency: "EUR"}) || s.Opener != "/bin/file" ||
		s.Downloads != filepath.Join(home, "mine") || s.Lang != "zh" || s.OnDone != "open" || s.AfterSend != "jobs" || s.Recipes || s.Pictures != "blocks" ||
		strings.Join(s.Upload, "|") != "rclone|{file}|there:a b" || s.VariationsLimit() != 30 || s.Player != "/usr/bin/mpv" || len(s.Problems) > 0 {
		t.Errorf("from the file: %+v", s)
	}
	for _, c := range [][]string{{"zh_CN.UTF-8", "", "", "zh"}, {"zh_CN.UTF-8", "C", "", "en"}, {"de_DE", "", "zh_TW", "zh"}, {"de_DE", "", "", "en"}} {
		s, _ := load(t, "", map[string]string{"LANG": c[0], "LC_ALL": c[1], "LC_MESSAGES": c[2]})
		expect.That(t, s.Lang == c[3], c, "gives", s.Lang)
	}
	s, home = load(t, file, map[string]string{"DARKROOM_BASE_URL": "http://127.0.0.1:8080/gw", "DARKROOM_BUDGET": "7", "DARKROOM_DOWNLOADS": "HOME/env",
		"DARKROOM_OPENER": "/bin/env", "DARKROOM_LANG": "en", "DARKROOM_TIME_SCALE": "0.01", "DARKROOM_API_KEY": "ak_x"})
	expect.That(t, s.BaseURL == "http://127.0.0.1:8080/gw" && s.BaseFrom == "environment" && s.Budget == 7*api.Credit &&
		s.Opener == "/bin/env" && s.Downloads == filepath.Join(home, "env") && s.Lang == "en" && s.TimeScale == 0.01 && s.EnvKey == "ak_x" &&
		len(s.Problems) == 0, "from the environment", s)
}

func TestSettingsSayWhatTheyCannotRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file string
		vars map[string]string
		text string
		ok   func(Settings) bool
	}{
		"budget of blanks":      {"budgte = 5", map[string]string{"DARKROOM_BUDGET": " "}, "budgte", func(s Settings) bool { return s.Budget == api.BudgetUnreadable }},
		"a slip before it":      {"budegt = 5\nbudget = 900", nil, "line 1, budegt", func(s Settings) bool { return s.Budget == api.BudgetUnreadable }},
		"a slip after it":       {"budget = 900\nbudgte = 5", nil, "line 2, budgte", func(s Settings) bool { return s.Budget == api.BudgetUnreadable }},
		"budget in a theme":     {"[theme]\nname = \"slate\"\nbudget = 5", nil, "line 3, theme.budget in HOME/.config/darkroom/config.toml is not a setting, so nothing can be sent: write budget above all lines", func(s Settings) bool { return s.Budget == api.BudgetUnreadable && s.Theme.Name == "slate" }},
		"budget among keys":     {"[keys]\nreview = \"f5\"\nbudget = 5", nil, "line 3, keys.budget", func(s Settings) bool { return s.Budget == api.BudgetUnreadable && s.Keys["review"] != nil }},
		"budget in a command":   {"[[command]]\nrun = [\"up\", \"{file}\"]\nbudget = 5", nil, "budget", func(s Settings) bool { return s.Budget == api.BudgetUnreadable && len(s.Commands) == 1 }},
		"budget of a service":   {"[profile.\"https://budget.example\"]\nbudget = 5", nil, "budget", func(s Settings) bool { return s.Budget == api.BudgetUnreadable }},
		"no service":            {"[profile.mine]\nbudget = 5", nil, "line 1, profile.mine in HOME/.config/darkroom/config.toml is not the address of a service", func(s Settings) bool { return s.Budget == api.BudgetUnreadable }},
		"a slip and a variable": {"budgte = 5", map[string]string{"DARKROOM_BUDGET": "7"}, "budgte in HOME/.config/darkroom/config.toml is not a setting", func(s Settings) bool { return s.Budget == api.BudgetUnreadable }},
		"upload in one text":    {"upload = \"up {file}\"", nil, "upload", func(s Settings) bool { return s.Upload == nil }},
		"upload without file":   {"upload = [\"up\", \"x\"]", nil, "upload", func(s Settings) bool { return s.Upload == nil }},
		"wrong type":            {"recipes = \"no\"", nil, "recipes", func(s Settings) bool { return s.Recipes }},
		"wrong word":            {"on_done = \"dance\"", nil, "is not one of open, preview, nothing: preview is used", func(s Settings) bool { return s.OnDone == "preview" }},
		"no whole number":       {"variations_limit = 2.5", nil, "variations_limit", func(s Settings) bool { return s.VariationsLimit() == 24 }},
		"too large a limit":     {"variations_limit = 1001", nil, "from 1 to 1000", func(s Settings) bool { return s.VariationsLimit() == 24 }},
		"wrong screen":          {"after_send = \"prices\"", nil, "after_send", func(s Settings) bool { return s.AfterSend == "create" }},
		"number for text":       {"lang = 3", nil, "lang", func(s Settings) bool { return s.Lang == "en" }},
		"too large a number":    {"\nbudget = 1e400", nil, "line 2 has a number that is too large", func(s Settings) bool { return s.Budget == api.BudgetUnreadable }},
		"budget of nothing":     {"budget = 1e-9", nil, "nothing can be sent", func(s Settings) bool { return s.Budget == api.BudgetUnreadable }},
		"budget of less":        {"lang = \"en\"\nbudget = 1e-400 # 5", nil, "line 2, budget", func(s Settings) bool { return s.Budget == api.BudgetUnreadable }},
		"variable of nothing":   {"budget = 5", map[string]string{"DARKROOM_BUDGET": "0.0000001"}, "DARKROOM_BUDGET", func(s Settings) bool { return s.Budget == api.BudgetUnreadable }},
		"month of nothing":      {"budget_month = 1e-9", nil, "budget_month", func(s Settings) bool { return s.PerMonth == api.BudgetUnreadable && s.Budget == 0 }},
		"month in words":        {"budget_month = 5", map[string]string{"DARKROOM_BUDGET_MONTH": "much"}, "BUDGET_MONTH", func(s Settings) bool { return s.PerMonth == api.BudgetUnreadable }},
		"month nobody can see":  {"budget = = 5", map[string]string{"DARKROOM_BUDGET": "7"}, "line 1", func(s Settings) bool { return s.PerMonth == api.BudgetUnreadable }},
		"credit for nothing":    {"credit = \"0 EUR\"", nil, "write it like 0.01 EUR", func(s Settings) bool { return s.Credit == api.Money{} }},
		"credit for too little": {"credit = \"1e-9 EUR\"", nil, "credit", func(s Settings) bool { return s.Credit == api.Money{} }},
		"credit below zero":     {"credit = \"-1 EUR\"", nil, "credit", func(s Settings) bool { return s.Credit == api.Money{} }},
		"credit of no currency": {"credit = \"0.01\"", nil, "credit", func(s Settings) bool { return s.Credit == api.Money{} }},
		"credit as a number":    {"credit = 0.01", nil, "credit", func(s Settings) bool { return s.Credit == api.Money{} }},
		"credit in the shell":   {"credit = \"0.02 EUR\"", map[string]string{"DARKROOM_CREDIT": "free"}, "CREDIT", func(s Settings) bool { return s.Credit.Each == api.Credit/50 }},
		"budget below zero":     {"budget = -5", nil, "nothing can be sent", func(s Settings) bool { return s.Budget == api.BudgetUnreadable }},
		"budget of a list":      {"budget = [5]", nil, "nothing can be sent", func(s Settings) bool { return s.Budget == api.BudgetUnreadable }},
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
		expect.That(t, len(s.Problems) == 1 && strings.Contains(s.Problems[0].String(), strings.ReplaceAll(c.text, "HOME", home)) && c.ok(s),
			name, "problems", s.Problems, "settings", s)
	}
}

// What stands in a wrong table, or in place of a text, is found as well, and said first.
func TestNamesInWrongTablesStopSpending(t *testing.T) {
	t.Parallel()
	expect.Len(t, api.Near("sitting", []string{"kitten", "fitting", "sittign"}), 2, "near to sitting")
	for file, want := range map[string]string{
		"[command]\nrun = [\"up\", \"{file}\"]\nbudget = 5":                "line 1, command in FILE is not a list of tables",
		"lang = 3\n[downloads]\nbudgte = 5":                                "line 2, downloads in FILE is not a text in quotes",
		"recipes = 1\n[[command]]\nrun = [\"up\", \"{file}\"]\nbudgte = 5": "line 4, command.1.budgte in FILE is not a setting, so nothing can be sent: write budget above all lines",
		"recipes = 1\n[profile.\"https://a.example\"]\njobid = \"x\"":      "line 3, profile.https://a.example.jobid in FILE is not a setting, so nothing can be sent; did you mean profile.https://a.example.job_id?",
		"[[hook]]\nrun = [\"x\"]\nevents = [\"done\"]":                     "line 3, hook.1.events in FILE is not a setting, so nothing can be sent: hook has on, run",
		"[agents.\"x\"]\nmodel = [\"done\"]":                               "line 2, agents.x.model in FILE is not a setting, so nothing can be sent; did you mean agents.x.models?",
		"recipes = 1\nlagn = \"zh\"":                                       "line 2, lagn in FILE is not a setting, so nothing can be sent; did you mean lang?",
	} {
		s, _ := load(t, file, nil)
		says := strings.ReplaceAll(s.Problems[0].String(), s.ConfigFile, "FILE")
		expect.That(t, s.Budget == api.BudgetUnreadable && strings.HasPrefix(says, want), file, "budget", s.Budget, "says", says)
	}
}

func TestNamesOfAnEarlierVersionStopNothing(t *testing.T) {
	t.Parallel()
	c, write := live(t, "budget = 9\nrecipes_inside = true\n", nil)
	s := c.Get()
	oneProblem(t, "at the start", s, "line 2, recipes_inside in FILE is not used any more: the recipe is in a separate file next to the result")
	expect.Equal(t, s.Budget, 9*api.Credit, "the budget")
	write("recipes_inside = true\non_done = \"open\"\n")
	expect.All(t, "false true open false", c.Reread(false), c.Reread(false), c.Get().OnDone, c.Get().Refused)
}

func TestAMisspelledVariableStopsSpending(t *testing.T) { // not parallel: the environment is the process's
	t.Setenv("HOME", "")
	t.Setenv("USERPROFILE", "/u")
	expect.Equal(t, Getenv("HOME"), "/u", "the home folder on Windows")
	t.Setenv("HOME", t.TempDir())
	for name, c := range map[string]struct {
		vars  map[string]string
		said  string
		limit api.Credits
	}{
		"misspelled":         {map[string]string{"DARKROOM_BUDGTE": "5"}, "DARKROOM_BUDGTE is not a variable", api.BudgetUnreadable},
		"small letters":      {map[string]string{"darkroom_budge": "5"}, "darkroom_budge is not a variable", api.BudgetUnreadable},
		"next to a budget":   {map[string]string{"DARKROOM_BUDGTE": "5", "DARKROOM_BUDGET": "9"}, "DARKROOM_BUDGTE is not a variable of darkroom, so nothing can be sent; did you mean DARKROOM_BUDGET?", api.BudgetUnreadable},
		"part of a name":     {map[string]string{"DARKROOM_URL": "x"}, "DARKROOM_URL is not a variable of darkroom, so nothing can be sent; did you mean DARKROOM_BASE_URL?", api.BudgetUnreadable},
		"near to nothing":    {map[string]string{"DARKROOM_TIER": "x"}, "DARKROOM_TIER is not a variable of darkroom, so nothing can be sent; 'darkroom help environment' lists them", api.BudgetUnreadable},
		"of no budget":       {map[string]string{"DARKROOM_BASEURL": "x"}, "DARKROOM_BASEURL is not a variable of darkroom, so nothing can be sent; did you mean DARKROOM_BASE_URL?", api.BudgetUnreadable},
		"the first of many":  {map[string]string{"DARKROOM_A1": "5", "DARKROOM_A2": "5", "DARKROOM_A3": "5", "DARKROOM_A4": "5", "DARKROOM_A5": "5"}, "DARKROOM_A1 is", api.BudgetUnreadable},
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
			expect.Must(t, err == nil && s.Budget == c.limit && (c.said == "") == (len(s.Problems) == 0),
				"budget", s.Budget, "problems", s.Problems, err)
			expect.That(t, c.said == "" || strings.HasPrefix(s.Problems[0].String(), c.said), s.Problems, "want", c.said)
		})
	}
}

func TestFolders(t *testing.T) {
	t.Parallel()
	s, home := load(t, "", map[string]string{"XDG_CONFIG_HOME": "HOME/c", "XDG_DATA_HOME": "HOME/d", "XDG_STATE_HOME": "relative", "XDG_PICTURES_DIR": "HOME/p"})
	expect.That(t, s.ConfigFile == home+"/c/darkroom/config.toml" && s.DataDir == home+"/d/darkroom" &&
		s.StateDir == home+"/.local/state/darkroom" && s.Downloads == home+"/p/darkroom", s)

	home, env := person(t, "", map[string]string{"APPDATA": "HOME/a", "LOCALAPPDATA": "HOME/l"})
	for system, want := range map[string]string{
		"linux":   "/.config/darkroom/config.toml /.local/share/darkroom /.local/state/darkroom /.cache/darkroom",
		"darwin":  "/Library/Application Support/darkroom/config.toml /Library/Application Support/darkroom /Library/Application Support/darkroom /Library/Caches/darkroom",
		"windows": "/a/darkroom/config.toml /l/darkroom /l/darkroom /l/cache/darkroom",
	} {
		var s reader
		s.findFolders(env, system)
		expect.Equal(t, strings.ReplaceAll(strings.Join([]string{s.ConfigFile, s.DataDir, s.StateDir, s.CacheDir}, " "), home, ""), want, system)
	}
	noError(t, os.Mkdir(filepath.Join(home, "Pictures"), 0o700))
	s, _ = Load(env)
	expect.That(t, s.Downloads == home+"/Pictures/darkroom", "with a Pictures folder", s.Downloads)
	for line, want := range map[string]string{
		"XDG_PICTURES_DIR=\"$HOME/Bilder\"": "/Bilder/darkroom",
		"XDG_PICTURES_DIR=\"$HOME/\"":       "/.local/share/darkroom/results",
		"# XDG_PICTURES_DIR=\"$HOME/no\"":   "/Pictures/darkroom",
		"XDG_PICTURES_DIR=\"no\"":           "/Pictures/darkroom",
	} {
		simtest.File(t, filepath.Join(home, ".config", "user-dirs.dirs"), "XDG_MUSIC_DIR=\"$HOME/m\"\n"+line+"\n")
		s, _ := Load(env)
		expect.That(t, s.Downloads == home+want, line, s.Downloads, "want", home+want)
	}
	expect.Fails(t, expect.Err(Load(func(string) string { return "" })), "", "no home folder")
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
		expect.Equal(t, withValue(text, base, path), text, "saved twice")
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
	expect.Equal(t, len(s.Problems), 0, s.Problems)
	want := Ways{ToolsPath: "/api/v1/mcp", Estimate: "POST", JobID: "data.tasks[0].id", Ratio: "aspect_ratio", Answers: AnswersResult}
	expect.Equal(t, s.WaysFor("https://api.example.com"), want)
	p := want.ListRatio([]api.Model{{ID: "x", Parameters: []api.Parameter{{Name: "size"}, {Name: "ratio"}}}})[0].Parameters
	expect.That(t, len(p) == 2 && p[0].Name == "size" && p[1].Name == "aspect_ratio", "the ratio is listed as", p)
	expect.Equal(t, s.WaysFor("https://other.example.com"), Ways{ToolsPath: "/api/v1/mcp", Estimate: "POST", Ratio: "ratio"})
	s, _ = load(t, `
[profile]
estimate = "PUT"
ratio = 16
job_id = "a..b"
answers = "maybe"
tool_path = "/mcp"
[profile."ftp://x"]
estimate = "GET"
[profile."https://x.example"]
estimate = "GET"
`, nil)
	expect.That(t, len(s.Problems) == 6 && s.WaysFor("ftp://x") == (Ways{}) && s.WaysFor("https://x.example").Estimate == "GET",
		len(s.Problems), "problems", s.Problems, s.WaysFor("ftp://x"))
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
		expect.That(t, s.BaseURL == want && len(s.Problems) == 1, given, "is kept as", s.BaseURL, "with", s.Problems, "want", want)
		expect.Fails(t, expect.Err(api.ParseBase(s.BaseURL)), "", given, "cannot be used, but what is kept of it can")
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
		"../{title}-{id}-{n}":                    "not a pattern of names",
		".{title}-{id}-{n}":                      "not a pattern of names",
		"a b-{id}-{n}":                           "not a pattern of names",
		"{prompt}-{id}-{n}":                      "not a pattern of names",
		"{title}{title}-{id}-{n}":                "twice",
		"{id}-{id}-{n}":                          "not a pattern of names",
		strings.Repeat("a", 41) + "-{id}-{n}":    "not a pattern of names",
	} {
		s, _ := load(t, "names = \""+pattern+"\"\n", nil)
		problems := fmt.Sprint(s.Problems)
		expect.That(t, (want != "" || s.Names == pattern && len(s.Problems) == 0) && (want == "" || s.Names == "" &&
			strings.Contains(problems, want)), pattern, "gives", s.Names, "and says", problems)
	}
	s, _ := load(t, "player = \"mpv --loop\"\n", nil)
	expect.That(t, s.Player == "" && len(s.Problems) == 1, "player", s.Player, s.Problems)
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
		expect.Contains(t, string(raw), want, "docs/contract.md")
	}
}

func must[T any](v T, err error) func(testing.TB) T { return simtest.Must(v, err) }

var noError = simtest.NoError

func TestThemeIsRead(t *testing.T) {
	t.Parallel()
	areRead(t, "", func(s Settings) Theme { return s.Theme }, map[string]reading[Theme]{
		"a name":           {"[theme]\nname = \"slate\"\n", Theme{Name: "slate"}, ""},
		"a background":     {"[theme]\nbackground = \"light\"\n", Theme{Background: "light"}, ""},
		"the terminal's":   {"[theme]\nbackground = \"auto\"\n", Theme{Background: "auto"}, ""},
		"own colours":      {"[theme]\naccent = \"#f80\"\ngood = 2\nbad = \"203\"\n", Theme{Own: map[string]string{"accent": "#f80", "good": "2", "bad": "203"}}, ""},
		"by background":    {"[theme]\n[theme.light]\nrun = \"#112233\"\n[theme.dark]\nselection = 236\n", Theme{Dark: map[string]string{"selection": "236"}, Light: map[string]string{"run": "#112233"}}, ""},
		"in one line":      {"theme = { name = \"mono\" }\n", Theme{Name: "mono"}, ""},
		"no such theme":    {"[theme]\nname = \"neon\"\n", Theme{}, "line 2, theme.name in FILE is not one of amber, slate, mono, contrast: it is not used"},
		"no such colour":   {"\n[theme]\n\nacent = \"#f80\"\n", Theme{}, "line 4, theme.acent in FILE is not a setting, so nothing can be sent; did you mean theme.accent?"},
		"no colour":        {"[theme.dark]\naccent = \"orange\"\n", Theme{}, "line 2, theme.dark.accent in FILE is not a colour, so the theme's is used"},
		"too large":        {"[theme]\naccent = 256\n", Theme{}, "line 2, theme.accent in FILE is not a colour"},
		"short of a digit": {"[theme]\naccent = \"#12345\"\n", Theme{}, "is not a colour"},
		"no table":         {"theme = \"slate\"\n", Theme{}, "line 1, theme in FILE is not a table"},
		"no inner table":   {"[theme]\ndark = 1\n", Theme{}, "line 2, theme.dark in FILE is not a table"},
	})
}

// reading is what a text of the settings file is read as.
type reading[T any] struct {
	file    string
	want    T
	problem string // what the only problem holds; "" is none
}

// areRead loads each text behind the head of its table, and compares a part of the settings.
func areRead[T any](t *testing.T, head string, part func(Settings) T, texts map[string]reading[T]) {
	t.Helper()
	for name, c := range texts {
		s, _ := load(t, head+c.file+"\n", nil)
		expect.Equal(t, cmp.Diff(c.want, part(s)), "", name)
		oneProblem(t, name, s, c.problem)
	}
}

// oneProblem expects a problem that holds a text, or none for "".
func oneProblem(t *testing.T, name string, s Settings, want string) {
	t.Helper()
	if want == "" && len(s.Problems) == 0 {
		return
	}
	expect.Must(t, len(s.Problems) == 1 && want != "", name, "the problems are", s.Problems, "want", want)
	expect.Contains(t, strings.ReplaceAll(s.Problems[0].String(), s.ConfigFile, "FILE"), want, name)
}

func TestKeyNames(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"ctrl+s": "ctrl+s", "Ctrl+S": "ctrl+s", "Ctrl+Shift+S": "ctrl+shift+s", "alt+ctrl+x": "ctrl+alt+x", "S": "S", "shift+s": "S", "f5": "f5", "F12": "f12", "f63": "f63",
		"+": "+", "ctrl++": "ctrl++", "space": "space", " ": "space", "alt+shift+z": "alt+shift+z", "alt+Z": "alt+shift+z", "shift+tab": "shift+tab",
		"PgDown": "pgdown", "纸": "纸", "?": "?", "shift+f5": "shift+f5", "": "", "ctrl+": "", "f64": "", "f0": "", "f05": "", "ctrl": "", "hyper+ctrl+ctrl+x": "",
		"ctrl+wheel": "", "xy": "", "shift+1": "", "\x1b": "", "\u202e": "", "win+x": "",
	} {
		got, ok := KeyName(given)
		expect.That(t, (got == want || !ok) && ok == (want != ""), given, "is", got, ok, "want", want)
	}
}

func TestKeysOfActionsAreRead(t *testing.T) {
	t.Parallel()
	areRead(t, "[keys]\n", func(s Settings) map[string][]string { return s.Keys }, map[string]reading[map[string][]string]{
		"two keys":                   {`review = ["ctrl+s", "f5"]`, map[string][]string{"review": {"ctrl+s", "f5"}}, ""},
		"one key":                    {`favourite = "*"`, map[string][]string{"favourite": {"*"}}, ""},
		"two change places":          {"reject = 'f'\nfavourite = 'x'", map[string][]string{"reject": {"f"}, "favourite": {"x"}}, ""},
		"a reserved key that it has": {`back = ["esc", "f9"]`, map[string][]string{"back": {"esc", "f9"}}, ""},
		"swapped letters":            {`reveiw = "f5"`, nil, "keys.reveiw in FILE is not an action, so nothing can be sent; did you mean keys.review?"},
		"no action":                  {`reviw = "f5"`, nil, "keys.reviw in FILE is not an action, so nothing can be sent; did you mean keys.review?"},
		"no key":                     {`review = "f64"`, nil, "keys.review in FILE: f64 is not a key"},
		"no text":                    {`review = 5`, nil, "keys.review in FILE is not a key or a list of keys in quotes"},
		"none":                       {`review = []`, nil, "keys.review in FILE is not a key or a list of keys"},
		"it quits":                   {`review = "ctrl+alt+q"`, nil, "keys.review in FILE: ctrl+alt+q is reserved and cannot be bound"},
		"it edits a field":           {`review = "backspace"`, nil, "keys.review in FILE: backspace is reserved and cannot be bound"},
		"reserved":                   {`review = ["f5", "ctrl+i"]`, nil, "keys.review in FILE: ctrl+i is reserved and cannot be bound"},
		"taken on the screen":        {`again = "shift+F"`, nil, "keys.again in FILE: F is already the key of final in the same place"},
		"taken everywhere":           {`again = "ctrl+k"`, nil, "keys.again in FILE: ctrl+k is already the key of all_actions"},
		"taken on a screen":          {`help = "ctrl+s"`, nil, "keys.help in FILE: ctrl+s is already the key of"},
		"the second question has a key of its own": {`agree_again = "y"`, nil, "keys.agree_again in FILE: y is already the key of agree"},
	})
	s, _ := load(t, "[keys]\nagain = 'k'\ncompare = 'n'\n", nil) // compare needs the key that again keeps
	expect.All(t, "0 2", len(s.Keys), len(s.Problems))
	s, _ = load(t, "keys = 1\n", nil)
	oneProblem(t, "keys = 1", s, "keys in FILE is not a table")
}

func TestActionsAreKnown(t *testing.T) {
	t.Parallel()
	for _, a := range Actions() {
		for _, k := range a.Keys {
			name, ok := KeyName(k)
			expect.That(t, ok && name == k, a.Name, "of", a.Place, "has the key", k, "written", name)
		}
	}
	expect.That(t, len(Actions()) >= 200, "only", len(Actions()), "actions are known")
}

func TestCommandsAreRead(t *testing.T) {
	t.Parallel()
	run := func(words ...string) []string { return words }
	areRead(t, "[[command]]\n", func(s Settings) []Command { return s.Commands }, map[string]reading[[]Command]{
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
		"nothing to run":   {"key = 'B'", nil, "command.1.run in FILE is not a command"},
		"one text":         {"run = 'rclone copy {file}'", nil, "line 2, command.1.run in FILE is not a command"},
		"about no result":  {"run = ['ls']", nil, "is not a command"},
		"a file to run":    {"run = ['{file}', '{id}']", nil, "is not a command"},
		"no program":       {"run = ['', '{file}']", nil, "is not a command"},
		"not all texts":    {"run = ['a', '{file}', 3]", nil, "is not a command"},
		"a slip":           {"kye = 'B'\nrun = ['a', '{id}']\n[[command]]\nrun = ['b', '{id}']", []Command{{"", "a", run("a", "{id}")}, {"", "b", run("b", "{id}")}}, "line 2, command.1.kye in FILE is not a setting"},
		"controls":         {"name = \"a\\u001b[31m\\nb\"\nrun = ['a', '{id}']", []Command{{"", "a\uFFFD[31m b", run("a", "{id}")}}, ""},
	})
	s, _ := load(t, "command = 1\n", nil)
	oneProblem(t, "no tables", s, "line 1, command in FILE is not a list of tables")
	var many strings.Builder
	for i := range 9 + 1 {
		fmt.Fprintf(&many, "[[command]]\nrun = ['a%d', '{id}']\n", i)
	}
	s, _ = load(t, many.String(), nil)
	oneProblem(t, "many", s, "line 19, command.10 in FILE is one too many: there can be 9")
	expect.Equal(t, len(s.Commands), 9, "commands of many")
}

func TestAgentsAreRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]reading[map[string]Agent]{
		"one": {"per_job = 5\nper_day = 50.5\npaths = true\nmodels = ['acme/brush']",
			map[string]Agent{"studio": {5 * api.Credit, 50*api.Credit + api.Credit/2, []string{"acme/brush"}, true}}, ""},
		"two":       {"per_job = 1\n[agents.b]\nper_day = 2", map[string]Agent{"studio": {PerJob: api.Credit}, "b": {PerDay: 2 * api.Credit}}, ""},
		"no amount": {"per_job = 'much'\nper_day = 5", map[string]Agent{"studio": {}}, "line 2, agents.studio.per_job in FILE is not an amount of credits"},
		"no list":   {"per_job = 5\nmodels = 'a/b'", map[string]Agent{"studio": {}}, "line 3, agents.studio.models in FILE is not a list of models"},
		"below 0":   {"per_job = -1\nper_day = 500", map[string]Agent{"studio": {}}, "line 2, agents.studio.per_job in FILE is not an amount"},
		"none":      {"per_job = 5\nper_day = 500\nmodels = []", map[string]Agent{"studio": {}}, "agents.studio.models in FILE is not a list of models"},
		"a slip":    {"per_jbo = 5\nper_day = 5", map[string]Agent{"studio": {}}, "line 2, agents.studio.per_jbo in FILE is not a setting"},
		"a name":    {"[agents.Studio]\nper_job = 5", map[string]Agent{"studio": {}}, "agents.Studio in FILE is not the name of an agent's entry"},
		"no name":   {"[agents.\"a b\"]\nper_job = 50", map[string]Agent{"studio": {}}, "agents.a b in FILE is not the name of an agent's entry"},
		"yess":      {"[agents]\nyess = true", map[string]Agent{"studio": {}}, "agents.yess in FILE is not a"},
		"no table":  {"[agents]\nb = 5", map[string]Agent{"studio": {}}, "agents.b in FILE is not a"},
		"yes":       {"[agents]\nyes = true", map[string]Agent{"studio": {}}, ""},
	} {
		s, _ := load(t, "[agents.studio]\n"+c.file+"\n", nil)
		d := cmp.Diff(c.want, s.Agents)
		expect.That(t, d == "" && s.AgentsYes == (name == "yes"), name, "yes", s.AgentsYes, d)
		expect.That(t, (s.Budget == api.BudgetUnreadable) == (c.problem != "" && !strings.Contains(c.problem, ".studio.per_job ") &&
			!strings.Contains(c.problem, "models")), name, "the budget is", s.Budget)
		oneProblem(t, name, s, c.problem)
	}
}

func TestHooksAreRead(t *testing.T) {
	t.Parallel()
	areRead(t, "[[hook]]\n", func(s Settings) []Hook { return s.Hooks }, map[string]reading[[]Hook]{
		"one":        {"on = ['done', 'held']\nrun = ['say', 'it']", []Hook{{[]api.Phase{"done", "held"}, []string{"say", "it"}}}, ""},
		"many words": {"on = ['unknown']\nrun = ['a']", []Hook{{[]api.Phase{"unknown", "unread"}, []string{"a"}}}, ""},
		"no event":   {"run = ['a']", nil, "hook.1.on in FILE is not a list of events"},
		"a phase":    {"on = ['done', 'queued']\nrun = ['a']", nil, "line 2, hook.1.on in FILE is not a list of events"},
		"one text":   {"on = 'done'\nrun = ['a']", nil, "line 2, hook.1.on in FILE is not a list of events"},
		"no program": {"on = ['done']\nrun = ['', 'a']", nil, "line 3, hook.1.run in FILE is not a command"},
		"the second": {"on = ['done']\nrun = ['a']\n[[command]]\nrun = ['a', '{id}']\n[[hook]]\non = ['done']\nrun = 1",
			[]Hook{{[]api.Phase{"done"}, []string{"a"}}}, "line 8, hook.2.run in FILE is not a command"},
		"a slip": {"no = ['done']\non = ['done']\nrun = ['a']", []Hook{{[]api.Phase{"done"}, []string{"a"}}}, "line 2, hook.1.no in FILE is not a setting"},
	})
}

// FuzzSettings: no settings file and no environment stops the program, lifts a
// budget by a slip of the pen, or puts a control into a message.
func FuzzSettings(f *testing.F) {
	for _, s := range []string{
		"base_url = \"https://a.example/gw/\"\nbudget = 500\non_done = \"open\"\n",
		"budget = \"12 credits\"\n", "budget = -1\nrecipes = 1\n", "budget = 1e400\n", "budget = nan\n", "budget = [1]\n", "budget",
		"downloads = \"~/pictures\"\nopener = \"/usr/bin/../bin/xdg-open\"\nlang = \"zh\"\npictures = \"sixel\"\n",
		"\"\\u001b]0;x\\u0007\" = 1\nlang = \"\\u202ex\"\n", "\xff\xfe", "[profile]\nestimate = \"POST\"\nratio = \"ratio\"\ntools_path = \"/x\"\n",
		"[profile.\"https://a.example\"]\njob_id = \"data[0].id\"\nanswers = \"result\"\n", "profile = 1\n", "[profile.\"\x01\"]\n",
		"a = 1979-05-27T07:32:00Z\nb = [[],[{}]]\n", "x = '''\nbudget = 3\n'''\n",
	} {
		f.Add(s, "", "", "")
	}
	f.Add("budget = 5\n", "7", "2", "http://127.0.0.1:1")
	f.Add("", "0x10", "inf", "http://[::1]")
	f.Add("base_url = \"~://\"\nbudget7 = 5\n", "", "", "")
	home := f.TempDir()
	file := filepath.Join(home, ".config", "darkroom", "config.toml")
	f.Fuzz(func(t *testing.T, text, budget, scale, base string) {
		simtest.File(t, file, text)
		s := must(Load(func(name string) string {
			return map[string]string{"HOME": home, "DARKROOM_BUDGET": budget, "DARKROOM_TIME_SCALE": scale, "DARKROOM_BASE_URL": base,
				"DARKROOM_OPENER": budget, "DARKROOM_LANG": scale, "DARKROOM_DOWNLOADS": base}[name]
		}))(t)
		for _, p := range s.Problems {
			line := p.String()
			expect.That(t, line != "" && api.Clean(line, api.MaxErrorText).String() == line, "a problem is not clean", p)
		}
		switch at, err := api.ParseBase(s.BaseURL); {
		case s.Budget < 0,
			!(s.TimeScale > 0) || math.IsInf(s.TimeScale, 0),
			s.TimeScale != 1 && (err != nil || !api.LoopbackHost(at.Hostname())),
			!filepath.IsAbs(s.Downloads), s.Opener != "" && !filepath.IsAbs(s.Opener),
			s.Lang != "en" && s.Lang != "zh":
			t.Errorf("%+v", s)
		}
		unread := slices.ContainsFunc(s.Problems, func(p api.Reason) bool { return p.Format() == whyUnread })
		expect.That(t, !unread || strings.TrimSpace(budget) != "" || s.Budget == api.BudgetUnreadable,
			"an unreadable file lifts the budget", text)
		s.WaysFor(base)
	})
}

// live are settings in force, and how their file is written anew.
func live(t *testing.T, text string, vars map[string]string) (c *Current, write func(string)) {
	t.Helper()
	_, env := person(t, text, vars)
	s := must(Load(env))(t)
	at := time.Now()
	return NewCurrent(s, env), func(text string) {
		t.Helper()
		noError(t, os.WriteFile(s.ConfigFile, []byte(text), 0o600))
		at = at.Add(time.Second) // two writes may come within one tick of the file system
		noError(t, os.Chtimes(s.ConfigFile, at, at))
	}
}

func TestChangedFileIsTakenOver(t *testing.T) {
	t.Parallel()
	c, write := live(t, "base_url = \"https://a.example\"\nbudget = 5\nlog = true\n", map[string]string{"DARKROOM_API_KEY": "ak_x"})
	expect.That(t, !c.Reread(false) && c.Get().Version == 0, "a file that was not changed changes the settings")
	write("base_url = \"https://b.example\"\nbudget = 7\non_done = \"open\"\n[theme]\nname = \"mono\"\n")
	expect.That(t, !c.Reread(false) && c.Reread(false), "the file was changed, the settings were not")
	s := c.Get()
	expect.That(t, s.Budget == 7*api.Credit && s.OnDone == "open" && s.Theme.Name == "mono" && s.Version == 1 && !s.Refused, s)
	expect.That(t, s.BaseURL == "https://a.example" && s.Log && s.EnvKey == "ak_x", "what is read at the start alone is", s)
	oneProblem(t, "another address", s, "FILE has another base_url: it is used from the next start on")
	expect.That(t, !c.Reread(false) && !c.Reread(true), "the same file changes the settings twice")
	expect.That(t, !NewCurrent(s, nil).Reread(true), "it is read again without an environment")
	write("budget = 1\n") // half of a file that is being written
	expect.That(t, !c.Reread(false), "a file that has just been changed is taken over")
	write("")
	expect.That(t, !c.Reread(false) && c.Reread(false), "a file without settings is read when it stays so")
	expect.All(t, "preview  0 2 []", c.Get().OnDone, c.Get().Theme.Name, c.Get().Budget, c.Get().Version, c.Get().Problems)
}

// While the file is being saved it may be short, empty or not there: what it
// allows then beyond the budget in force is not believed.
func TestHalfWrittenFileLiftsNoBudget(t *testing.T) {
	t.Parallel()
	for name, short := range map[string]string{"empty": "", "before the budget": "lang = \"en\"\n", "within a number": "budget = 90",
		"within the month's": "budget = 9\nbudget_month = 1000"} {
		c, write := live(t, "budget = 9\nbudget_month = 100\n", nil)
		write(short)
		for looked := range 2 {
			expect.Equal(t, c.Budgets(), api.Budgets{9 * api.Credit, 100 * api.Credit}, name, "looked at", looked, "times")
			c.Reread(false)
		}
	}
	c, write := live(t, "budget = 9\n", nil)
	file := c.Get().ConfigFile
	noError(t, os.Rename(file, file+"~"))
	expect.Equal(t, c.Budgets()[api.Day], 9*api.Credit, "moved away")
	noError(t, os.Rename(file+"~", file))
	at := stampOf(file)
	write("budget = = 9") // cannot be read for a moment
	expect.Equal(t, c.Budgets()[api.Day], api.BudgetUnreadable, "unreadable")
	write("budget = 9\n")
	noError(t, os.Chtimes(file, time.Unix(0, at[0]), time.Unix(0, at[0]))) // the very file of before
	for _, want := range []api.Credits{9 * api.Credit, 10 * api.Credit} {
		c.Reread(false)
		c.Reread(false)
		expect.Equal(t, c.Budgets()[api.Day], want)
		write("budget = 10\n")
	}
}

// TestAFileThatIsGoneLiftsNoBudget: what was read from it stays, and nothing is written in its place. Behind a link that
// leads nowhere there may be a budget.
func TestAFileThatIsGoneLiftsNoBudget(t *testing.T) {
	t.Parallel()
	const text = "budget = 9\non_done = \"open\"\n"
	c, write := live(t, text, nil)
	file := c.Get().ConfigFile
	for _, row := range []struct {
		link, says string
		want       api.Credits
	}{{"", "FILE is gone", 9 * api.Credit}, {"/nowhere/config.toml", "FILE cannot be read", api.BudgetUnreadable}} {
		noError(t, os.Remove(file))
		if row.link != "" {
			noError(t, os.Symlink(row.link, file))
		}
		expect.That(t, !c.Reread(false) && c.Reread(false), row.says, "and nothing is told")
		s := c.Get()
		expect.That(t, s.Budget == row.want && c.Budgets()[api.Day] == row.want && s.OnDone == "open" && s.Refused, row.says, s, c.Budgets())
		oneProblem(t, row.says, s, row.says)
		for _, err := range []error{c.SaveTheme("mono"), c.Save("https://a.example", "base_url")} {
			expect.Fails(t, err, row.says[len("FILE "):], row.says)
		}
		_ = os.Remove(file)
		write(text)
		expect.That(t, !c.Reread(false) && c.Reread(false) && len(c.Get().Problems) == 0 && c.Get().Budget == 9*api.Credit,
			"there again", c.Get())
	}
	home, env := person(t, "", nil)
	noError(t, os.Symlink(home+"/unmounted", home+"/.config"))
	s := must(Load(env))(t)
	expect.That(t, s.Budgets() == (api.Budgets{api.BudgetUnreadable, api.BudgetUnreadable}) && NewCurrent(s, nil).SaveTheme("mono") != nil,
		"behind a folder that is not mounted", s)
	noError(t, os.Mkdir(home+"/unmounted", 0o700))
	s = must(Load(env))(t)
	expect.That(t, s.Budget == 0 && len(s.Problems) == 0, "without a file", s)
}

// A file with a mistake says where it is; what was set stays, but for the budget.
func TestFileWithAMistakeIsNotTakenOver(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file   string
		want   string
		budget api.Credits
	}{
		"no TOML":         {"budget = 5\non_done = = 1\n", "line 2", api.BudgetUnreadable},
		"a wrong value":   {"budget = 5\n\non_done = \"dance\"\n", "line 3, on_done in FILE is not one of", 5 * api.Credit},
		"a slip":          {"budget = 5\non_doen = \"open\"\n", "line 2, on_doen in FILE is not a setting", api.BudgetUnreadable},
		"a budget":        {"budget = \"much\"\n", "line 1, budget in FILE is not an amount", api.BudgetUnreadable},
		"a lower budget":  {"budget = 1\nlang = 3\n", "line 2, lang in FILE", 1 * api.Credit},
		"too deep a file": {"budget = 5\na = " + strings.Repeat("{a=", 201) + "1" + strings.Repeat("}", 201), "line 2 is not TOML", api.BudgetUnreadable},
		"too long a name": {"budget = 5\na" + strings.Repeat(".a", 201) + " = 1", "line 2 is not TOML", api.BudgetUnreadable},
		"too long a file": {strings.Repeat("#", 256<<10+1), "larger than", api.BudgetUnreadable},
	} {
		current, write := live(t, "budget = 9\non_done = \"open\"\n", nil)
		expect.That(t, !current.Reread(false), name, "a file that nobody has changed changes the settings")
		write(c.file)
		expect.That(t, !current.Reread(false) && current.Reread(false), name, "nothing changed")
		s := current.Get()
		expect.That(t, s.OnDone == "open" && s.Refused && s.Budget == c.budget, name, s)
		oneProblem(t, name, s, c.want)
		write("on_done = \"nothing\"\n")
		expect.That(t, !current.Reread(false) && current.Reread(false) && current.Get().OnDone == "nothing" && !current.Get().Refused &&
			len(current.Get().Problems) == 0, name, "mended, but", current.Get())
	}
}

// TestAGrantIsReadAgain before it is relied on: one that has changed counts for nothing.
func TestAGrantIsReadAgain(t *testing.T) {
	t.Parallel()
	const grant = "[agents.studio]\nper_job = 5\n"
	granted := Agent{PerJob: 5 * api.Credit}
	c, write := live(t, grant, nil)
	for _, row := range []struct {
		file string
		want Agent
	}{
		{grant, granted}, {"lang = \"zh\"\n" + grant, granted}, {grant + "per_day = 1\n", Agent{}}, {"[agents.studio]\nper_job = 4\n", Agent{}},
		{"", Agent{}}, {"budgte = 5\n" + grant, Agent{}}, {grant, granted},
	} {
		write(row.file)
		got := c.Agent("studio")
		expect.That(t, reflect.DeepEqual(got, row.want) && c.Agent("other").PerJob == 0, row.file, "grants", got)
	}
	expect.That(t, reflect.DeepEqual(NewCurrent(c.Get(), nil).Agent("studio"), granted), "without an environment")
}

func TestSavedThemeIsInForce(t *testing.T) {
	t.Parallel()
	c, _ := live(t, "budget = 9\n", nil)
	expect.All(t, "<nil> contrast 0", c.SaveTheme("contrast"), c.Get().Theme.Name, c.Get().Version)
	for range 2 {
		expect.That(t, !c.Reread(false), "it changes the settings a second time")
	}
	s, _ := Load(c.env)
	expect.That(t, s.Theme.Name == "contrast" && s.Budget == 9*api.Credit, "the file has", s)
}

// One setting is written into the file, and nothing else of it changes.
func TestSaveKeepsTheRest(t *testing.T) {
	t.Parallel()
	const b = "https://new.example/gw"
	base, theme := []string{b, "base_url"}, []string{"slate", "theme", "name"}
	for _, c := range []struct {
		set       []string
		old, want string // "!": it is not changed
	}{
		{base, "", "base_url = \"" + b + "\"\n"},
		{base, "# mine\nlang = \"zh\" # yes\n", "base_url = \"" + b + "\"\n# mine\nlang = \"zh\" # yes\n"},
		{base, "lang = \"zh\"\r\n base_url = 'https://old'\r\nbudget = 3", "lang = \"zh\"\r\nbase_url = \"" + b + "\"\r\nbudget = 3"},
		{base, "[other]\nbase_url = \"x\"\n", "base_url = \"" + b + "\"\n[other]\nbase_url = \"x\"\n"},
		{base, "base_url = \"" + b + "\" # kept\n", "base_url = \"" + b + "\"\n"},
		{base, "budget = = 5\n", "!"},
		{base, "base_url = \"\"\"\nx\n\"\"\"\n", "!"},
		{base, "lang = \"\"\"\nbase_url = 1\n\"\"\"\n", "base_url = \"" + b + "\"\nlang = \"\"\"\nbase_url = 1\n\"\"\"\n"},
		{theme, "", "[theme]\nname = \"slate\"\n"},
		{theme, "budget = 5\n", "budget = 5\n\n[theme]\nname = \"slate\"\n"},
		{theme, "budget = 5", "budget = 5\n\n[theme]\nname = \"slate\"\n"},
		{theme, "[theme] # mine\naccent = 3\n", "[theme] # mine\nname = \"slate\"\naccent = 3\n"},
		{theme, "[theme]\nname = \"mono\"\n[keys]\n", "[theme]\nname = \"slate\"\n[keys]\n"},
		{theme, "[x]\nname = 1\n[theme]\n[y]\nz = 1", "[x]\nname = 1\n[theme]\nname = \"slate\"\n[y]\nz = 1"},
		{theme, "[theme.dark]\naccent = 3\n", "[theme.dark]\naccent = 3\n\n[theme]\nname = \"slate\"\n"},
		{theme, "[[command]]\nname = 1\n", "[[command]]\nname = 1\n\n[theme]\nname = \"slate\"\n"},
		{theme, "theme = { name = \"mono\" }\n", "!"},
		{theme, "theme.name = \"mono\"\n", "!"},
		{theme, "x = \"\"\"\n[theme]\nname = 1\n\"\"\"", "x = \"\"\"\n[theme]\nname = 1\n\"\"\"\n\n[theme]\nname = \"slate\"\n"},
		{theme, "theme = []\n", "!"},
		{theme, "[[theme]]\nname = \"mono\"\n", "!"},
		{theme, "budget = = 1", "!"},
	} {
		path := filepath.Join(t.TempDir(), "darkroom", "config.toml")
		if c.old != "" {
			noError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			noError(t, os.WriteFile(path, []byte(c.old), 0o640))
		}
		err := NewCurrent(Settings{ConfigFile: path}, nil).Save(c.set[0], c.set[1:]...)
		want := c.want
		if want == "!" {
			want = c.old
		}
		got, _ := os.ReadFile(path)
		expect.That(t, string(got) == want && (err != nil) == (c.want == "!"), c.old, "with", c.set[0], string(got), err, "want", want)
		info, _ := os.Stat(path)
		left, _ := os.ReadDir(filepath.Dir(path))
		expect.That(t, len(left) == 1 && info.Mode().Perm()&^0o040 == 0o600, c.old, "left behind", left, info.Mode())
	}
	dir := t.TempDir()
	noError(t, os.WriteFile(dir+"/real.toml", []byte("budget = 1\n"), 0o600))
	noError(t, os.Symlink("real.toml", dir+"/config.toml"))
	noError(t, NewCurrent(Settings{ConfigFile: dir + "/config.toml"}, nil).Save(b, "base_url"))
	expect.Equal(t, must(os.Readlink(dir+"/config.toml"))(t), "real.toml", "the link")
	noError(t, os.Remove(dir+"/real.toml"))
	err := ReplaceFile(dir+"/config.toml", "budget = 2\n")
	expect.Equal(t, fmt.Sprint(err), dir+"/config.toml is a link to real.toml, which does not exist")
	expect.Equal(t, must(os.Readlink(dir+"/config.toml"))(t), "real.toml", "the link to what is gone")
}

func TestSavedPrompts(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "darkroom", "config.toml")
	c := NewCurrent(Settings{ConfigFile: config}, nil)
	all, err := c.SavedTexts(Prompts)
	expect.Must(t, all == nil && err == nil, "without a folder", all, err)
	for name, text := range map[string]string{"look": "{{subject}}\nat dusk", "晨光": "a boat", "Alpha": "old"} {
		noError(t, c.SaveText(Prompts, name, text, false))
	}
	expect.Is(t, c.SaveText(Prompts, "Alpha", "new", false), fs.ErrExist)
	noError(t, c.SaveText(Prompts, "Alpha", "new", true))
	folder := filepath.Join(filepath.Dir(config), "prompts")
	noError(t, os.WriteFile(filepath.Join(folder, "by hand.txt"), []byte("\ufeffa\r\nb\x1b[31m\r\n\r\n"), 0o600))
	all, err = c.SavedTexts(Prompts)
	want := []SavedText{{"Alpha", "new"}, {"by hand", "a\nb[31m"}, {"look", "{{subject}}\nat dusk"}, {"晨光", "a boat"}}
	expect.That(t, err == nil && slices.Equal(all, want), all, err, "want", want)
	for range 2 { // the second time it is not there
		expect.Is(t, c.SaveText(Prompts, "look", "", true), nil)
	}
	for _, name := range []string{"", ".hidden", "../up", "a/b", `a\b`, "a:b", " a", "a.", "a\nb", strings.Repeat("x", 60+1)} {
		expect.That(t, !SavedName(Prompts, name) && c.SaveText(Prompts, name, "x", false) != nil && c.SaveText(Prompts, name, "", true) != nil,
			name, "is taken for a name")
	}
	for name, ok := range map[string]bool{"hero": true, "晨光-2": true, "a b": false, "图片1": false, "a.b": false} {
		expect.Equal(t, SavedName(Cast, name), ok, name, "of the cast")
	}
	noError(t, os.WriteFile(filepath.Join(folder, "large.txt"), make([]byte, 64<<10+1), 0o600))
	expect.Fails(t, expect.Err(c.SavedTexts(Prompts)), "larger than 64 KiB", "one that is too large")
}

func TestWildcards(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "config.toml")
	c := NewCurrent(Settings{ConfigFile: config}, nil)
	lists, err := c.Lists()
	expect.Must(t, len(lists) == 0 && err == nil, "without a folder", lists, err)
	folder := filepath.Join(filepath.Dir(config), "wildcards")
	write := func(name, text string) { simtest.File(t, filepath.Join(folder, name), text) }
	write("colours.txt", "\ufeffred\r\n\n  dark blue \n#ff0000\nesc\x1b[31m")
	write("空.txt", "\n\n")
	write("notes.md", "no list")
	write(".#colours.txt", "an editor's lock")
	lists, err = c.Lists()
	want := expand.Lists{"colours": {"red", "dark blue", "#ff0000", "esc[31m"}, "空": nil}
	expect.That(t, err == nil && reflect.DeepEqual(lists, want), lists, err)
	write("large.txt", strings.Repeat("x", 1<<20+1))
	lists, err = c.Lists()
	expect.Fails(t, err, "large.txt", "a list that is too large")
	expect.That(t, reflect.DeepEqual(lists, want), "the others are not read")
	write("large.txt", "gr\xfcn")
	expect.Fails(t, expect.Err(c.Lists()), "it is not text in UTF-8", "a list in Latin-1")
	noError(t, os.Remove(filepath.Join(folder, "large.txt")))
	noError(t, os.Mkdir(filepath.Join(folder, "folder.txt"), 0o700))
	expect.Fails(t, expect.Err(c.Lists()), "folder.txt", "a folder")
	noError(t, os.Remove(filepath.Join(folder, "folder.txt")))
	if testing.Short() { // -race would watch each letter of 20 MiB, read as the lists above
		return
	}
	for n := range 20 { // in the order of their names
		write(fmt.Sprintf("long-%02d.txt", n), strings.Repeat(strings.Repeat("x", 1<<16-1)+"\n", 16))
	}
	lists, err = c.Lists()
	expect.Fails(t, err, "only the first 17 files", "lists of 20 MiB")
	expect.That(t, len(lists) == 17 && lists["long-15"] != nil && lists["long-16"] == nil, len(lists), "are read")
}
