package settings

import (
	"strings"

	"darkroom/api"
)

// The end of every name tells the results of all jobs apart, and is how a file
// is found again.
const namesEnd = "-{id}-{n}"

// maxNamesText bounds what a pattern adds to its placeholders, in bytes.
const maxNamesText = 40

// placeholder is a part of a pattern that each result fills in.
var placeholder = api.Pattern(`\{(date|time|title|kind|model|seed)\}`)

// plainName is what may stand between the placeholders.
var plainName = api.Pattern(`^[\pL\p{Nd}_.-]*$`)

// setNames takes the pattern of the names of result files.
func (s *reader) setNames(where any, v string) {
	rest, ok := strings.CutSuffix(v, namesEnd)
	if !ok {
		s.problem(whyNamesEnd, where, namesEnd)
		return
	}
	used := map[string]bool{}
	for _, p := range placeholder().FindAllString(rest, -1) {
		if used[p] {
			s.problem(whyNamesTwice, where, p)
			return
		}
		used[p] = true
	}
	plain := placeholder().ReplaceAllString(rest, "")
	if !plainName().MatchString(plain) || len(plain) > maxNamesText || strings.HasPrefix(v, ".") {
		s.problem(whyNames, where, namesEnd)
		return
	}
	s.Names = v
}
