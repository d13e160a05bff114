package settings

import (
	"path/filepath"
	"slices"
	"strings"

	"darkroom/api"
)

// row is a setting, or a name in one of the tables of the settings file.
type row struct {
	name     string // in the settings file; "": it is not there
	variable string // of the environment, which goes before the file; "": there is none
	// read takes a value. That of a variable is a text, and at its name; that
	// of the file is at a place.
	read func(at, v any)
}

// rows are all settings, in the order in which they are read: what a later one
// depends on comes first.
func (s *reader) rows() []row {
	return []row{
		{name: "base_url", variable: baseVariable, read: s.given(s.setBase)},
		{name: "budget", variable: "DARKROOM_BUDGET", read: s.setBudget},
		{name: "downloads", variable: "DARKROOM_DOWNLOADS", read: s.text(s.setDownloads)},
		{name: "opener", variable: "DARKROOM_OPENER", read: s.program(&s.Opener,
			"%v is not an absolute path, so the system's program opens results: give the whole path, such as /usr/bin/xdg-open")},
		{name: "player", read: s.program(&s.Player,
			"%v is not an absolute path, so videos are opened like images: give the whole path, such as /usr/bin/mpv")},
		{name: "names", read: s.given(s.setNames)},
		{name: "lang", variable: "DARKROOM_LANG", read: s.text(s.setLang)},
		{name: "on_done", read: s.choice(&s.OnDone, "open", "preview", "nothing")},
		{name: "after_send", read: s.choice(&s.AfterSend, "create", "jobs")},
		{name: "variations_limit", read: s.setVariations},
		{name: "upload", read: s.setUpload},
		{name: "recipes", read: s.flag(&s.Recipes)},
		{name: "progress", read: s.flag(&s.Progress)},
		{name: "log", read: s.flag(&s.Log)},
		{name: "pictures", read: s.choice(&s.Pictures, "auto", "kitty", "sixel", "blocks", "off")},
		{name: "profile", read: s.readProfile},
		{name: "theme", read: s.readTheme},
		{name: "keys", read: s.readKeys},
		{name: "command", read: s.readCommands},                         // their keys must be free
		{variable: "DARKROOM_TIME_SCALE", read: s.text(s.setTimeScale)}, // against a real service it is not obeyed
	}
}

// fields reads a table by its rows. A name without a row is not known.
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

// table reads a table, and says why when a value is not one.
func (s *reader) table(at, v any, why api.Sentence, rows []row) {
	if _, ok := v.(map[string]any); !ok {
		s.wrong(why, at, v)
	}
	s.fields(at.(place), v, rows)
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

// text reads a text without the blanks around it.
func (s *reader) text(set func(at any, v string)) func(at, v any) {
	return func(at, v any) {
		if t, ok := v.(string); ok {
			set(at, strings.TrimSpace(t))
		} else {
			s.wrong("%v is not a text in quotes", at, v)
		}
	}
}

// given reads a text; an empty one sets nothing.
func (s *reader) given(set func(at any, v string)) func(at, v any) {
	return s.text(func(at any, v string) {
		if v != "" {
			set(at, v)
		}
	})
}

// choice reads one of some words.
func (s *reader) choice(into *string, words ...string) func(at, v any) {
	return func(at, v any) {
		t, _ := v.(string)
		switch all := strings.Join(words, ", "); {
		case slices.Contains(words, t):
			*into = t
		case *into == "":
			s.wrong("%v is none of %v: it is not used", at, v, all)
		default:
			s.wrong("%v is none of %v: %v is used", at, v, all, *into)
		}
	}
}

// flag reads true or false.
func (s *reader) flag(into *bool) func(at, v any) {
	return func(at, v any) {
		if b, ok := v.(bool); ok {
			*into = b
		} else {
			s.wrong("%v is not true or false", at, v)
		}
	}
}

// program reads the absolute path of a program.
func (s *reader) program(into *string, why api.Sentence) func(at, v any) {
	return s.given(func(at any, v string) {
		if filepath.IsAbs(v) {
			*into = filepath.Clean(v)
		} else {
			s.problem(why, at)
		}
	})
}
