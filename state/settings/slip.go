package settings

import (
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// takeSlips takes every name that may be a misspelled budget out of a table of the
// settings file and the tables in it, says so, and reports whether there was one. A
// budget below a line such as [theme] belongs to that table and is one, too. A budget
// that is ignored could cost what it was to protect.
func (s *reader) takeSlips(table map[string]any, path []string) (found bool) {
	for _, name := range slices.Sorted(maps.Keys(table)) {
		at := append(slices.Clone(path), name)
		switch v := table[name].(type) {
		case map[string]any:
			found = s.takeSlips(v, at) || found
		case []map[string]any:
			for i, one := range v {
				found = s.takeSlips(one, append(slices.Clone(at), strconv.Itoa(i+1))) || found
			}
		}
		// The keys of a profile can be addresses.
		if len(at) == 1 && name == "budget" || strings.Contains(name, "://") || !likeBudget(name) {
			continue
		}
		found = true
		s.problem(whyBudgetSlip, s.where(at...))
		delete(table, name)
	}
	return found
}

// likeBudget reports whether a name may be meant as budget: one letter is missing,
// changed, added or has changed places with its neighbour, or there is more around
// it, or it speaks of credits.
func likeBudget(name string) bool {
	const budget = "budget"
	name = strings.ToLower(name)
	if strings.Contains(name, budget) || strings.Contains(name, "credit") {
		return true
	}
	same, end := 0, 0 // letters at the beginning and at the end
	for same < min(len(name), len(budget)) && name[same] == budget[same] {
		same++
	}
	for end < min(len(name), len(budget))-same && name[len(name)-1-end] == budget[len(budget)-1-end] {
		end++
	}
	given, meant := name[same:len(name)-end], budget[same:len(budget)-end]
	return len(given) <= 1 && len(meant) <= 1 || len(given) == 2 && len(meant) == 2 && given[0] == meant[1] && given[1] == meant[0]
}

const (
	variables      = "DARKROOM_" // how the names of this program's variables begin
	budgetVariable = variables + "BUDGET"
)

// Getenv is os.Getenv, but DARKROOM_BUDGET, when it is not set, has the name of a
// variable that may be meant as it: that is no amount of credits, so nothing is sent.
func Getenv(name string) string {
	value := os.Getenv(name)
	if name != budgetVariable || strings.TrimSpace(value) != "" {
		return value
	}
	for _, one := range slices.Sorted(slices.Values(os.Environ())) {
		if other, set, _ := strings.Cut(one, "="); strings.TrimSpace(set) != "" && slippedVariable(other) {
			return other
		}
	}
	return ""
}

// slippedVariable reports whether a name may be meant as DARKROOM_BUDGET.
func slippedVariable(name string) bool {
	return len(name) > len(variables) && strings.EqualFold(name[:len(variables)], variables) &&
		name != budgetVariable && likeBudget(name[len(variables):])
}
