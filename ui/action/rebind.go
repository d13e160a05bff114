package action

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Binding is what the settings say of an action: its keys, and for one that has
// no label of its own a label too.
type Binding struct {
	Keys  []string
	Label string
}

// defaults are what an action has before the settings are looked at.
type defaults struct {
	keys           []string
	display, label string
}

// Rebind gives the actions of a table what a version of the settings says of
// their names, once for each version; what it says nothing of gets its default
// keys back. keysOf says which keys an action has, from those that were set and
// its default ones.
func Rebind(table []Action, version int64, set map[string]Binding, keysOf func(set, defaults []string) []string) {
	version++
	var lost, first map[string]string // by a default key: the action that has it no more, and its first new key
	for i := range table {
		a := &table[i]
		if a.rebound == version {
			continue
		}
		if a.rebound == 0 {
			a.defaults = defaults{a.Keys, a.Display, a.Label}
		}
		a.Keys, a.Display, a.rebound = a.defaults.keys, a.defaults.display, version
		b, ok := set[a.Name]
		if a.defaults.label == "" {
			a.Label = b.Label
		}
		if !ok || len(b.Keys) == 0 {
			continue
		}
		if lost == nil {
			lost, first = map[string]string{}, map[string]string{}
		}
		a.Keys, a.Display = withShifted(keysOf(b.Keys, a.defaults.keys)), ""
		for _, k := range a.defaults.keys {
			if !slices.Contains(a.Keys, k) {
				lost[k], first[k] = a.Name, a.Keys[0]
			}
		}
	}
	if lost == nil {
		return
	}
	for i := range table {
		redisplay(&table[i], lost, first)
	}
}

// redisplay corrects what an action shows in place of its first key, when that
// names keys which other actions have lost.
func redisplay(a *Action, lost, first map[string]string) {
	if a.Display == "" {
		return
	}
	if len(a.Keys) == 0 { // it shows the key of another action
		if key, ok := first[a.Display]; ok {
			a.Display = key
		}
		return
	}
	parts := strings.FieldsFunc(a.Display, func(r rune) bool { return r == '/' || r == '–' })
	for _, part := range parts {
		if _, gone := lost[keyOfSign(part)]; gone && len(parts) > 1 {
			a.Display = ""
		}
	}
}

// keyOfSign is the key that an arrow stands for.
func keyOfSign(s string) string {
	switch s {
	case "←":
		return "left"
	case "→":
		return "right"
	case "↑":
		return "up"
	case "↓":
		return "down"
	}
	return s
}

// withShifted adds the other name under which some terminals report a capital
// letter.
func withShifted(keys []string) []string {
	var more []string
	for _, k := range keys {
		mods, base := "", k
		if i := strings.LastIndexByte(k[:len(k)-1], '+'); i >= 0 {
			mods, base = k[:i+1], k[i+1:]
		}
		r, n := utf8.DecodeRuneInString(base)
		if n != len(base) || !unicode.IsLetter(r) {
			continue
		}
		if mods == "" && unicode.IsUpper(r) {
			more = append(more, "shift+"+string(unicode.ToLower(r)))
		}
		if rest, ok := strings.CutSuffix(mods, "shift+"); ok {
			more = append(more, rest+string(unicode.ToUpper(r)))
		}
	}
	return append(keys, more...)
}
