package action

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Rebind gives the actions of a table the keys that were set for their names,
// once for each action. keysOf says which keys an action has then, from those
// that were set and its usual ones.
func Rebind(table []Action, set map[string][]string, keysOf func(set, usual []string) []string) {
	var lost, first map[string]string // by a usual key: the action that has it no more, and its first new key
	for i := range table {
		a := &table[i]
		keys, ok := set[a.Name]
		if !ok || a.rebound {
			continue
		}
		if lost == nil {
			lost, first = map[string]string{}, map[string]string{}
		}
		usual := a.Keys
		a.Keys = withShifted(keysOf(keys, usual))
		a.Display, a.bound, a.rebound = "", false, true
		for _, k := range usual {
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
