package settings

import (
	"math"
	"os"
	"slices"
	"strings"

	"darkroom/api"
)

// A name that is not known could be a misspelled budget, or protect otherwise: it
// stops everything that may spend until it is corrected or taken out.

// earlier are the names that an earlier version knew, with what to use instead: of
// settings by their path, such as "keys.old_action", and of variables.
var earlier = map[string]api.Sentence{
	"recipes_inside": api.Sentence("the recipe is in a separate file next to the result"),
}

// unknown says that there is no setting at a place; rows are those of its table.
func (s *reader) unknown(at place, rows []row) {
	if s.old(strings.Join(at, "."), at) {
		return
	}
	last := len(at) - 1
	name := at[last]
	var names, has, above []string
	for _, row := range rows {
		names, has = append(names, strings.Join(at[:last].in(row.name), ".")), append(has, row.name)
	}
	for _, row := range s.rows() {
		if !slices.Contains([]string{"profile", "theme", "keys", "agents", "command", "hook"}, row.name) {
			above = append(above, row.name)
		}
	}
	switch near, over := nearest(name, names), nearest(name, above); {
	case last > 0 && distance(name, over) < min(3, distance(name, near[strings.LastIndexByte(near, '.')+1:])):
		s.stop("%v is not a setting, so nothing can be sent: write %v above all lines such as [theme]", at, over)
	case last > 0 && len(rows) < 4:
		s.stop("%v is not a setting, so nothing can be sent: %v has %v", at, at[0], strings.Join(has, ", "))
	case at[0] == "keys":
		s.stop("%v is not an action, so nothing can be sent: the nearest one is %v", at, near)
	default:
		s.stop("%v is not a setting, so nothing can be sent: the nearest one is %v", at, near)
	}
}

// old reports whether an earlier version knew a name, and says so.
func (s *reader) old(name string, at any) bool {
	instead, ok := earlier[name]
	if ok {
		s.said = append(s.said, s.reason("%v is not used any more: %v", at, instead.Reason()))
	}
	return ok
}

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
		if strings.TrimSpace(value) != "" && strings.HasPrefix(strings.ToUpper(name), variables) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, "\x00")
}

func (s *reader) checkVariables(env func(string) string) {
	names := []string{keyVariable}
	for _, row := range s.rows() {
		if row.variable != "" {
			names = append(names, row.variable)
		}
	}
	if breaks != "" {
		names = append(names, crashVariable)
	}
	for name := range strings.SplitSeq(env(variables), "\x00") {
		if name != "" && !slices.Contains(names, name) && !s.old(name, name) {
			s.stop("%v is not a variable of darkroom, so nothing can be sent: the nearest one is %v", name, nearest(name, names))
		}
	}
}

// nearest is the name whose last part takes the fewest changes of a letter.
func nearest(given string, names []string) (best string) {
	least := math.MaxInt
	for _, name := range names {
		n := distance(strings.ToLower(given), strings.ToLower(name[strings.LastIndexByte(name, '.')+1:]))
		if name != "" && n < least {
			best, least = name, n
		}
	}
	return best
}

// distance is Levenshtein's, in bytes, with a swap of two neighbours as one change.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
			case a[i-1] == b[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j-1], rows[i-1][j], rows[i][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], 1+rows[i-2][j-2])
			}
		}
	}
	return rows[len(a)][len(b)]
}
