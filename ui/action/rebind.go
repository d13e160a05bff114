package action

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Binding is what the settings say of an action; an own command has its label there.
type Binding struct {
	Keys  []string
	Label string
}

type defaults struct {
	keys           []string
	display, label string
}

// Rebind gives the actions of a table the keys of the settings, once for each version;
// what these say nothing of gets its default keys back. keysOf says which keys an
// action has, from those that were set and its default ones.
func Rebind(table []Action, version int64, set map[string]Binding, keysOf func(set, defaults []string) []string) {
	version++
	var lost, first map[string]string // by a default key: the action that has it no more, and its first new key
	for i := range table {
		a := &table[i]
		if a.rebound == version {
			continue
		}
		if a.rebound == 0 {
			a.defaults = defaults{a.Keys.List(), a.Display, a.Label}
		}
		a.setKeys(a.defaults.keys, a.defaults.display)
		a.rebound = version
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
		keys := withShifted(keysOf(b.Keys, a.defaults.keys))
		a.setKeys(keys, "")
		for _, k := range a.defaults.keys {
			if !slices.Contains(keys, k) {
				lost[k], first[k] = a.Name, keys[0]
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

func (a *Action) setKeys(keys []string, display string) {
	a.Keys, a.Display = Keys(strings.Join(keys, " ")), display
}

// redisplay corrects a Display that names keys which other actions have lost.
func redisplay(a *Action, lost, first map[string]string) {
	if a.Keys == "" { // it shows the key of another action
		a.Display = cmp.Or(first[a.Display], a.Display)
		return
	}
	shown := a.shown()
	if len(shown) > 1 && slices.ContainsFunc(shown, func(k string) bool { return lost[k] != "" }) {
		a.Display = ""
	}
}

// withShifted adds the other name that some terminals have for a capital letter.
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
