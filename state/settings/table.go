package settings

import (
	"path/filepath"
	"slices"
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
	read func(at, v any)
}

// rows are all settings, in the order in which they are read: what a later one
// depends on comes first.
func (s *reader) rows() []row {
	return []row{
		{name: "base_url", variable: baseVariable, read: s.text(s.setBase, true)},
		{name: "budget", variable: "DARKROOM_BUDGET", read: s.setBudget},
		{name: "downloads", variable: "DARKROOM_DOWNLOADS", read: s.text(s.setDownloads, false)},
		{name: "opener", variable: "DARKROOM_OPENER", read: s.program(&s.Opener, whyOpener)},
		{name: "player", read: s.program(&s.Player, whyPlayer)},
		{name: "names", read: s.text(s.setNames, true)},
		{name: "lang", variable: "DARKROOM_LANG", read: s.text(s.setLang, false)},
		{name: "on_done", value: "preview", read: s.choice(&s.OnDone, "open", "preview", "nothing")},
		{name: "after_send", value: "create", read: s.choice(&s.AfterSend, "create", "jobs")},
		{name: "variations_limit", read: s.number(&s.Variations, 1, expand.MaxRequests)},
		{name: "upload", read: s.setUpload},
		{name: "recipes", value: true, read: s.flag(&s.Recipes)},
		{name: "progress", value: true, read: s.flag(&s.Progress)},
		{name: "log", read: s.flag(&s.Log)},
		{name: "pictures", value: "auto", read: s.choice(&s.Pictures, "auto", "kitty", "sixel", "blocks", "off")},
		{name: "profile", read: s.readProfile},
		{name: "theme", read: s.readTheme},
		{name: "keys", read: s.readKeys},
		{name: "command", read: s.readCommands},
		{variable: "DARKROOM_TIME_SCALE", read: s.text(s.setTimeScale, false)}, // against a real service it is not obeyed
	}
}

// text reads a text without the blanks around it; an empty one may set nothing.
func (s *reader) text(set func(at any, v string), unlessEmpty bool) func(at, v any) {
	return func(at, v any) {
		if t, ok := s.words(at, v); ok && (t != "" || !unlessEmpty) {
			set(at, t)
		}
	}
}

// table takes a table.
func (s *reader) table(why api.Sentence, at, v any) map[string]any {
	t, ok := v.(map[string]any)
	if !ok {
		s.wrong(why, at, v)
	}
	return t
}

// wrong says that a value is not of the kind that it should be. One with names
// in it stops what may spend, as these are not known.
func (s *reader) wrong(why api.Sentence, at, v any, args ...any) {
	switch args = append([]any{at}, args...); v.(type) {
	case map[string]any, []map[string]any:
		s.stop(why, args...)
	default:
		s.problem(why, args...)
	}
}

// choice reads one of some words.
func (s *reader) choice(into *string, words ...string) func(at, v any) {
	return func(at, v any) { s.oneOf(at, v, into, words...) }
}

// flag reads true or false.
func (s *reader) flag(into *bool) func(at, v any) {
	return func(at, v any) {
		if b, ok := v.(bool); ok {
			*into = b
		} else {
			s.wrong(whyNotBool, at, v)
		}
	}
}

// number reads a whole number.
func (s *reader) number(into *int, least, most int64) func(at, v any) {
	return func(at, v any) {
		if n, ok := v.(int64); ok && n >= least && n <= most {
			*into = int(n)
		} else {
			s.wrong(whyNotNumber, at, v, least, most)
		}
	}
}

// program reads the absolute path of a program.
func (s *reader) program(into *string, why api.Sentence) func(at, v any) {
	return s.text(func(at any, v string) {
		if filepath.IsAbs(v) {
			*into = filepath.Clean(v)
		} else {
			s.problem(why, at)
		}
	}, true)
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
