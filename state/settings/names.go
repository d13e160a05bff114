package settings

import (
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
	has, above := api.Map(rows, func(r row) string { return r.name }), []string(nil)
	for _, row := range s.rows() {
		if !slices.Contains([]string{"profile", "theme", "keys", "agents", "command", "hook"}, row.name) {
			above = append(above, row.name)
		}
	}
	switch near, over := api.Near(name, has), api.Near(name, above); {
	case last > 0 && len(over) > 0 && (len(near) == 0 || over[0] == name):
		s.stop("%v is not a setting, so nothing can be sent: write %v above all lines such as [theme]", at, over[0])
	case last > 0 && len(rows) < 4:
		s.stop("%v is not a setting, so nothing can be sent: %v has %v", at, at[0], strings.Join(has, ", "))
	case at[0] == "keys":
		s.stop("%v is not an action, so nothing can be sent: %v", at, hint(near, at[:last], "keys"))
	default:
		s.stop("%v is not a setting, so nothing can be sent: %v", at, hint(near, at[:last], "settings"))
	}
}

// hint names what a name below a place is most likely meant as, else the page of help that lists all.
func hint(near []string, at place, page string) api.Reason {
	if len(near) > 0 {
		return api.Sentence("the nearest one is %v").Reason(strings.Join(at.in(near[0]), "."))
	}
	return api.Sentence("'darkroom help %v' lists them").Reason(page)
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
	names := []string{"API_KEY"}
	for _, row := range s.rows() {
		if row.variable != "" {
			names = append(names, row.variable[len(variables):])
		}
	}
	if breaks != "" {
		names = append(names, crashVariable[len(variables):])
	}
	for name := range strings.SplitSeq(env(variables), "\x00") {
		if name != "" && !slices.Contains(names, strings.TrimPrefix(name, variables)) && !s.old(name, name) {
			near := api.Map(api.Near(name[len(variables):], names), func(name string) string { return variables + name })
			s.stop("%v is not a variable of darkroom, so nothing can be sent: %v", name, hint(near, nil, "environment"))
		}
	}
}
