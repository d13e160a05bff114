package settings

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"darkroom/api"
	"darkroom/api/expand"
)

// maxSettingsFile bounds config.toml, in bytes.
const maxSettingsFile = 256 << 10

// readFile applies config.toml, if there is one. A budget in it, be it misspelled,
// does not count where the environment has one.
func (s *reader) readFile(overruled bool) {
	s.from = "file"
	text, err := readText(s.ConfigFile, maxSettingsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var values map[string]any
	if err == nil {
		s.text = text
		err = toml.Unmarshal([]byte(text), &values)
	}
	if err != nil {
		// The file may name a budget that cannot be seen now.
		s.Budget = budgetUnreadable
		s.problem(whyUnread, s.ConfigFile, tomlReason(err))
		return
	}
	slip := !overruled && s.takeSlips(values, nil)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		s.applySetting(name, values[name])
	}
	if slip {
		s.Budget = budgetUnreadable
	}
	s.bindCommands()
}

// texts are the settings of one text: the key of the file, the variable that goes
// before it, and what takes the text.
var texts = []struct {
	key, variable string
	optional      bool // in the file it may be ""
	set           func(s *reader, at any, v string)
}{
	{"base_url", "DARKROOM_BASE_URL", true, (*reader).setBase},
	{"opener", "DARKROOM_OPENER", true, func(s *reader, at any, v string) { s.setProgram(&s.Opener, whyOpener, at, v) }},
	{"player", "", true, func(s *reader, at any, v string) { s.setProgram(&s.Player, whyPlayer, at, v) }},
	{"names", "", true, (*reader).setNames},
	{"budget", "DARKROOM_BUDGET", false, (*reader).setBudget},
	{"downloads", "DARKROOM_DOWNLOADS", false, (*reader).setDownloads},
	{"lang", "DARKROOM_LANG", false, (*reader).setLang},
	{"", "DARKROOM_TIME_SCALE", false, (*reader).setTimeScale}, // after the base URL
}

// applySetting takes one key of the file. The names here and in texts are all
// there are.
func (s *reader) applySetting(name string, v any) {
	for _, one := range texts {
		if one.key == "" || one.key != name {
			continue
		}
		if name == "budget" { // or a number
			v = numberText(v)
		}
		if t, ok := s.words(v, name); ok && (t != "" || !one.optional) {
			one.set(s, s.where(name), t)
		}
		return
	}
	switch name {
	case "on_done":
		s.choose(name, v, &s.OnDone, "open", "preview", "nothing")
	case "after_send":
		s.choose(name, v, &s.AfterSend, "create", "jobs")
	case "pictures":
		s.choose(name, v, &s.Pictures, "auto", "kitty", "sixel", "blocks", "off")
	case "recipes":
		s.flag(name, v, &s.Recipes)
	case "recipes_inside":
		s.flag(name, v, &s.RecipesInside)
	case "progress":
		s.flag(name, v, &s.Progress)
	case "upload":
		if s.Upload = commandWords(v, FilePlace); s.Upload == nil {
			s.problem(whyUpload, s.where(name))
		}
	case "log":
		s.flag(name, v, &s.Log)
	case "keys":
		s.readKeys(v)
	case "variations_limit":
		s.number(name, v, &s.Variations, 1, expand.Most)
	case "profile":
		s.readProfile(v)
	case "theme":
		s.readTheme(v)
	case "command":
		s.readCommands(v)
	default:
		s.problem(whyUnknown, s.where(name))
	}
}

func (s *reader) flag(name string, v any, to *bool) {
	if b, ok := v.(bool); ok {
		*to = b
	} else {
		s.problem(whyNotBool, s.where(name))
	}
}

func (s *reader) number(name string, v any, to *int, least, most int64) {
	if n, ok := v.(int64); ok && n >= least && n <= most {
		*to = int(n)
	} else {
		s.problem(whyNotNumber, s.where(name), least, most)
	}
}

// where names a setting of the file by its path through the tables, with its
// line.
func (s *reader) where(path ...string) api.Reason {
	name := api.Clean(api.HideKeys(strings.Join(path, ".")), mostShown)
	if line := lineOf(s.text, path); line > 0 {
		return whyAt.Reason(line, name, s.ConfigFile)
	}
	return whyIn.Reason(name, s.ConfigFile)
}

// words takes a text without the blanks around it.
func (s *reader) words(v any, path ...string) (string, bool) {
	t, ok := v.(string)
	if !ok {
		s.problem(whyNotText, s.where(path...))
	}
	return strings.TrimSpace(t), ok
}

func (s *reader) choose(name string, v any, into *string, words ...string) {
	if t, ok := v.(string); ok && slices.Contains(words, t) {
		*into = t
		return
	}
	s.problem(whyNoneOf, s.where(name), strings.Join(words, ", "), *into)
}

// oneOf takes one of some words for a setting that has no usual one.
func (s *reader) oneOf(where api.Reason, v any, into *string, words ...string) {
	if t, ok := v.(string); ok && slices.Contains(words, t) {
		*into = t
		return
	}
	s.problem(whyNoneUsed, where, strings.Join(words, ", "))
}

// numberText writes a TOML number as the decimal that was meant; anything else
// becomes a text that is no number.
func numberText(v any) string {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case string:
		return v
	}
	return "?"
}

func tomlReason(err error) api.Reason {
	var p toml.ParseError
	if errors.As(err, &p) {
		return whyLine.Reason(p.Position.Line, api.HideKeys(p.Message))
	}
	return api.ReasonOf(err)
}

const tomlKeyText = `"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+`

// tomlKey is a part of a key, and keyLine a line that begins a table or sets a
// value.
var (
	tomlKey = api.Pattern(tomlKeyText)
	keyLine = api.Pattern(`^[ \t]*(\[?\[?)[ \t]*((?:` + tomlKeyText + `)(?:[ \t]*\.[ \t]*(?:` + tomlKeyText + `))*)[ \t]*([\]=])`)
)

// lineOf is the line of a settings file, counted from 1, that sets the value or
// begins the table to which a path of keys leads; 0 when there is none. In an
// array of tables each has its number, counted from 1, as a key. It looks at
// each line for itself: within a text of several lines it can be wrong.
func lineOf(text string, path []string) int {
	var table []string
	tables := map[string]int{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		m := keyLine().FindStringSubmatch(line)
		if m == nil || (m[1] == "") != (m[3] == "=") {
			continue
		}
		at := keyParts(m[2])
		switch m[1] {
		case "":
			at = append(slices.Clone(table), at...)
		case "[[":
			tables[m[2]]++
			at = append(at, strconv.Itoa(tables[m[2]]))
			table = at
		default:
			table = at
		}
		if slices.Equal(at, path) {
			return n
		}
	}
	return 0
}

// keyParts takes a dotted key apart.
func keyParts(key string) []string {
	parts := tomlKey().FindAllString(key, -1)
	for i, part := range parts {
		switch part[0] {
		case '"':
			if plain, err := strconv.Unquote(part); err == nil {
				parts[i] = plain
			}
		case '\'':
			parts[i] = part[1 : len(part)-1]
		}
	}
	return parts
}
