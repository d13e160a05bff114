package settings

import (
	"cmp"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"darkroom/api"
)

// Ways are what a person sets by hand of a service, as its specification is open.
// An empty one is not set.
//
//	[profile]                                # of whatever service is used
//	tools_path = "/api/v1/mcp"
//
//	[profile."https://api.example.com"]      # of this one alone
//	estimate = "POST"
type Ways struct {
	ToolsPath string // tools_path: a path under the base URL, or a whole address at its host
	Estimate  string // estimate: "GET" or "POST"
	JobID     string // job_id: dotted path of the id in the answer to a create
	Ratio     string // ratio: "ratio" or "aspect_ratio", for every model
	Answers   string // answers: AnswersJob or AnswersResult
}

// What a create answers with.
const (
	AnswersJob    = "job"    // a job that is polled
	AnswersResult = "result" // the result itself, however long that takes
)

// WaysFor gives the ways set by hand for a service.
func (s Settings) WaysFor(base string) Ways {
	return cmp.Or(s.WaysOf[base], s.Ways) // one of them begins with these
}

// readProfile takes [profile], whose tables are those of services.
func (s *reader) readProfile(at, v any) {
	s.WaysOf = map[string]Ways{}
	rows := append(s.ways(&s.Ways), tablesIn(v, func(name string, at place, v any) {
		base, err := api.ParseBase(name)
		if err != nil {
			s.stop("%v is not the address of a service, so nothing can be sent: %v", at, err)
			return
		}
		w := s.WaysFor(base.String())
		s.fields(at, v, s.ways(&w))
		s.WaysOf[base.String()] = w
	})...)
	s.table(at, v, "%v is not a table: write [profile] on a line of its own, and the keys below it", rows)
}

// tablesIn are the tables in a table as rows, which read takes.
func tablesIn(v any, read func(name string, at place, v any)) []row {
	all, _ := v.(map[string]any)
	return api.Pick(sorted(all), func(name string) (row, bool) {
		_, is := all[name].(map[string]any)
		return row{name: name, read: func(at, v any) { read(name, at.(place), v) }}, is
	})
}

func (s *reader) ways(w *Ways) []row {
	return []row{
		{name: "tools_path", read: s.given(func(_ any, v string) { w.ToolsPath = v })}, // read against the base URL when it is used
		{name: "estimate", read: s.given(func(at any, v string) { s.choice(&w.Estimate, "GET", "POST")(at, strings.ToUpper(v)) })},
		{name: "job_id", read: s.given(func(at any, v string) {
			if err := api.CheckJobIDPath(v); err != nil {
				s.problem("%v is not used: %v", at, err)
				return
			}
			w.JobID = v
		})},
		{name: "ratio", read: s.choice(&w.Ratio, api.FieldRatio, api.FieldAspectRatio)},
		{name: "answers", read: s.choice(&w.Answers, AnswersJob, AnswersResult)},
	}
}

// ListRatio lists the ratio of the models under the name that a person set.
func (w Ways) ListRatio(models []api.Model) []api.Model {
	models = slices.Clone(models)
	if w.Ratio == "" {
		return models
	}
	for i, m := range models {
		ratio, _ := m.Parameter(api.FieldAspectRatio)
		ratio.Name = w.Ratio
		listed := slices.DeleteFunc(slices.Clone(m.Parameters), func(p api.Parameter) bool {
			return p.Name == api.FieldRatio || p.Name == api.FieldAspectRatio
		})
		models[i].Parameters = append(listed, ratio)
	}
	return models
}

// Profile is what a service showed, and what a person set in its place.
type Profile struct {
	Base string `json:"base"`
	Seen Seen   `json:"seen"`
	Set  Ways   `json:"-"`
	// Ratios are the listed models by the name of the field for the ratio, or "".
	Ratios map[string][]string `json:"-"`
}

// Seen is what a service showed. It is kept in the store by base URL.
type Seen struct {
	ToolsPath   string    `json:"tools_path,omitempty"`   // escaped, from the origin's root
	Estimate    string    `json:"estimate,omitempty"`     // the method that was answered: "GET" or "POST"
	JobID       string    `json:"job_id,omitempty"`       // dotted path of the id in the last answer to a create
	Answers     string    `json:"answers,omitempty"`      // to a create with async true: AnswersJob or AnswersResult
	AnswersSync string    `json:"answers_sync,omitempty"` // the same with async false
	MorePages   bool      `json:"more_pages,omitempty"`   // the last listing named a further page
	At          time.Time `json:"at,omitzero"`            // of the last change
}

// Agent is what a person lets an agent do by itself, under [agents.NAME] with the
// name of its entry. Without a table it may ask, and a person sends.
type Agent struct {
	PerJob, PerDay api.Credits // 0: everything waits for a person
	Models         []string    // empty: any
	Paths          bool
}

var entryName = api.Pattern(`^[a-z0-9][a-z0-9_-]{0,31}$`)

// IsEntry reports whether a name can be that of an agent's entry.
func IsEntry(name string) bool { return entryName().MatchString(name) }

// readAgents takes [agents], whose tables are those of entries.
func (s *reader) readAgents(at, v any) {
	s.Agents = map[string]Agent{}
	rows := append([]row{{name: "yes", read: s.flag(&s.AgentsYes)}}, tablesIn(v, s.readAgent)...)
	s.table(at, v, "%v is not a table: write [agents] or [agents.NAME] on a line of its own, and the keys below it", rows)
}

func (s *reader) readAgent(name string, at place, v any) {
	if !IsEntry(name) {
		s.stop("%v is not the name of an agent's entry, so nothing can be sent: write up to 32 of a-z, 0-9, - and _", at)
		return
	}
	a, bad := Agent{}, len(s.Problems)
	amount := func(into *api.Credits) func(at, v any) {
		return s.credits(into, 0, "%v is not an amount of credits, so this agent can spend nothing by itself: write a number such as 50")
	}
	s.fields(at, v, []row{
		{name: "per_job", read: amount(&a.PerJob)}, {name: "per_day", read: amount(&a.PerDay)},
		{name: "paths", read: s.flag(&a.Paths)}, {name: "models", read: func(at, v any) {
			if a.Models = listOf(v); a.Models == nil {
				s.wrong(`%v is not a list of models, so this agent can spend nothing by itself: write it like ["acme/brush"]`, at, v)
			}
		}},
	})
	if len(s.Problems) > bad { // the one that cannot be read may be the tighter one
		a.PerJob, a.PerDay = 0, 0
	}
	s.Agents[name] = a
}

// Agent is what an entry may do now: nothing by itself while the settings file
// grants something else than what is in force, until Reread has taken it over.
func (c *Current) Agent(entry string) Agent {
	set := c.Get()
	a := set.Agents[entry]
	if c.env == nil || a.PerJob == 0 {
		return a
	}
	fresh, err := Load(c.env)
	unread := fresh.Budget == api.BudgetUnreadable || fresh.PerMonth == api.BudgetUnreadable
	if err != nil || fresh.ConfigFile != set.ConfigFile || unread || !reflect.DeepEqual(fresh.Agents[entry], a) {
		return Agent{}
	}
	return a
}

// Theme is the colours of the screens.
//
//	[theme]
//	name = "slate"
//	accent = "#FF8800"      # own colours, in place of the theme's
//
//	[theme.light]           # on light backgrounds
//	accent = "#884400"
type Theme struct {
	Name       string            // one of ThemeNames, or "" for the first
	Background string            // "dark" or "light", else what the terminal says
	Own        map[string]string // colours by role
	Dark       map[string]string // on dark backgrounds, before Own
	Light      map[string]string // on light ones
}

// ThemeNames are the built-in themes, ThemeRoles what has a colour. A test of
// package ui holds them to those of ui/theme.
var (
	ThemeNames = []string{"amber", "slate", "mono", "contrast"}
	ThemeRoles = []string{"muted", "faint", "accent", "good", "warn", "bad", "run", "fetch", "doubt", "text",
		"border", "selection", "page", "panel", "element", "button"}
)

var hexColour = api.Pattern(`^#(?:[0-9A-Fa-f]{3}){1,2}$`)

func (s *reader) readTheme(at, v any) {
	t := &s.Theme
	s.table(at, v, whyNoTheme, append(s.colours(&t.Own),
		row{name: "name", read: s.choice(&t.Name, ThemeNames...)},
		row{name: "background", read: s.choice(&t.Background, "auto", "dark", "light")},
		row{name: "dark", read: func(at, v any) { s.table(at, v, whyNoTheme, s.colours(&t.Dark)) }},
		row{name: "light", read: func(at, v any) { s.table(at, v, whyNoTheme, s.colours(&t.Light)) }},
	))
}

const whyNoTheme = api.Sentence("%v is not a table: write [theme] on a line of its own, and name and colours below it")

func (s *reader) colours(into *map[string]string) []row {
	return api.Map(ThemeRoles, func(role string) row {
		return row{name: role, read: func(at, v any) {
			text := fmt.Sprint(v)
			if _, err := strconv.ParseUint(text, 10, 8); err != nil && !hexColour().MatchString(text) {
				s.wrong("%v is not a colour, so the theme's is used: write \"#FF8800\", or a number from 0 to 255", at, v)
				return
			}
			if *into == nil {
				*into = map[string]string{}
			}
			(*into)[role] = text
		}}
	})
}

// Command is a person's own command on results.
//
//	[[command]]
//	key = "B"
//	name = "copy to r2"
//	run = ["rclone", "copy", "{file}", "r2:pictures"]
type Command struct {
	Key  string   // "" is none: it is in the list of all actions only
	Name string   // what it is called on screen
	Run  []string // its words
}

// Hook is a person's own command that runs when a job enters a phase.
//
//	[[hook]]
//	on = ["done", "failed"]
//	run = ["notify-send", "darkroom"]
type Hook struct {
	On  []api.Phase
	Run []string
}

// hookPhases are the phases that each word of on stands for.
var hookPhases = map[string][]api.Phase{
	"done":    {api.PhaseDone},
	"failed":  {api.PhaseFailed, api.PhaseRejected, api.PhaseNotSent, api.PhaseExpired, api.PhaseStale},
	"unknown": {api.PhaseUnknown, api.PhaseUnread},
	"held":    {api.PhaseHeld},
}

// MaxCommands is how many commands there can be, and how many hooks.
const MaxCommands = 9

// What a command's words can hold.
const (
	FilePlace = "{file}" // the path of a result's file
	IDPlace   = "{id}"   // darkroom's own id of its job

	maxName = 60 // bytes
)

// tables reads a list of tables, of which those count that read can use.
func tables[T any](s *reader, into *[]T, read func(at place, table map[string]any) (T, bool)) func(at, v any) {
	return func(at, v any) {
		tables, ok := v.([]map[string]any)
		if !ok {
			s.wrong("%v is not a list of tables: write [[%v]] on a line of its own, and its keys below it", at, v, at.(place)[0])
		}
		for i, table := range tables {
			at := at.(place).in(strconv.Itoa(i + 1))
			if i == MaxCommands {
				s.problem("%v is one too many: there can be %v", at, MaxCommands)
			}
			if one, ok := read(at, table); ok && i < MaxCommands {
				*into = append(*into, one)
			}
		}
	}
}

// hook reads a table; without words to run and events there is none.
func (s *reader) hook(at place, table map[string]any) (h Hook, ok bool) {
	s.fields(at, table, []row{
		{name: "on", read: func(_, v any) {
			for _, word := range listOf(v) {
				if h.On = append(h.On, hookPhases[word]...); hookPhases[word] == nil {
					h.On = nil
					break
				}
			}
		}},
		{name: "run", read: func(_, v any) { h.Run = listOf(v) }},
	})
	switch {
	case h.On == nil:
		s.wrong(`%v is not a list of events: write some of done, failed, unknown and held, such as ["done", "failed"]`, at.in("on"), table["on"])
	case h.Run == nil || h.Run[0] == "":
		s.wrong(`%v is not a command: write its words in a list, such as ["notify-send", "darkroom"]`, at.in("run"), table["run"])
	default:
		return h, true
	}
	return h, false
}

// command reads a table; without words to run there is none.
func (s *reader) command(at place, table map[string]any) (c Command, ok bool) {
	s.fields(at, table, []row{
		{name: "run", read: func(_, v any) { c.Run = commandWords(v, FilePlace, IDPlace) }},
		{name: "name", read: s.text(func(_ any, v string) { c.Name = v })},
		{name: "key", read: s.given(func(at any, v string) { c.Key = s.commandKey(at, v) })},
	})
	if c.Run == nil {
		s.wrong(`%v is not a command: write its words in a list, one of them {file} or {id}, such as ["rclone", "copy", "{file}", "r2:"]`,
			at.in("run"), table["run"])
		return c, false
	}
	c.Name = api.Clean(cmp.Or(c.Name, filepath.Base(c.Run[0])), maxName).String()
	return c, true
}

// commandKey is the key of a command, or "".
func (s *reader) commandKey(at any, given string) string {
	key, ok := KeyName(given)
	by := ""
	for _, place := range []string{"compare", "create", "full_screen", "jobs"} {
		by = cmp.Or(by, keyHolder(s.Keys, Action{Place: place}, key))
	}
	if i := slices.IndexFunc(s.Commands, func(c Command) bool { return c.Key == key }); i >= 0 {
		by = s.Commands[i].Name
	}
	switch {
	case !ok:
		s.problem("%v: %v is not a key, so the command has none: write it like B, alt+b or f5", at, given)
	case ReservedKey(key):
		s.problem("%v: %v is reserved and cannot be bound, so the command has no key", at, key)
	case by != "":
		s.problem("%v: %v is already the key of %v where results are shown, so the command has none: choose another key, "+
			"or give that action one under [keys]", at, key, by)
	default:
		return key
	}
	return ""
}

func (s *reader) setUpload(at, v any) {
	if s.Upload = commandWords(v, FilePlace); s.Upload == nil {
		s.wrong(`%v is not a command: write its words in a list, one of them {file}, such as ["rclone", "copyto", "{file}", "r2:{file}"]`, at, v)
	}
}

// commandWords are the words of a command: one of them, not the program, holds one
// of the places. It is nil when they are none.
func commandWords(v any, places ...string) (words []string) {
	words = listOf(v)
	holds := func(word string) bool {
		return slices.ContainsFunc(places, func(place string) bool { return strings.Contains(word, place) })
	}
	if len(words) == 0 || words[0] == "" || holds(words[0]) || !slices.ContainsFunc(words, holds) {
		return nil
	}
	return words
}

// listOf is a list of texts, or nil when it is none.
func listOf(v any) (words []string) {
	list, _ := v.([]any)
	for _, one := range list {
		word, ok := one.(string)
		if !ok || strings.ContainsRune(word, 0) {
			return nil
		}
		words = append(words, word)
	}
	return words
}
