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

// in is the place of a key below p.
func (p place) in(keys ...string) place { return slices.Concat(p, keys) }

const whyUnread = api.Sentence("%v cannot be read, so its settings are ignored and nothing is sent: %v")

// readFile applies config.toml, if there is one.
func (s *reader) readFile() {
	text, err := readText(s.ConfigFile, maxSettingsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var values map[string]any
	if err == nil {
		s.source = parse(text)
		err = toml.Unmarshal([]byte(text), &values)
	}
	if err != nil {
		// The file may name a budget that cannot be seen now.
		s.Budget = api.BudgetUnreadable
		s.problem(whyUnread, s.ConfigFile, tomlReason(err))
		return
	}
	s.fields(nil, values, s.rows())
}

// sorted are the keys of a table in order.
func sorted[V any](table map[string]V) []string { return slices.Sorted(maps.Keys(table)) }

// where names a setting of the file by its place, with its line.
func (s *reader) where(at place) api.Reason {
	name := api.Clean(api.HideKeys(strings.Join(at, ".")), maxShown)
	if line := s.source.line(at); line > 0 {
		return api.Sentence("line %v, %v in %v").Reason(line, name, s.ConfigFile)
	}
	return api.Sentence("%v in %v").Reason(name, s.ConfigFile)
}

func tomlReason(err error) api.Reason {
	var p toml.ParseError
	if errors.As(err, &p) {
		return api.Sentence("line %v: %v").Reason(p.Position.Line, api.HideKeys(p.Message))
	}
	return api.ReasonOf(err)
}

// commandHead begins a table of the list "command".
var commandHead = api.Pattern(`(?m)^\s*\[\[\s*command\s*\]\]`)

// source is the text of a settings file, taken apart to find lines in it.
type source struct {
	text   string
	values map[string]toml.Primitive
	md     toml.MetaData
}

func parse(text string) (s source) {
	s.text = text
	s.md, _ = toml.Decode(text, &s.values)
	return s
}

// line is the one, counted from 1, that sets the value or begins the table at a
// place; 0 when there is none.
func (s source) line(at place) int {
	if len(at) > 1 && at[0] == "command" { // of a list the library knows the lines of the last table
		n, _ := strconv.Atoi(at[1])
		if heads := commandHead().FindAllStringIndex(s.text, -1); n < len(heads) {
			s = parse(s.text[:heads[n][0]])
		}
		at = at[:1].in(at[2:]...)
	}
	values, md := s.values, &s.md
	last := len(at) - 1
	for _, key := range at[:last] {
		var list []map[string]toml.Primitive
		v := values[key]
		values = nil
		if _ = md.PrimitiveDecode(v, &values); md.PrimitiveDecode(v, &list) == nil && len(list) > 0 {
			values = list[len(list)-1]
		}
	}
	var found toml.ParseError
	errors.As(md.PrimitiveDecode(values[at[last]], new(refused)), &found)
	return found.Position.Line
}

// refused is a value that the library refuses to read, naming its line.
type refused struct{}

func (*refused) UnmarshalTOML(any) error { return errors.ErrUnsupported }
