// Package settings reads what a person has set: the settings file, the
// environment and the folders, and the ways of a service.
package settings

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"darkroom/api"
	"darkroom/api/expand"
)

// Settings are those of the environment, else of the file, else the default ones.
type Settings struct {
	BaseURL    string              // as given, without secrets when it cannot be used; "" when not set
	BaseFrom   string              // "environment", "file" or ""
	EnvKey     string              // DARKROOM_API_KEY as given; never written anywhere
	Opener     string              // absolute path, or "" for the system's
	Player     string              // absolute path of what plays videos, or "" for what opens them
	Names      string              // pattern of the names of result files, or "" for the default
	Budget     api.Credits         // a day; 0: none
	PerMonth   api.Credits         // a calendar month; 0: none
	Credit     api.Money           // what the person pays for one
	Downloads  string              // absolute folder
	TimeScale  float64             // 1 unless the base URL is loopback
	Lang       string              // "en" or "zh"
	OnDone     string              // "open", "preview" or "nothing"
	AfterSend  string              // "create" or "jobs": the screen in view after sending
	Recipes    bool                // write a recipe file next to each result
	Progress   bool                // report progress to the terminal, for its tab or taskbar
	Motion     bool                // pictures sharpen when they come, and signs turn
	Log        bool                // write a line for each call to LogPath
	Pictures   string              // "auto", "kitty", "sixel", "blocks" or "off"
	Upload     []string            // the command for files that are to become materials; nil: none
	Variations int                 // requests that one agreement may have; 0: expand.DefaultLimit
	Keys       map[string][]string // of actions by name, in place of the default ones
	Theme      Theme               // the colours
	Commands   []Command           // the person's own, on results
	Hooks      []Hook              // the person's own, on changes of jobs
	Agents     map[string]Agent    // what agents may do by themselves, by the names of their entries
	AgentsYes  bool                // --yes in an agent's shell sends
	ConfigFile string              // absolute path of config.toml
	Found      bool                // it was there, though it may not have been readable
	DataDir    string              // folder of the store
	StateDir   string              // folder of logs and crash notes
	CacheDir   string              // folder of what can be made again; "" when there is none
	Problems   []api.Reason        // what could not be read of the settings
	Partial    bool                // some of the settings file could not be used
	Refused    bool                // the file was changed while the program runs, and is not used but for its budgets
	Version    int64               // grows when they are others while the program runs
	Ways       Ways                // of any service, by hand
	WaysOf     map[string]Ways     // of one service, by its base URL, in place of Ways
}

// Load reads the environment through env and the settings file. What cannot be
// read is in Problems and falls back to the default, but a budget stops all
// spending. It fails only without a home folder.
func Load(env func(string) string) (Settings, error) {
	s, err := read(env)
	return s.Settings, err
}

// reader are settings that are being read.
type reader struct {
	Settings
	source source
	home   string
	stops  int          // how many of Problems stop what may spend: the first ones
	said   []api.Reason // names of an earlier version
}

func read(env func(string) string) (reader, error) {
	s := reader{Settings: Settings{TimeScale: 1, Lang: "en", OnDone: "preview", AfterSend: "create",
		Recipes: true, Progress: true, Motion: true, Pictures: "auto"}}
	if strings.HasPrefix(strings.ToLower(cmp.Or(env("LC_ALL"), env("LC_MESSAGES"), env("LANG"))), "zh") {
		s.Lang = "zh"
	}
	if !s.findFolders(env, runtime.GOOS) {
		return s, api.Sentence("there is no home folder: set HOME, or XDG_CONFIG_HOME, XDG_DATA_HOME and XDG_STATE_HOME, " +
			"to absolute folders").Fault(nil)
	}
	s.readFile()
	s.Partial = len(s.Problems) > 0
	s.EnvKey = env(keyVariable)
	known := []string{"API_KEY", "CRASH"}[:1+min(len(breaks), 1)]
	for _, row := range s.rows() {
		if row.variable == "" {
			continue
		}
		known = append(known, row.variable[len(variables):])
		if v := strings.TrimSpace(env(row.variable)); v != "" {
			row.read(row.variable, v)
		}
	}
	for name := range strings.SplitSeq(env(variables), "\x00") {
		if name != "" && !slices.Contains(known, strings.TrimPrefix(name, variables)) && !s.old(name, name) {
			near := api.Map(api.Near(name[len(variables):], known), func(name string) string { return variables + name })
			s.stop("%v is not a variable of darkroom, so nothing can be sent; %v", name, hint(near, nil, "environment"))
		}
	}
	for _, name := range strings.Fields("XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME") {
		if v := env(name); v != "" && absolute(v) == "" {
			s.problem("%v is not an absolute folder, so it is not used: give the full path", name)
		}
	}
	if s.stops > 0 {
		s.Budget = api.BudgetUnreadable
	}
	s.Problems = append(s.Problems, s.said...)
	return s, nil
}

// Budgets are what may be spent.
func (s Settings) Budgets() api.Budgets { return api.Budgets{s.Budget, s.PerMonth} }

// VariationsLimit is how many requests one agreement may have.
func (s Settings) VariationsLimit() int { return cmp.Or(s.Variations, expand.DefaultLimit) }

// LogPath is where a session with the setting "log" writes.
func (s Settings) LogPath() string { return filepath.Join(s.StateDir, "darkroom.log") }

// maxShown is how much of a value a problem shows, in bytes.
const maxShown = api.MaxErrorText / 4

// problem records what could not be read.
func (s *reader) problem(kind api.Sentence, args ...any) {
	if len(s.Problems)-s.stops < mostProblems {
		s.Problems = append(s.Problems, s.reason(kind, args...))
	}
}

// stop records what stops everything that may spend, before other problems.
func (s *reader) stop(kind api.Sentence, args ...any) {
	if s.stops < mostProblems {
		s.Problems = slices.Insert(s.Problems, s.stops, s.reason(kind, args...))
		s.stops++
	}
}

// reason is one about settings: places have their lines, and API keys are hidden.
func (s *reader) reason(kind api.Sentence, args ...any) api.Reason {
	for i, v := range args {
		switch v := v.(type) {
		case string:
			args[i] = api.Clean(api.HideKeys(v), maxShown)
		case place:
			name := api.Clean(api.HideKeys(strings.Join(v, ".")), maxShown)
			if args[i] = api.Sentence("%v in %v").Reason(name, s.ConfigFile); s.source.line(v) > 0 {
				args[i] = api.Sentence("line %v, %v in %v").Reason(s.source.line(v), name, s.ConfigFile)
			}
		}
	}
	return kind.Reason(args...)
}

const (
	keyVariable  = variables + "API_KEY"
	baseVariable = variables + "BASE_URL"
)

// The parts of an address in which people put passwords and keys.
var (
	afterPath  = api.Pattern(`(?s)([?#]).+`)
	beforeHost = api.Pattern(`(?s)^(.*?://)?.*@`)
)

// WhyBase says why the service's address cannot be used.
const WhyBase = api.Sentence("%v cannot be used: %v")

// setBase keeps an address that cannot be used, without its secrets, so that it is
// shown and never replaced in silence by one of lower rank.
func (s *reader) setBase(name any, v string) {
	s.BaseURL, s.BaseFrom = v, "file"
	if name == baseVariable {
		s.BaseFrom = "environment"
	}
	if _, err := api.ParseBase(v); err != nil {
		v = afterPath().ReplaceAllString(v, "${1}xxxxx")
		s.BaseURL = api.HideKeys(beforeHost().ReplaceAllString(v, "${1}xxxxx@"))
		s.problem(WhyBase, name, err)
	}
}

// credits reads an amount: a number of the file, or the text of a variable. In place
// of one that cannot be read stands unread.
func (s *reader) credits(into *api.Credits, unread api.Credits, why api.Sentence) func(at, v any) {
	return func(at, v any) {
		text, _ := v.(string)
		switch v := v.(type) {
		case int64:
			text = strconv.FormatInt(v, 10)
		case float64:
			if text = strconv.FormatFloat(v, 'f', -1, 64); v == 0 { // or too little for a float64: as it was written
				_, text, _ = strings.Cut(strings.Split(s.source.text, "\n")[s.source.line(at.(place))-1], "=")
				text, _, _ = strings.Cut(strings.ReplaceAll(text, "_", ""), "#")
			}
		}
		var err error
		if *into, err = api.ParseLimit(text); err != nil {
			*into = unread
			s.problem(why, at)
		}
	}
}

func (s *reader) setCredit(at any, v string) {
	amount, name, _ := strings.Cut(v, " ")
	each, err := api.ParseLimit(amount)
	if name = api.Clean(strings.TrimSpace(name), 16).String(); err != nil || each == 0 || name == "" {
		s.problem("%v is not an amount and the name of a currency, so it is not used: write it like 0.01 EUR", at)
		return
	}
	s.Credit = api.Money{Each: each, Currency: name}
}

func (s *reader) setDownloads(name any, v string) {
	if rest, ok := strings.CutPrefix(filepath.ToSlash(v), "~/"); ok && s.home != "" {
		v = filepath.Join(s.home, rest)
	}
	if !filepath.IsAbs(v) {
		s.problem("%v is not an absolute folder, so results go to %v: give the full path", name, s.Downloads)
		return
	}
	s.Downloads = filepath.Clean(v)
}

func (s *reader) setVariations(at, v any) {
	if n, ok := v.(int64); ok && n >= 1 && n <= expand.MaxRequests {
		s.Variations = int(n)
	} else {
		s.wrong("%v is not a whole number from %v to %v", at, v, 1, expand.MaxRequests)
	}
}

// setTimeScale needs the base URL: a scaled clock would break a real service's limits.
func (s *reader) setTimeScale(_ any, v string) {
	f, err := strconv.ParseFloat(v, 64)
	base, unread := api.ParseBase(s.BaseURL)
	switch {
	case err != nil || math.IsNaN(f) || f <= 0 || f > 1e6:
		s.problem("DARKROOM_TIME_SCALE is not a number above 0: 1 is used")
	case unread != nil || !api.LoopbackHost(base.Hostname()):
		s.problem("DARKROOM_TIME_SCALE is only obeyed when the service is on this machine: 1 is used")
	default:
		s.TimeScale = f
	}
}

const (
	namesEnd     = "-{id}-{n}" // tells the results of all jobs apart, and is how a file is found again
	maxNamesText = 40          // bytes that a pattern adds to its placeholders
)

// plainName is what may stand between the placeholders.
var plainName = api.Pattern(`^[\pL\p{Nd}_.-]*$`)

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
		s.problem("%v is not a pattern of names, so the usual names are used: write letters, digits, - _ . and the words "+
			"{date} {time} {title} {kind} {model} {seed}, and %v at the end", where, namesEnd)
		return
	}
	s.Names = v
}

// row is a setting, or a name in a table of the settings file.
type row struct {
	name     string          // in the settings file; "": it is not there
	variable string          // of the environment, which goes before the file; "": there is none
	read     func(at, v any) // takes a value: of the file at a place, of a variable a text at its name
}

const whyNoBudget = "%v is not an amount of credits, and nothing can be sent without one: write a number such as 500, or 0 for no budget"

// rows are all settings; what a later one depends on comes first.
func (s *reader) rows() []row {
	return []row{
		{name: "base_url", variable: baseVariable, read: s.given(s.setBase)},
		{name: "budget", variable: "DARKROOM_BUDGET", read: s.credits(&s.Budget, api.BudgetUnreadable, whyNoBudget)},
		{name: "budget_month", variable: "DARKROOM_BUDGET_MONTH", read: s.credits(&s.PerMonth, api.BudgetUnreadable, whyNoBudget)},
		{name: "credit", variable: "DARKROOM_CREDIT", read: s.given(s.setCredit)},
		{name: "downloads", variable: "DARKROOM_DOWNLOADS", read: s.text(s.setDownloads)},
		{name: "opener", variable: "DARKROOM_OPENER", read: s.program(&s.Opener,
			"%v is not an absolute path, so the system's program opens results: give the full path, such as /usr/bin/xdg-open")},
		{name: "player", read: s.program(&s.Player,
			"%v is not an absolute path, so videos are opened like images: give the full path, such as /usr/bin/mpv")},
		{name: "names", read: s.given(s.setNames)},
		{name: "lang", variable: "DARKROOM_LANG", read: s.choice(&s.Lang, "en", "zh")},
		{name: "on_done", read: s.choice(&s.OnDone, "open", "preview", "nothing")},
		{name: "after_send", read: s.choice(&s.AfterSend, "create", "jobs")},
		{name: "variations_limit", read: s.setVariations},
		{name: "upload", read: s.setUpload},
		{name: "recipes", read: s.flag(&s.Recipes)},
		{name: "progress", read: s.flag(&s.Progress)},
		{name: "motion", read: s.flag(&s.Motion)},
		{name: "log", read: s.flag(&s.Log)},
		{name: "pictures", read: s.choice(&s.Pictures, "auto", "kitty", "sixel", "blocks", "off")},
		{name: "profile", read: s.readProfile},
		{name: "theme", read: s.readTheme},
		{name: "keys", read: s.readKeys},
		{name: "agents", read: s.readAgents},
		{name: "command", read: tables(s, &s.Commands, s.command)}, // their keys must be free
		{name: "hook", read: tables(s, &s.Hooks, s.hook)},
		{variable: "DARKROOM_TIME_SCALE", read: s.text(s.setTimeScale)}, // against a real service it is not obeyed
	}
}

// Names are those of all settings of the file, each with its variable, if it has one.
func Names() [][2]string {
	return api.Pick((&reader{}).rows(), func(r row) ([2]string, bool) { return [2]string{r.name, r.variable}, r.name != "" })
}

// fields reads a table by its rows.
func (s *reader) fields(at place, v any, rows []row) {
	table, _ := v.(map[string]any)
	for _, row := range rows {
		if v, ok := table[row.name]; ok {
			row.read(at.in(row.name), v)
		}
	}
	for _, name := range sorted(table) {
		if !slices.ContainsFunc(rows, func(r row) bool { return r.name == name }) {
			s.unknown(at.in(name), rows)
		}
	}
}

// table is fields, and says why if the value is not a table.
func (s *reader) table(at, v any, why api.Sentence, rows []row) {
	if _, ok := v.(map[string]any); !ok {
		s.wrong(why, at, v)
	}
	s.fields(at.(place), v, rows)
}

// wrong says that a value is not of its kind. Names in it stop what may spend.
func (s *reader) wrong(why api.Sentence, at, v any, args ...any) {
	switch args = append([]any{at}, args...); v.(type) {
	case map[string]any, []map[string]any:
		s.stop(why, args...)
	default:
		s.problem(why, args...)
	}
}

// text hands on a text without the blanks around it.
func (s *reader) text(set func(at any, v string)) func(at, v any) {
	return func(at, v any) {
		if t, ok := v.(string); ok {
			set(at, strings.TrimSpace(t))
		} else {
			s.wrong("%v is not a text in quotes", at, v)
		}
	}
}

// given is text; an empty one sets nothing.
func (s *reader) given(set func(at any, v string)) func(at, v any) {
	return s.text(func(at any, v string) {
		if v != "" {
			set(at, v)
		}
	})
}

func (s *reader) choice(into *string, words ...string) func(at, v any) {
	return func(at, v any) {
		t, _ := v.(string)
		switch all := strings.Join(words, ", "); {
		case slices.Contains(words, t):
			*into = t
		case *into == "":
			s.wrong("%v is not one of %v: it is not used", at, v, all)
		default:
			s.wrong("%v is not one of %v: %v is used", at, v, all, *into)
		}
	}
}

func (s *reader) flag(into *bool) func(at, v any) {
	return func(at, v any) {
		if b, ok := v.(bool); ok {
			*into = b
		} else {
			s.wrong("%v is not true or false", at, v)
		}
	}
}

func (s *reader) program(into *string, why api.Sentence) func(at, v any) {
	return s.given(func(at any, v string) {
		if filepath.IsAbs(v) {
			*into = filepath.Clean(v)
		} else {
			s.problem(why, at)
		}
	})
}

// findFolders sets the person's own folders, each absolute, and reports whether
// there are any: those of XDG, whose relative values its specification ignores,
// else the ones that macOS and Windows have for the same ends.
func (s *reader) findFolders(env func(string) string, system string) bool {
	s.home = absolute(env("HOME"))
	var config, data, state, cache string
	switch system {
	case "darwin":
		config = under(s.home, "Library", "Application Support")
		data, state = config, config
		cache = under(s.home, "Library", "Caches")
	case "windows":
		config, data = absolute(env("APPDATA")), absolute(env("LOCALAPPDATA"))
		state, cache = data, under(data, "cache")
	default:
		config = under(s.home, ".config")
		data = under(s.home, ".local", "share")
		state = under(s.home, ".local", "state")
		cache = under(s.home, ".cache")
	}
	config = cmp.Or(absolute(env("XDG_CONFIG_HOME")), config)
	s.ConfigFile = under(config, "darkroom", "config.toml")
	s.DataDir = under(cmp.Or(absolute(env("XDG_DATA_HOME")), data), "darkroom")
	s.StateDir = under(cmp.Or(absolute(env("XDG_STATE_HOME")), state), "darkroom")
	s.CacheDir = under(cmp.Or(absolute(env("XDG_CACHE_HOME")), cache), "darkroom")
	s.Downloads = filepath.Join(s.DataDir, "results")
	pictures := absolute(env("XDG_PICTURES_DIR"))
	text, _ := ReadText(filepath.Join(config, "user-dirs.dirs"), 64<<10)
	if line := picturesLine().FindStringSubmatch(text); line != nil && pictures == "" {
		pictures = absolute(strings.ReplaceAll(line[1], "$HOME", cmp.Or(s.home, "$HOME")))
	}
	if info, err := os.Stat(under(s.home, "Pictures")); pictures == "" && err == nil && info.IsDir() {
		pictures = under(s.home, "Pictures")
	}
	if pictures != "" && pictures != s.home { // the home folder itself means: none
		s.Downloads = filepath.Join(pictures, "darkroom")
	}
	return s.ConfigFile != "" && s.DataDir != "" && s.StateDir != ""
}

// picturesLine is a line of user-dirs.dirs, such as XDG_PICTURES_DIR="$HOME/Pictures".
var picturesLine = api.Pattern(`(?m)^\s*XDG_PICTURES_DIR="*([^"\r\n]*)`)

func absolute(p string) string {
	if !filepath.IsAbs(p) {
		return ""
	}
	return filepath.Clean(p)
}

// under is a path below a folder, or "" where there is none.
func under(home string, parts ...string) string {
	return absolute(filepath.Join(home, filepath.Join(parts...)))
}

// breaks is set by the linker alone (-X darkroom/state/settings.breaks=yes), for
// a binary that breaks where a test wants it to.
var breaks string

var crashes sync.Map // of *atomic.Int64, the calls at a place

// CrashAt panics at the call that DARKROOM_CRASH names, as in "update@3", with the
// key in the panic's value. In a binary that is not linked for it, it does nothing.
func CrashAt(place string) {
	if breaks == "" {
		return
	}
	n, _ := crashes.LoadOrStore(place, new(atomic.Int64))
	if os.Getenv(variables+"CRASH") == fmt.Sprintf("%s@%d", place, n.(*atomic.Int64).Add(1)) {
		panic("a crash on purpose with " + os.Getenv(keyVariable))
	}
}
