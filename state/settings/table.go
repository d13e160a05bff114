package settings

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"darkroom/api"
	"darkroom/api/expand"
)

// row is a setting.
type row struct {
	name     string // in the settings file; "": it is not there
	variable string // of the environment, which goes before the file; "": there is none
	value    any    // when it is not set; nil leaves the zero value
	// read takes a value. That of a variable is a text, and at its name; that
	// of the file is at a place.
	read func(s *reader, at, v any)
}

// rows are all settings, in the order in which they are read: what a later one
// depends on comes first.
func rows() []row {
	return []row{
		{name: "base_url", variable: baseVariable, read: unlessEmpty((*reader).setBase)},
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
		{name: "profile", read: (*reader).readProfile},
		{name: "theme", read: (*reader).readTheme},
		{name: "keys", read: (*reader).readKeys},
		{name: "command", read: (*reader).readCommands},
		{variable: "DARKROOM_TIME_SCALE", read: text((*reader).setTimeScale)}, // against a real service it is not obeyed
	}
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

// table takes a table.
func (s *reader) table(why api.ReasonKind, at, v any) map[string]any {
	t, ok := v.(map[string]any)
	if !ok {
		s.wrong(why, at, v)
	}
	return t
}

// wrong says that a value is not of the kind that it should be. One with names
// in it stops what may spend, as these are not known.
func (s *reader) wrong(why api.ReasonKind, at, v any, args ...any) {
	switch args = append([]any{at}, args...); v.(type) {
	case map[string]any, []map[string]any:
		s.stop(why, args...)
	default:
		s.problem(why, args...)
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
			s.wrong(whyNotBool, at, v)
		}
	}
}

// number reads a whole number.
func number(into func(*Settings) *int, least, most int64) func(s *reader, at, v any) {
	return func(s *reader, at, v any) {
		if n, ok := v.(int64); ok && n >= least && n <= most {
			*into(&s.Settings) = int(n)
		} else {
			s.wrong(whyNotNumber, at, v, least, most)
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
		s.wrong(whyNotText, at, v)
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
		s.wrong(whyNoneUsed, at, v, all)
	default:
		s.wrong(whyNoneOf, at, v, all, *into)
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
