package settings

import (
	"slices"
	"strconv"

	"darkroom/api"
)

// Theme is how the screens are coloured.
//
//	[theme]
//	name = "slate"
//	accent = "#FF8800"      # own colours, in place of the theme's
//
//	[theme.light]           # on light backgrounds
//	accent = "#884400"
type Theme struct {
	Name       string            // one of ThemeNames, or "" for the first
	Background string            // "dark" or "light", or "" for what the terminal says
	Own        map[string]string // colours by role
	Dark       map[string]string // on dark backgrounds, before Own
	Light      map[string]string // on light ones
}

// ThemeNames are the built-in themes, and ThemeRoles what has a colour. A test
// of package ui holds them to those of ui/theme.
var (
	ThemeNames = []string{"amber", "slate", "mono", "contrast"}
	ThemeRoles = []string{"muted", "faint", "accent", "good", "warn", "bad", "run", "fetch", "doubt", "border", "selection"}
)

var hexColour = api.Pattern(`^#(?:[0-9A-Fa-f]{3}){1,2}$`)

// readTheme takes the table [theme].
func (s *reader) readTheme(at, v any) {
	table, t := s.table(whyThemeTable, at, v), &s.Theme
	take := func(key string, read func(at place, v any)) {
		if v, ok := table[key]; ok {
			read(place{"theme", key}, v)
			delete(table, key)
		}
	}
	take("name", func(at place, v any) { s.oneOf(at, v, &t.Name, ThemeNames...) })
	take("background", func(at place, v any) { s.oneOf(at, v, &t.Background, "auto", "dark", "light") })
	take("dark", func(at place, v any) { t.Dark = s.colours(at, v) })
	take("light", func(at place, v any) { t.Light = s.colours(at, v) })
	t.Own = s.colours(place{"theme"}, table)
	if t.Background == "auto" {
		t.Background = ""
	}
}

// colours takes the colours of a table; nil when there is none.
func (s *reader) colours(at place, v any) map[string]string {
	table := s.table(whyThemeTable, at, v)
	var colours map[string]string
	for _, role := range sorted(table) {
		if !slices.Contains(ThemeRoles, role) {
			s.unknown(at.in(role), append([]string{"name", "background"}, ThemeRoles...)...)
			continue
		}
		given := table[role]
		if n, ok := given.(int64); ok {
			given = strconv.FormatInt(n, 10)
		}
		text, _ := given.(string)
		if n, err := strconv.ParseUint(text, 10, 8); err == nil {
			text = strconv.FormatUint(n, 10)
		} else if !hexColour().MatchString(text) {
			s.wrong(whyThemeColour, at.in(role), given)
			continue
		}
		if colours == nil {
			colours = map[string]string{}
		}
		colours[role] = text
	}
	return colours
}
