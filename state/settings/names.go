package settings

import (
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"darkroom/api"
)

// A name that is not known could be a misspelled budget, or say something else
// that was to protect: it stops everything that may spend until it is corrected
// or taken out.

// earlier are the names that an earlier version knew, each with what to use
// instead: of settings by their path, such as "keys.old_action", and of
// variables. They are said and stop nothing.
var earlier = map[string]api.ReasonKind{
	"recipes_inside": api.Declare("earlier_recipes_inside", "the recipe stands in a file of its own next to the result"),
}

// checkNames takes every name that is not known out of a table of the settings
// file and the tables in it, and says so.
func (s *reader) checkNames(v any, path ...string) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			at := append(slices.Clone(path), name)
			if s.known(at, v[name]) {
				s.checkNames(v[name], at...)
			} else {
				delete(v, name)
			}
		}
	case []map[string]any:
		for i, one := range v {
			s.checkNames(one, append(slices.Clone(path), strconv.Itoa(i+1))...)
		}
	}
}

// known reports whether a setting exists at that path, and says so if not.
func (s *reader) known(path []string, v any) bool {
	last := len(path) - 1
	name, names := path[last], namesIn(path[:last])
	if _, table := v.(map[string]any); table && last == 1 && path[0] == "profile" {
		if _, err := api.ParseBase(name); err != nil {
			s.stop(whyNotService, s.where(path...), err)
			return false
		}
		return true
	}
	if slices.Contains(names, name) {
		return true
	}
	if instead, ok := earlier[strings.Join(path, ".")]; ok {
		s.said = append(s.said, whyEarlier.Reason(s.where(path...), instead.Reason()))
		return false
	}
	switch at := s.where(path...); {
	case last > 0 && slices.Contains(namesIn(nil), name):
		s.stop(whyMisplaced, at, name)
	case path[0] == "keys" && len(names) > 0:
		s.stop(whyKeyAction, at, nearest(name, names))
	case len(names) > 0:
		s.stop(whyUnknown, at, strings.Join(append(slices.Clone(path[:last]), nearest(name, names)), "."))
	default:
		s.stop(whyUnknown, at, nearest(name, namesIn(nil)))
	}
	return false
}

// namesIn are the names that a table of the file may hold; none of what is not
// a table.
func namesIn(table []string) []string {
	if len(table) > 0 {
		if row := rowNamed(table[0]); row != nil && row.names != nil {
			return row.names(table[1:])
		}
		return nil
	}
	var names []string
	for _, row := range rows() {
		if row.name != "" {
			names = append(names, row.name)
		}
	}
	return names
}

// variables begins the names of this program's variables. Given as a name to
// Getenv, it stands for the names of all that are set.
const variables = "DARKROOM_"

// Getenv is os.Getenv; for "DARKROOM_" alone it gives the names of all
// variables that begin so and are not blank, with a NUL between them.
func Getenv(name string) string {
	if name != variables {
		return os.Getenv(name)
	}
	var names []string
	for _, one := range os.Environ() {
		name, value, _ := strings.Cut(one, "=")
		if strings.TrimSpace(value) != "" && len(name) > len(variables) && strings.EqualFold(name[:len(variables)], variables) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, "\x00")
}

// Variables are the names of the variables that darkroom reads.
func Variables() []string {
	names := []string{keyVariable}
	for _, row := range rows() {
		if row.variable != "" {
			names = append(names, row.variable)
		}
	}
	return names
}

// checkVariables says which variables are not known.
func (s *reader) checkVariables(env func(string) string) {
	set, names := env(variables), Variables()
	if set == "" {
		return
	}
	for name := range strings.SplitSeq(set, "\x00") {
		instead, old := earlier[name]
		switch {
		case slices.Contains(names, name), breaks != "" && name == crashVariable:
		case old:
			s.said = append(s.said, whyEarlier.Reason(name, instead.Reason()))
		default:
			s.stop(whyVariable, name, nearest(name, names))
		}
	}
}

// nearest is the name that takes the fewest changes of a letter to come from
// the one that was given.
func nearest(given string, names []string) string {
	changes := func(name string) int { return distance(strings.ToLower(given), strings.ToLower(name)) }
	return slices.MinFunc(names, func(a, b string) int { return changes(a) - changes(b) })
}

// distance is Levenshtein's, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before, row[j+1] = row[j+1], min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
