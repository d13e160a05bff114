// Package settings reads what a person has set: the settings file, the
// environment and the folders, and how a service deviates from its
// specification.
package settings

import (
	"cmp"
	"math"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"darkroom/api"
	"darkroom/api/expand"
)

// Settings are the settings in force after flag, environment, file and default
// were looked at, in this order.
type Settings struct {
	BaseURL    string              // as given, without secrets when it cannot be used; "" when not set
	BaseFrom   string              // "environment", "file" or ""
	EnvKey     string              // DARKROOM_API_KEY as given; never written anywhere
	Opener     string              // absolute path, or "" for the system's
	Player     string              // absolute path of what plays videos, or "" for what opens them
	Names      string              // pattern of the names of result files, or "" for the default
	Budget     api.Credits         // a day; 0: none
	Downloads  string              // absolute folder
	TimeScale  float64             // 1 unless the base URL is loopback
	Lang       string              // "en" or "zh"
	OnDone     string              // "open", "preview" or "nothing"
	AfterSend  string              // "create" or "jobs": the screen in view after sending
	Recipes    bool                // write a recipe file next to each result
	Progress   bool                // report progress to the terminal, for its tab or taskbar
	Log        bool                // write a line for each call to LogPath
	Pictures   string              // "auto", "kitty", "sixel", "blocks" or "off"
	Upload     []string            // the command for files that are to become materials; nil: none
	Variations int                 // requests that one agreement may have; 0: expand.DefaultLimit
	Keys       map[string][]string // of actions by name, in place of the default ones
	Theme      Theme               // the colours
	Commands   []Command           // the person's own, on results
	ConfigFile string              // absolute path of config.toml
	DataDir    string              // folder of the store
	StateDir   string              // folder of logs and crash notes
	CacheDir   string              // folder of what can be made again; "" when there is none
	Problems   []api.Reason        // what could not be read of the settings
	Refused    bool                // the file was changed while the program runs, and is not used but for its budget
	Version    int64               // grows when they are others while the program runs
	Ways       Ways                // of any service, by hand
	WaysOf     map[string]Ways     // of one service, by its base URL, in place of Ways
}

// Load reads the environment through env and the settings file. What
// cannot be read is said in Problems and falls back to the default, but for a
// budget, which then stops all spending. It fails only without a home folder.
func Load(env func(string) string) (Settings, error) {
	s, _, err := read(env)
	return s, err
}

// reader are settings that are being read.
type reader struct {
	Settings
	source source
	home   string
	stops  int          // how many of Problems stop what may spend: the first ones
	said   []api.Reason // names of an earlier version
}

// read is Load, and reports whether all of the settings file could be used.
func read(env func(string) string) (_ Settings, whole bool, _ error) {
	s := reader{Settings: Settings{TimeScale: 1, Lang: systemLang(env), OnDone: "preview", AfterSend: "create",
		Recipes: true, Progress: true, Pictures: "auto"}}
	if !s.findFolders(env) {
		return Settings{}, false, api.Sentence("there is no home folder: set HOME, or XDG_CONFIG_HOME, XDG_DATA_HOME and XDG_STATE_HOME, " +
			"to absolute folders").Fault(nil)
	}
	s.readFile()
	whole = len(s.Problems) == 0
	s.readEnv(env)
	if s.stops > 0 {
		s.Budget = api.BudgetUnreadable
	}
	s.Problems = append(s.Problems, s.said...)
	return s.Settings, whole, nil
}

// VariationsLimit is how many requests are sent by one agreement at the most.
func (s Settings) VariationsLimit() int {
	if s.Variations == 0 {
		return expand.DefaultLimit
	}
	return s.Variations
}

// LogPath is where a session with the setting "log" writes.
func (s Settings) LogPath() string { return filepath.Join(s.StateDir, "darkroom.log") }

// LockDir is the folder of the lock files that all windows share. It is next to
// the store, not in XDG_RUNTIME_DIR: a window started without a login session
// must meet the same locks as all others.
func (s Settings) LockDir() string { return filepath.Join(s.DataDir, "locks") }

// maxShown is how much of a value a problem shows, in bytes.
const maxShown = api.MaxErrorText / 4

// problem records what could not be read; keys in its values are hidden.
func (s *reader) problem(kind api.Sentence, args ...any) {
	s.Problems = append(s.Problems, s.reason(kind, args...))
}

// stop records what stops everything that may spend. It is said before other
// problems.
func (s *reader) stop(kind api.Sentence, args ...any) {
	s.Problems = slices.Insert(s.Problems, s.stops, s.reason(kind, args...))
	s.stops++
}

// reason is one about settings: places with their lines, and no keys.
func (s *reader) reason(kind api.Sentence, args ...any) api.Reason {
	for i, v := range args {
		switch v := v.(type) {
		case string:
			args[i] = api.Clean(api.HideKeys(v), maxShown)
		case place:
			args[i] = s.where(v)
		}
	}
	return kind.Reason(args...)
}

const (
	keyVariable  = variables + "API_KEY"
	baseVariable = variables + "BASE_URL"
)

func (s *reader) readEnv(env func(string) string) {
	s.EnvKey = env(keyVariable)
	for _, row := range s.rows() {
		if v := strings.TrimSpace(env(row.variable)); row.variable != "" && v != "" {
			row.read(row.variable, v)
		}
	}
	s.checkVariables(env)
}

// setBase keeps what was given even when it cannot be used, so that a wrong
// address is shown and never replaced in silence by one of lower rank.
func (s *reader) setBase(name any, v string) {
	s.BaseURL, s.BaseFrom = v, "file"
	if name == baseVariable {
		s.BaseFrom = "environment"
	}
	if _, err := api.ParseBase(v); err != nil {
		s.BaseURL = withoutSecrets(v)
		s.problem("%v cannot be used: %v", name, err)
	}
}

// The parts of an address in which people put passwords and keys.
var (
	afterPath  = api.Pattern(`(?s)([?#]).+`)
	beforeHost = api.Pattern(`(?s)^(.*?://)?.*@`)
)

// withoutSecrets hides those parts of an address that cannot be used. What is
// left cannot be used for the same reason as before.
func withoutSecrets(address string) string {
	address = afterPath().ReplaceAllString(address, "${1}xxxxx")
	return api.HideKeys(beforeHost().ReplaceAllString(address, "${1}xxxxx@"))
}

// setBudget takes a TOML number as the decimal that was meant, or a text.
func (s *reader) setBudget(at, v any) {
	text, _ := v.(string)
	switch v := v.(type) {
	case int64:
		text = strconv.FormatInt(v, 10)
	case float64:
		text = strconv.FormatFloat(v, 'f', -1, 64)
	}
	c, err := api.ParseCredits(strings.TrimSpace(text))
	if err != nil {
		c = api.BudgetUnreadable
		s.problem("%v is not an amount of credits, so nothing is sent: write a number such as 500, or 0 for no budget", at)
	}
	s.Budget = c
}

func (s *reader) setDownloads(name any, v string) {
	if rest, ok := strings.CutPrefix(v, "~/"); ok && s.home != "" {
		v = filepath.Join(s.home, rest)
	}
	if !filepath.IsAbs(v) {
		s.problem("%v is not an absolute folder, so results go to %v: give the whole path", name, s.Downloads)
		return
	}
	s.Downloads = filepath.Clean(v)
}

func (s *reader) setLang(name any, v string) {
	if v == "en" || v == "zh" {
		s.Lang = v
	} else {
		s.problem("%v is %v: write en or zh", name, strconv.Quote(v))
	}
}

func (s *reader) setVariations(at, v any) {
	if n, ok := v.(int64); ok && n >= 1 && n <= expand.MaxRequests {
		s.Variations = int(n)
	} else {
		s.wrong("%v is not a whole number from %v to %v", at, v, 1, expand.MaxRequests)
	}
}

// setTimeScale comes after the base URL is known: against a real service a
// scaled clock would break its limits.
func (s *reader) setTimeScale(_ any, v string) {
	f, err := strconv.ParseFloat(v, 64)
	switch {
	case err != nil || math.IsNaN(f) || f <= 0 || f > 1e6:
		s.problem("DARKROOM_TIME_SCALE is not a number above 0: 1 is used")
	case !loopbackBase(s.BaseURL):
		s.problem("DARKROOM_TIME_SCALE is only obeyed when the service is on this machine: 1 is used")
	default:
		s.TimeScale = f
	}
}

func loopbackBase(base string) bool {
	u, err := url.Parse(base)
	return err == nil && api.LoopbackHost(strings.ToLower(u.Hostname()))
}

// systemLang reads the locale: the first variable that is set decides.
func systemLang(env func(string) string) string {
	if strings.HasPrefix(strings.ToLower(cmp.Or(env("LC_ALL"), env("LC_MESSAGES"), env("LANG"))), "zh") {
		return "zh"
	}
	return "en"
}

// The end of every name tells the results of all jobs apart, and is how a file
// is found again.
const namesEnd = "-{id}-{n}"

// maxNamesText bounds what a pattern adds to its placeholders, in bytes.
const maxNamesText = 40

// plainName is what may stand between the placeholders.
var plainName = api.Pattern(`^[\pL\p{Nd}_.-]*$`)

// setNames takes the pattern of the names of result files.
func (s *reader) setNames(where any, v string) {
	rest, ok := strings.CutSuffix(v, namesEnd)
	if !ok {
		s.problem("%v does not end in %v, which tells files apart, so the usual names are used", where, namesEnd)
		return
	}
	for _, p := range []string{"{date}", "{time}", "{title}", "{kind}", "{model}", "{seed}"} {
		if strings.Count(rest, p) > 1 {
			s.problem("%v has %v twice, so the usual names are used", where, p)
			return
		}
		rest = strings.Replace(rest, p, "", 1)
	}
	if !plainName().MatchString(rest) || len(rest) > maxNamesText || strings.HasPrefix(v, ".") {
		s.problem("%v is no pattern of names, so the usual names are used: write letters, digits, - _ . and the words "+
			"{date} {time} {title} {kind} {model} {seed}, and %v at the end", where, namesEnd)
		return
	}
	s.Names = v
}
