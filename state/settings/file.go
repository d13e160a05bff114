package settings

import (
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"darkroom/api"
)

// maxSettingsFile bounds config.toml, in bytes.
const maxSettingsFile = 256 << 10

// readFile applies config.toml, if there is one.
func (s *reader) readFile() {
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
	s.checkNames(values)
	for _, row := range rows() {
		if v, ok := values[row.name]; ok {
			row.read(s, s.where(row.name), v)
		}
	}
	s.bindCommands()
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
