package settings

import (
	"os"
	"strings"
	"testing"
	"time"

	"darkroom/api"
)

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
	if c.Reread(false) || c.Get().Version != 0 {
		t.Error("a file that was not changed changes the settings")
	}
	write("base_url = \"https://b.example\"\nbudget = 7\non_done = \"open\"\n[theme]\nname = \"mono\"\n")
	if c.Reread(false) || !c.Reread(false) {
		t.Fatal("the file was changed, the settings were not")
	}
	s := c.Get()
	if s.Budget != 7*api.Credit || s.OnDone != "open" || s.Theme.Name != "mono" || s.Version != 1 || s.Refused {
		t.Errorf("%+v", s)
	}
	if s.BaseURL != "https://a.example" || !s.Log || s.EnvKey != "ak_x" {
		t.Errorf("what is read at the start alone is %q, %t, %q", s.BaseURL, s.Log, s.EnvKey)
	}
	oneProblem(t, "another address", s, "another base_url stands in FILE: it is used from the next start on")
	if c.Reread(false) || c.Reread(true) {
		t.Error("the same file changes the settings twice")
	}
	write("budget = 1\n") // half of a file that is being written
	if c.Reread(false) {
		t.Error("a file that has just been changed is taken over")
	}
	write("")
	if c.Reread(false) || !c.Reread(false) || c.Get().OnDone != "preview" || c.Get().Theme.Name != "" || c.Get().Budget != 0 || c.Get().Version != 2 {
		t.Errorf("without settings there are %+v", c.Get())
	}
}

// While the file is being saved it may be short, empty or not there: what it
// allows then beyond the budget in force is not believed.
func TestHalfWrittenFileLiftsNoBudget(t *testing.T) {
	t.Parallel()
	for name, short := range map[string]string{"empty": "", "before the budget": "lang = \"en\"\n", "within a number": "budget = 90"} {
		c, write := live(t, "budget = 9\n", nil)
		write(short)
		if got := c.Budget(); got != 9*api.Credit {
			t.Errorf("%s: %v", name, got)
		}
		c.Reread(false)
		if got := c.Budget(); got != 9*api.Credit {
			t.Errorf("%s, looked at once: %v", name, got)
		}
	}
	c, write := live(t, "budget = 9\n", nil)
	file := c.Get().ConfigFile
	noError(t, os.Rename(file, file+"~"))
	if got := c.Budget(); got != 9*api.Credit {
		t.Errorf("moved away: %v", got)
	}
	noError(t, os.Rename(file+"~", file))
	at := stampOf(file)
	write("budget = = 9") // cannot be read for a moment
	if got := c.Budget(); got != api.BudgetUnreadable {
		t.Errorf("unreadable: %v", got)
	}
	write("budget = 9\n")
	if err := os.Chtimes(file, at.modified, at.modified); err != nil { // the very file of before
		t.Fatal(err)
	}
	c.Reread(false)
	c.Reread(false)
	if got := c.Budget(); got != 9*api.Credit {
		t.Errorf("as before: %v", got)
	}
	write("budget = 10\n")
	c.Reread(false)
	c.Reread(false)
	if got := c.Budget(); got != 10*api.Credit {
		t.Errorf("raised: %v", got)
	}
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
		"a wrong value":   {"budget = 5\n\non_done = \"dance\"\n", "line 3, on_done in FILE is none of", 5 * api.Credit},
		"a slip":          {"budget = 5\non_doen = \"open\"\n", "line 2, on_doen in FILE is not a setting", api.BudgetUnreadable},
		"a budget":        {"budget = \"much\"\n", "line 1, budget in FILE is not an amount", api.BudgetUnreadable},
		"a lower budget":  {"budget = 1\nlang = 3\n", "line 2, lang in FILE", 1 * api.Credit},
		"too long a file": {strings.Repeat("#", maxSettingsFile+1), "larger than", api.BudgetUnreadable},
	} {
		current, write := live(t, "budget = 9\non_done = \"open\"\n", nil)
		if current.Reread(false) {
			t.Errorf("%s: a file that nobody has changed changes the settings", name)
		}
		write(c.file)
		if current.Reread(false) || !current.Reread(false) {
			t.Errorf("%s: nothing changed", name)
		}
		s := current.Get()
		if s.OnDone != "open" || !s.Refused || s.Budget != c.budget {
			t.Errorf("%s: %+v", name, s)
		}
		oneProblem(t, name, s, c.want)
		write("on_done = \"nothing\"\n")
		if current.Reread(false) || !current.Reread(false) || current.Get().OnDone != "nothing" || current.Get().Refused || len(current.Get().Problems) > 0 {
			t.Errorf("%s: mended, but %+v", name, current.Get())
		}
	}
}

func TestSavedThemeIsInForce(t *testing.T) {
	t.Parallel()
	c, _ := live(t, "budget = 9\n", nil)
	if err := c.SaveTheme("contrast"); err != nil || c.Get().Theme.Name != "contrast" || c.Get().Version != 0 {
		t.Errorf("%v, %+v", err, c.Get())
	}
	for range 2 {
		if c.Reread(false) {
			t.Error("it changes the settings a second time")
		}
	}
	if s, _ := Load(c.env); s.Theme.Name != "contrast" || s.Budget != 9*api.Credit {
		t.Errorf("the file has %+v", s)
	}
}
