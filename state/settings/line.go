package settings

import (
	"slices"
	"strconv"
	"strings"

	"darkroom/api"
)

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
