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
)

// maxSettingsFile bounds config.toml, in bytes.
const maxSettingsFile = 256 << 10

// place is the path of keys to a value of the settings file. In an array of
// tables each has its number, counted from 1, as a key.
type place []string

// in is the place of a key of the table at p.
func (p place) in(key string) place { return append(slices.Clone(p), key) }

// readFile applies config.toml, if there is one.
func (s *reader) readFile() {
	text, err := readText(s.ConfigFile, maxSettingsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var values map[string]any
	if err == nil {
		s.source = text
		err = toml.Unmarshal([]byte(text), &values)
	}
	if err != nil {
		// The file may name a budget that cannot be seen now.
		s.Budget = budgetUnreadable
		s.problem(whyUnread, s.ConfigFile, tomlReason(err))
		return
	}
	for _, row := range s.rows() {
		if v, ok := values[row.name]; ok {
			row.read(place{row.name}, v)
			delete(values, row.name)
		}
	}
	for _, name := range sorted(values) {
		s.unknown(place{name})
	}
	s.bindCommands()
}

// sorted are the keys of a table in order.
func sorted(table map[string]any) []string { return slices.Sorted(maps.Keys(table)) }

// where names a setting of the file by its place, with its line.
func (s *reader) where(at place) api.Reason {
	name := api.Clean(api.HideKeys(strings.Join(at, ".")), maxShown)
	if line := lineOf(s.source, at); line > 0 {
		return whyAt.Reason(line, name, s.ConfigFile)
	}
	return whyIn.Reason(name, s.ConfigFile)
}

func tomlReason(err error) api.Reason {
	var p toml.ParseError
	if errors.As(err, &p) {
		return whyLine.Reason(p.Position.Line, api.HideKeys(p.Message))
	}
	return api.ReasonOf(err)
}

// lineOf is the line of a settings file, counted from 1, that sets the value or
// begins the table at a place; 0 when there is none. It looks at each line for
// itself: within a text of several lines it can be wrong.
func lineOf(text string, at place) int {
	var table place
	tables, n := map[string]int{}, 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		header := strings.HasPrefix(line, "[")
		if key, _, ok := strings.Cut(line, "="); ok && !header {
			line = key + "=0"
		}
		key := keyOf(line)
		if key == nil {
			continue
		}
		found := append(slices.Clone(table), key...)
		if header {
			table = key
			if strings.HasPrefix(line, "[[") {
				tables[line]++
				table = key.in(strconv.Itoa(tables[line]))
			}
			found = table
		}
		if slices.Equal(found, at) {
			return n
		}
	}
	return 0
}

// keyOf is the key that a line of TOML sets, or the table that it begins; nil
// when it does neither.
func keyOf(line string) (key place) {
	var values map[string]any
	if toml.Unmarshal([]byte(line), &values) != nil {
		return nil
	}
	for len(values) == 1 {
		for name, v := range values {
			key = append(key, name)
			values, _ = v.(map[string]any)
		}
	}
	return key
}
