package settings

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"darkroom/api"
	"darkroom/api/expand"
)

// row is a setting.
type row struct {
	name     string // in the settings file; "": it is not there
	variable string // of the environment, which goes before the file; "": there is none
	value    any    // when it is not set; nil leaves the zero value
	// read takes a value, which is a text when it is that of a variable.
	read func(s *reader, at, v any)
	// names are those that a table may hold, or a table in it to which a path
	// of keys leads.
	names func(path []string) []string
}

// rows are all settings, in the order in which they are read: what a later one
// depends on comes first.
var rows = sync.OnceValue(func() []row {
	return []row{
		{name: "base_url", variable: "DARKROOM_BASE_URL", read: unlessEmpty((*reader).setBase)},
		{name: "budget", variable: "DARKROOM_BUDGET", read: func(s *reader, at, v any) { s.setBudget(at, numberText(v)) }},
		{name: "downloads", variable: "DARKROOM_DOWNLOADS", read: text((*reader).setDownloads)},
		{name: "opener", variable: "DARKROOM_OPENER", read: program(whyOpener, func(s *Settings) *string { return &s.Opener })},
		{name: "player", read: program(whyPlayer, func(s *Settings) *string { return &s.Player })},
		{name: "names", read: unlessEmpty((*reader).setNames)},
		{name: "lang", variable: "DARKROOM_LANG", read: text((*reader).setLang)},
		{name: "on_done", value: "preview", read: choice(func(s *Settings) *string { return &s.OnDone }, "open", "preview", "nothing")},
		{name: "after_send", value: "create", read: choice(func(s *Settings) *string { return &s.AfterSend }, "create", "jobs")},
		{name: "variations_limit", read: number(func(s *Settings) *int { return &s.Variations }, 1, expand.Most)},
		{name: "upload", read: (*reader).setUpload},
		{name: "recipes", value: true, read: flag(func(s *Settings) *bool { return &s.Recipes })},
		{name: "progress", value: true, read: flag(func(s *Settings) *bool { return &s.Progress })},
		{name: "log", read: flag(func(s *Settings) *bool { return &s.Log })},
		{name: "pictures", value: "auto", read: choice(func(s *Settings) *string { return &s.Pictures }, "auto", "kitty", "sixel", "blocks", "off")},
		{name: "profile", read: table(whyNotTable, (*reader).readProfile), names: profileNames},
		{name: "theme", read: table(whyThemeTable, (*reader).readTheme), names: themeNames},
		{name: "keys", read: table(whyKeysTable, (*reader).readKeys), names: actionNames},
		{name: "command", read: (*reader).readCommands, names: commandNames},
		{variable: "DARKROOM_TIME_SCALE", read: text((*reader).setTimeScale)}, // against a real service it is not obeyed
	}
})

// rowNamed is the setting of that name in the file, or nil.
func rowNamed(name string) *row {
	i := slices.IndexFunc(rows(), func(r row) bool { return r.name == name && name != "" })
	if i < 0 {
		return nil
	}
	return &rows()[i]
}

// text reads a text without the blanks around it.
func text(set func(s *reader, at any, v string)) func(s *reader, at, v any) {
	return func(s *reader, at, v any) {
		if t, ok := s.words(at, v); ok {
			set(s, at, t)
		}
	}
}

// unlessEmpty reads a text; an empty one sets nothing.
func unlessEmpty(set func(s *reader, at any, v string)) func(s *reader, at, v any) {
	return text(func(s *reader, at any, v string) {
		if v != "" {
			set(s, at, v)
		}
	})
}

// table reads a table.
func table(why api.ReasonKind, read func(s *reader, v map[string]any)) func(s *reader, at, v any) {
	return func(s *reader, at, v any) {
		if t, ok := v.(map[string]any); ok {
			read(s, t)
		} else {
			s.problem(why, at)
		}
	}
}

// choice reads one of some words.
func choice(into func(*Settings) *string, words ...string) func(s *reader, at, v any) {
	return func(s *reader, at, v any) { s.oneOf(at, v, into(&s.Settings), words...) }
}

// flag reads true or false.
func flag(into func(*Settings) *bool) func(s *reader, at, v any) {
	return func(s *reader, at, v any) {
		if b, ok := v.(bool); ok {
			*into(&s.Settings) = b
		} else {
			s.problem(whyNotBool, at)
		}
	}
}

// number reads a whole number.
func number(into func(*Settings) *int, least, most int64) func(s *reader, at, v any) {
	return func(s *reader, at, v any) {
		if n, ok := v.(int64); ok && n >= least && n <= most {
			*into(&s.Settings) = int(n)
		} else {
			s.problem(whyNotNumber, at, least, most)
		}
	}
}

// program reads the absolute path of a program.
func program(why api.ReasonKind, into func(*Settings) *string) func(s *reader, at, v any) {
	return unlessEmpty(func(s *reader, at any, v string) {
		if filepath.IsAbs(v) {
			*into(&s.Settings) = filepath.Clean(v)
		} else {
			s.problem(why, at)
		}
	})
}

// words takes a text without the blanks around it.
func (s *reader) words(at, v any) (string, bool) {
	t, ok := v.(string)
	if !ok {
		s.problem(whyNotText, at)
	}
	return strings.TrimSpace(t), ok
}

// oneOf takes one of some words.
func (s *reader) oneOf(at, v any, into *string, words ...string) {
	t, _ := v.(string)
	switch all := strings.Join(words, ", "); {
	case slices.Contains(words, t):
		*into = t
	case *into == "":
		s.problem(whyNoneUsed, at, all)
	default:
		s.problem(whyNoneOf, at, all, *into)
	}
}

// numberText writes a TOML number as the decimal that was meant; anything else
// becomes a text that is not a number.
func numberText(v any) string {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case string:
		return strings.TrimSpace(v)
	}
	return "?"
}
