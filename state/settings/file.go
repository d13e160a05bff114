package settings

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"darkroom/api"

	"github.com/BurntSushi/toml"

	"darkroom/api/expand"
)

// maxSettingsFile bounds config.toml, in bytes.
const maxSettingsFile = 256 << 10

// readFile applies config.toml, if there is one.
func (s *reader) readFile(home string) {
	text, err := readSettingsText(s.ConfigFile)
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
	for _, name := range slices.Sorted(maps.Keys(values)) {
		s.applySetting(name, values[name], home)
	}
	s.bindCommands()
}

// applySetting takes one key of the file. The names here are all there are.
func (s *reader) applySetting(name string, v any, home string) {
	switch name {
	case "base_url":
		if t, ok := s.words(v, name); ok && t != "" {
			s.setBase("file", s.where(name), t)
		}
	case "budget":
		s.setBudget(s.where(name), numberText(v))
	case "downloads":
		if t, ok := s.words(v, name); ok {
			s.setDownloads(s.where(name), t, home)
		}
	case "opener":
		if t, ok := s.words(v, name); ok && t != "" {
			s.setProgram(&s.Opener, whyOpener, s.where(name), t)
		}
	case "player":
		if t, ok := s.words(v, name); ok && t != "" {
			s.setProgram(&s.Player, whyPlayer, s.where(name), t)
		}
	case "names":
		if t, ok := s.words(v, name); ok && t != "" {
			s.setNames(s.where(name), t)
		}
	case "lang":
		if t, ok := s.words(v, name); ok {
			s.setLang(s.where(name), t)
		}
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

func readSettingsText(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSettingsFile+1))
	if err != nil {
		return "", err
	}
	if len(b) > maxSettingsFile {
		return "", whyTooLarge.Fault(nil, maxSettingsFile>>10)
	}
	return string(b), nil
}
