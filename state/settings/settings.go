// Package settings reads what a person has set: the settings file, the
// environment and the folders, and how a service deviates from its
// specification.
package settings

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"darkroom/api"
)

// Settings are the settings in force after flag, environment, file and default
// were looked at, in this order.
type Settings struct {
	BaseURL    string      // as given, without secrets when it cannot be used; "" when not set
	BaseFrom   string      // "environment", "file", "flag", "demo" or ""
	EnvKey     string      // DARKROOM_API_KEY as given; never written anywhere
	Opener     string      // absolute path, or "" for the system's
	Player     string      // absolute path of what plays videos, or "" for what opens them
	Names      string      // pattern of the names of result files, or "" for the usual
	Budget     api.Credits // a day; 0: none
	Downloads  string      // absolute folder
	TimeScale  float64     // 1 unless the base URL is loopback
	Lang       string      // "en" or "zh"
	OnDone     string      // "open", "preview" or "nothing"
	Recipes    bool        // write a recipe file beside each result
	Log        bool        // write a line for each call to LogPath
	Pictures   string      // "auto", "kitty", "sixel", "blocks" or "off"
	ConfigFile string      // absolute path of config.toml
	DataDir    string      // folder of the store
	StateDir   string      // folder of logs and crash notes
	RuntimeDir string      // folder of lock files
	CacheDir   string      // folder of what can be made again; "" when there is none
	Problems   []string    // what could not be read of the settings, in words
	Ways       Ways        // of any service, by hand
	// WaysOf are those of one service, by its base URL; they win over Ways.
	WaysOf map[string]Ways
}

const budgetUnreadable = api.BudgetUnreadable

// errNoHome says that there is no folder that could be ours.
var errNoHome = errors.New("there is no home folder: set HOME, or XDG_CONFIG_HOME, XDG_DATA_HOME and XDG_STATE_HOME, to absolute folders")

// Load reads the environment through env and the settings file. What
// cannot be read is said in Problems and falls back to the default, but for a
// budget, which then stops all spending. It fails only without a home folder.
func Load(env func(string) string) (Settings, error) {
	f, err := findFolders(env)
	if err != nil {
		return Settings{}, err
	}
	s := Settings{
		TimeScale:  1,
		OnDone:     "preview",
		Recipes:    true,
		Pictures:   "auto",
		ConfigFile: filepath.Join(f.config, "darkroom", "config.toml"),
		DataDir:    filepath.Join(f.data, "darkroom"),
		StateDir:   filepath.Join(f.state, "darkroom"),
	}
	if f.cache != "" {
		s.CacheDir = filepath.Join(f.cache, "darkroom")
	}
	// Beside the store, not in XDG_RUNTIME_DIR: a window started without a
	// login session must meet the same locks as all others.
	s.RuntimeDir = filepath.Join(s.DataDir, "locks")
	s.Downloads = defaultDownloads(env, f, s.DataDir)
	s.Lang = systemLang(env)

	s.readFile(f.home)
	s.readEnv(env, f.home)
	return s, nil
}

// LogPath is where a session with the setting "log" writes.
func (s Settings) LogPath() string { return filepath.Join(s.StateDir, "darkroom.log") }

// LockDir is the folder of the lock files that all windows share.
func (s Settings) LockDir() string {
	if s.RuntimeDir != "" {
		return s.RuntimeDir
	}
	return filepath.Join(s.DataDir, "locks")
}

// problem records what could not be read, on one line without controls.
func (s *Settings) problem(format string, args ...any) {
	s.Problems = append(s.Problems, api.Clean(api.HideKeys(fmt.Sprintf(format, args...)), api.MaxErrorText).String())
}

func (s *Settings) readEnv(env func(string) string, home string) {
	given := func(name string) (string, bool) {
		v := strings.TrimSpace(env(name))
		return v, v != ""
	}
	s.EnvKey = env("DARKROOM_API_KEY")
	if v, ok := given("DARKROOM_BASE_URL"); ok {
		s.setBase("environment", "DARKROOM_BASE_URL", v)
	}
	if v, ok := given("DARKROOM_OPENER"); ok {
		s.setOpener("DARKROOM_OPENER", v)
	}
	if v, ok := given("DARKROOM_BUDGET"); ok {
		s.setBudget("DARKROOM_BUDGET", v)
	}
	if v, ok := given("DARKROOM_DOWNLOADS"); ok {
		s.setDownloads("DARKROOM_DOWNLOADS", v, home)
	}
	if v, ok := given("DARKROOM_LANG"); ok {
		s.setLang("DARKROOM_LANG", v)
	}
	if v, ok := given("DARKROOM_TIME_SCALE"); ok {
		s.setTimeScale(v)
	}
}

// setBase keeps what was given even when it cannot be used, so that a wrong
// address is shown and never replaced in silence by one of lower rank.
func (s *Settings) setBase(from, name, v string) {
	s.BaseURL, s.BaseFrom = v, from
	if _, err := api.ParseBase(v); err != nil {
		s.BaseURL = withoutSecrets(v)
		s.problem("%s cannot be used: %v", name, err)
	}
}

// withoutSecrets hides the parts of an address that cannot be used in which
// people put passwords and keys. What is left cannot be used for the same
// reason as before.
func withoutSecrets(address string) string {
	const hidden = "xxxxx"
	if i := strings.IndexAny(address, "?#"); i >= 0 && i+1 < len(address) {
		address = address[:i+1] + hidden
	}
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		scheme, rest = "", address
	}
	if i := strings.LastIndex(rest, "@"); i >= 0 {
		rest = hidden + rest[i:]
	}
	if ok {
		rest = scheme + "://" + rest
	}
	return api.HideKeys(rest)
}

func (s *Settings) setOpener(name, v string) {
	if !filepath.IsAbs(v) {
		s.problem("%s is not an absolute path, so the system's program opens results: give the whole path, such as /usr/bin/xdg-open", name)
		return
	}
	s.Opener = filepath.Clean(v)
}

func (s *Settings) setPlayer(name, v string) {
	if !filepath.IsAbs(v) {
		s.problem("%s is not an absolute path, so videos are opened like images: give the whole path, such as /usr/bin/mpv", name)
		return
	}
	s.Player = filepath.Clean(v)
}

func (s *Settings) setBudget(name, v string) {
	c, err := api.ParseCredits(v)
	if err != nil {
		s.Budget = budgetUnreadable
		s.problem("%s is not an amount of credits, so nothing is sent: write a number such as 500, or 0 for no budget", name)
		return
	}
	s.Budget = c
}

func (s *Settings) setDownloads(name, v, home string) {
	if rest, ok := strings.CutPrefix(v, "~/"); ok && home != "" {
		v = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(v) {
		s.problem("%s is not an absolute folder, so results go to %s: give the whole path", name, s.Downloads)
		return
	}
	s.Downloads = filepath.Clean(v)
}

func (s *Settings) setLang(name, v string) {
	switch v {
	case "en", "zh":
		s.Lang = v
	default:
		s.problem("%s is %q: write en or zh", name, v)
	}
}

// setTimeScale comes after the base URL is known: against a real service a
// scaled clock would break its limits.
func (s *Settings) setTimeScale(v string) {
	f, err := strconv.ParseFloat(v, 64)
	if err != nil || math.IsNaN(f) || f <= 0 || f > 1e6 {
		s.problem("DARKROOM_TIME_SCALE is not a number above 0: 1 is used")
		return
	}
	if !loopbackBase(s.BaseURL) {
		s.problem("DARKROOM_TIME_SCALE is only obeyed when the service is on this machine: 1 is used")
		return
	}
	s.TimeScale = f
}

func loopbackBase(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// systemLang reads the locale: the first variable that is set decides.
func systemLang(env func(string) string) string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := env(name); v != "" {
			if strings.HasPrefix(strings.ToLower(v), "zh") {
				return "zh"
			}
			return "en"
		}
	}
	return "en"
}
