package settings

import (
	"maps"
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

// themeNames are the keys of the table [theme] and of those in it.
func themeNames(path []string) []string {
	switch {
	case len(path) == 0:
		return append([]string{"name", "background", "dark", "light"}, ThemeRoles...)
	case len(path) == 1 && (path[0] == "dark" || path[0] == "light"):
		return ThemeRoles
	}
	return nil
}

// readTheme takes the table [theme].
func (s *reader) readTheme(table map[string]any) {
	t, own := &s.Theme, map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		switch v := table[key]; key {
		case "name":
			s.oneOf(s.where("theme", key), v, &t.Name, ThemeNames...)
		case "background":
			s.oneOf(s.where("theme", key), v, &t.Background, "auto", "dark", "light")
		case "dark":
			t.Dark = s.colours(v, "theme", key)
		case "light":
			t.Light = s.colours(v, "theme", key)
		default:
			own[key] = v
		}
	}
	t.Own = s.colours(own, "theme")
	if t.Background == "auto" {
		t.Background = ""
	}
}

// colours takes the colours of a table; nil when there is none.
func (s *reader) colours(v any, path ...string) map[string]string {
	table, ok := v.(map[string]any)
	if !ok {
		s.problem(whyThemeTable, s.where(path...))
		return nil
	}
	var colours map[string]string
	for _, role := range slices.Sorted(maps.Keys(table)) {
		given := table[role]
		if n, ok := given.(int64); ok {
			given = strconv.FormatInt(n, 10)
		}
		text, _ := given.(string)
		if n, err := strconv.ParseUint(text, 10, 8); err == nil {
			text = strconv.FormatUint(n, 10)
		} else if !hexColour().MatchString(text) {
			s.problem(whyThemeColour, s.where(append(slices.Clone(path), role)...))
			continue
		}
		if colours == nil {
			colours = map[string]string{}
		}
		colours[role] = text
	}
	return colours
}
