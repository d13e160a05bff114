package settings

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"darkroom/api"
)

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
	noError(f, os.MkdirAll(filepath.Dir(file), 0o700))
	f.Fuzz(func(t *testing.T, text, budget, scale, base string) {
		noError(t, os.WriteFile(file, []byte(text), 0o600))
		s := must(Load(func(name string) string {
			return map[string]string{"HOME": home, "DARKROOM_BUDGET": budget, "DARKROOM_TIME_SCALE": scale, "DARKROOM_BASE_URL": base,
				"DARKROOM_OPENER": budget, "DARKROOM_LANG": scale, "DARKROOM_DOWNLOADS": base}[name]
		}))(t)
		for _, p := range s.Problems {
			if line := p.String(); line == "" || api.Clean(line, api.MaxErrorText).String() != line {
				t.Errorf("a problem is not clean: %q", p)
			}
		}
		switch {
		case s.Budget < 0,
			!(s.TimeScale > 0) || math.IsInf(s.TimeScale, 0),
			s.TimeScale != 1 && !loopbackBase(s.BaseURL),
			!filepath.IsAbs(s.Downloads), s.Opener != "" && !filepath.IsAbs(s.Opener),
			s.Lang != "en" && s.Lang != "zh":
			t.Errorf("%+v", s)
		}
		unread := slices.ContainsFunc(s.Problems, func(p api.Reason) bool { return p.Format() == whyUnread })
		if unread && strings.TrimSpace(budget) == "" && s.Budget != api.BudgetUnreadable {
			t.Errorf("an unreadable file lifts the budget: %q", text)
		}
		s.WaysFor(base)
	})
}
