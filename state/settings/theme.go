package settings

import (
	"fmt"
	"strconv"

	"darkroom/api"
)

// Theme is the colours of the screens.
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

// ThemeNames are the built-in themes, ThemeRoles what has a colour. A test of
// package ui holds them to those of ui/theme.
var (
	ThemeNames = []string{"amber", "slate", "mono", "contrast"}
	ThemeRoles = []string{"muted", "faint", "accent", "good", "warn", "bad", "run", "fetch", "doubt", "text",
		"border", "selection", "page", "panel", "element", "button"}
)

var hexColour = api.Pattern(`^#(?:[0-9A-Fa-f]{3}){1,2}$`)

func (s *reader) readTheme(at, v any) {
	t := &s.Theme
	s.table(at, v, whyNoTheme, append(s.colours(&t.Own),
		row{name: "name", read: s.choice(&t.Name, ThemeNames...)},
		row{name: "background", read: s.choice(&t.Background, "auto", "dark", "light")},
		row{name: "dark", read: func(at, v any) { s.table(at, v, whyNoTheme, s.colours(&t.Dark)) }},
		row{name: "light", read: func(at, v any) { s.table(at, v, whyNoTheme, s.colours(&t.Light)) }},
	))
	if t.Background == "auto" {
		t.Background = ""
	}
}

const whyNoTheme = api.Sentence("%v is not a table: write [theme] on a line of its own, and name and colours below it")

func (s *reader) colours(into *map[string]string) (rows []row) {
	for _, role := range ThemeRoles {
		rows = append(rows, row{name: role, read: func(at, v any) {
			text := fmt.Sprint(v)
			if _, err := strconv.ParseUint(text, 10, 8); err != nil && !hexColour().MatchString(text) {
				s.wrong("%v is not a colour, so the theme's is used: write \"#FF8800\", or a number from 0 to 255", at, v)
				return
			}
			if *into == nil {
				*into = map[string]string{}
			}
			(*into)[role] = text
		}})
	}
	return rows
}
