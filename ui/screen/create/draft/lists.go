package draft

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/ui/form"
)

// completeList gives the lists whose names begin as the text ends: after __.
func (d *Draft) completeList(before string) (int, []form.Option) {
	begun, ok := expand.Begun(before)
	if !ok {
		return 0, nil
	}
	var out []form.Option
	for _, name := range slices.Sorted(maps.Keys(d.Lists)) {
		if strings.HasPrefix(strings.ToLower(name), strings.ToLower(begun)) {
			out = append(out, form.Option{Value: "__" + name + "__", Label: api.Clean(name, 40).String(), Note: listNote(d.Lists[name])})
		}
	}
	return utf8.RuneCountInString(begun) + 2, out
}

// listNote is how many entries a list has, and the first of them.
func listNote(entries []string) string {
	text := api.Clean(strings.Join(entries[:min(len(entries), 4)], ", "), 40).String()
	return strconv.Itoa(len(entries)) + " · " + text
}
