package settings

import (
	"darkroom/api"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"darkroom/api/expand"
)

// maxSettingsFile bounds config.toml, in bytes.
const maxSettingsFile = 256 << 10

// readFile applies config.toml, if there is one.
func (s *Settings) readFile(home string) {
	text, err := readSettingsText(s.ConfigFile)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var values map[string]any
	if err == nil {
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
}

// applySetting takes one key of the file. The names here are all there are.
func (s *Settings) applySetting(name string, v any, home string) {
	switch name {
	case "base_url":
		if t, ok := s.text(name, v); ok && t != "" {
			s.setBase("file", s.where(name), t)
		}
	case "budget":
		s.setBudget(s.where(name), numberText(v))
	case "downloads":
		if t, ok := s.text(name, v); ok {
			s.setDownloads(s.where(name), t, home)
		}
	case "opener":
		if t, ok := s.text(name, v); ok && t != "" {
			s.setOpener(s.where(name), t)
		}
	case "player":
		if t, ok := s.text(name, v); ok && t != "" {
			s.setPlayer(s.where(name), t)
		}
	case "names":
		if t, ok := s.text(name, v); ok && t != "" {
			s.setNames(s.where(name), t)
		}
	case "lang":
		if t, ok := s.text(name, v); ok {
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
	case "progress":
		s.flag(name, v, &s.Progress)
	case "upload":
		s.setUpload(s.where(name), v)
	case "log":
		s.flag(name, v, &s.Log)
	case "keys":
		s.readKeys(v)
	case "variations_limit":
		s.number(name, v, &s.Variations, 1, expand.Most)
	case "profile":
		s.readProfile(v)
	default:
		s.problem(whyUnknown, s.where(name))
	}
}

func (s *Settings) flag(name string, v any, to *bool) {
	if b, ok := v.(bool); ok {
		*to = b
	} else {
		s.problem(whyNotBool, s.where(name))
	}
}

func (s *Settings) number(name string, v any, to *int, least, most int64) {
	if n, ok := v.(int64); ok && n >= least && n <= most {
		*to = int(n)
	} else {
		s.problem(whyNotNumber, s.where(name), least, most)
	}
}

// setUpload takes the words of a command, one of which holds {file}.
func (s *Settings) setUpload(where api.Reason, v any) {
	list, _ := v.([]any)
	var words []string
	file := false
	for _, one := range list {
		word, ok := one.(string)
		if !ok || word == "" && len(words) == 0 {
			words = nil
			break
		}
		file = file || strings.Contains(word, "{file}")
		words = append(words, word)
	}
	if len(words) < 2 || !file || strings.Contains(words[0], "{file}") {
		s.problem(whyUpload, where)
		return
	}
	s.Upload = words
}

func (s *Settings) where(name string) api.Reason {
	return whyIn.Reason(api.Clean(api.HideKeys(name), mostShown), s.ConfigFile)
}

func (s *Settings) text(name string, v any) (string, bool) {
	t, ok := v.(string)
	if !ok {
		s.problem(whyNotText, s.where(name))
	}
	return strings.TrimSpace(t), ok
}

func (s *Settings) choose(name string, v any, into *string, words ...string) {
	if t, ok := v.(string); ok && slices.Contains(words, t) {
		*into = t
		return
	}
	s.problem(whyNoneOf, s.where(name), strings.Join(words, ", "), *into)
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

var baseLine = regexp.MustCompile(`^[ \t]*(base_url|"base_url"|'base_url')[ \t]*=`)

// SaveBaseURL writes base_url into the settings file and changes no other byte
// of it. The file is replaced as a whole or not at all; a file that
// cannot be read as TOML is not touched.
func SaveBaseURL(configFile, base string) error {
	target := configFile
	if real, err := filepath.EvalSymlinks(configFile); err == nil {
		target = real // a linked file stays a link
	}
	old, err := readSettingsText(target)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return whyFileRead.Fault(err, configFile, err)
	}
	text := withBaseURL(old, base)
	if err := sameBut(old, text, base); err != nil {
		return whyByHand.Fault(err, configFile, err)
	}
	if text == old {
		return nil
	}
	if err := replaceFile(target, text); err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err // the path is that of a file which is gone by now
		}
		return whyFileWrite.Fault(err, configFile, err)
	}
	return nil
}

// withBaseURL replaces the line that sets base_url, or puts one first, where
// it cannot fall into a table.
func withBaseURL(text, base string) string {
	line := "base_url = " + strconv.Quote(base)
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(strings.TrimSpace(l), "[") {
			break
		}
		if baseLine.MatchString(l) {
			end := l[len(strings.TrimRight(l, "\r\n")):]
			lines[i] = line + end
			return strings.Join(lines, "")
		}
	}
	return line + "\n" + text
}

// sameBut makes sure that only base_url differs between two files. It catches
// what editing by line cannot see, such as a value over several lines.
func sameBut(old, text, base string) error {
	var before, after map[string]any
	if err := toml.Unmarshal([]byte(old), &before); err != nil {
		return &api.Fault{Reason: tomlReason(err), Cause: err}
	}
	if err := toml.Unmarshal([]byte(text), &after); err != nil {
		return &api.Fault{Reason: tomlReason(err), Cause: err}
	}
	if after["base_url"] != base {
		return whyUnusual.Fault(nil)
	}
	delete(before, "base_url")
	delete(after, "base_url")
	if len(before)+len(after) > 0 && !reflect.DeepEqual(before, after) {
		return whyLayout.Fault(nil)
	}
	return nil
}

// replaceFile writes beside the file, syncs, and renames over it.
func replaceFile(path, text string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".config-*.toml") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // of no effect after the rename
	if info, err := os.Stat(path); err == nil {
		_ = f.Chmod(info.Mode().Perm()) // the person's choice; ours is as tight as can be
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync() // not every system can sync a folder
		d.Close()
	}
	return nil
}
