package settings

import (
	_ "embed"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// actionList names every action of the screens with its usual keys. It is
// written from the tables of the screens by a test of package ui (-update).
//
//go:embed actions.txt
var actionList string

// Everywhere is the place of the actions that work on every screen.
const Everywhere = "everywhere"

// Action is an action of the screens whose keys can be set.
type Action struct {
	Place string // the screen or overlay, or Everywhere
	Name  string
	Keys  []string // the usual ones
}

// Actions are all actions of the screens, by place.
var Actions = sync.OnceValue(func() []Action {
	var all []Action
	for line := range strings.Lines(actionList) {
		if words := strings.Fields(line); len(words) > 1 && words[0] != "#" {
			all = append(all, Action{Place: words[0], Name: words[1], Keys: words[2:]})
		}
	}
	return all
})

// reservedKeys can be neither bound nor taken from the actions that have them:
// some are other keys to a terminal (ctrl+i is tab), others lead out of every
// place.
var reservedKeys = []string{"ctrl+c", "ctrl+q", "ctrl+z", "ctrl+i", "ctrl+m", "ctrl+j", "ctrl+h", "ctrl+[", "esc", "enter", "tab"}

// ReservedKey reports whether a key is one that cannot be bound.
func ReservedKey(key string) bool { return slices.Contains(reservedKeys, key) }

// namedKeys are the keys that write nothing and have a name.
var namedKeys = []string{
	"enter", "tab", "esc", "space", "backspace", "delete", "insert", "up", "down", "left", "right",
	"home", "end", "pgup", "pgdown", "begin", "find", "select", "menu", "pause", "printscreen",
}

// keyModifiers are in the order in which terminals' keys are named.
var keyModifiers = []string{"ctrl", "alt", "shift", "meta", "hyper", "super"}

// KeyName writes a key the one way that the tables compare: modifiers in their
// order, shift and a letter as the capital letter. It reports false when there
// is no such key.
func KeyName(given string) (string, bool) {
	parts := strings.Split(given, "+")
	base := parts[len(parts)-1]
	mods := parts[:len(parts)-1]
	if base == "" && len(mods) > 0 && mods[len(mods)-1] == "" { // the key + itself
		base, mods = "+", mods[:len(mods)-1]
	}
	has := map[string]bool{}
	for _, m := range mods {
		m = strings.ToLower(m)
		if !slices.Contains(keyModifiers, m) || has[m] {
			return "", false
		}
		has[m] = true
	}
	if base == " " {
		base = "space"
	}
	r, n := utf8.DecodeRuneInString(base)
	switch single := n == len(base) && n > 0; {
	case single && (r == utf8.RuneError || !unicode.IsGraphic(r) || unicode.IsSpace(r)):
		return "", false
	case single && len(has) > 0 && unicode.IsUpper(r):
		base, has["shift"] = string(unicode.ToLower(r)), true
	case !single:
		base = strings.ToLower(base)
		if !slices.Contains(namedKeys, base) && !functionKey(base) {
			return "", false
		}
	}
	if letter, n := utf8.DecodeRuneInString(base); len(has) == 1 && has["shift"] && n == len(base) {
		return string(unicode.ToUpper(letter)), unicode.IsLetter(letter) // other keys with shift have signs of their own
	}
	var name strings.Builder
	for _, m := range keyModifiers {
		if has[m] {
			name.WriteString(m + "+")
		}
	}
	return name.String() + base, true
}

// functionKey reports whether a key is one of f1 to f63.
func functionKey(s string) bool {
	n, err := strconv.Atoi(strings.TrimPrefix(s, "f"))
	return err == nil && n >= 1 && n <= 63 && s == "f"+strconv.Itoa(n)
}

// actionNames are the keys of the table [keys].
func actionNames(path []string) (names []string) {
	if len(path) > 0 {
		return nil
	}
	for _, a := range Actions() {
		names = append(names, a.Name)
	}
	return names
}

// readKeys takes the table [keys]: actions by name, each with a key or a list
// of keys. A setting that cannot be used leaves the action its usual keys.
func (s *reader) readKeys(table map[string]any) {
	keys := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if list, ok := s.keysOf(name, table[name]); ok {
			keys[name] = list
		}
	}
	s.refuseTaken(keys)
	if len(keys) > 0 {
		s.Keys = keys
	}
}

func (s *reader) keysOf(name string, v any) ([]string, bool) {
	where, usual := s.where("keys", name), usualKeys(name)
	if one, ok := v.(string); ok {
		v = []any{one}
	}
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		s.problem(whyKeyList, where)
		return nil, false
	}
	var keys []string
	for _, one := range list {
		given, _ := one.(string)
		key, ok := KeyName(given)
		switch {
		case !ok:
			s.problem(whyKeyName, where, given)
			return nil, false
		case ReservedKey(key) && !slices.Contains(usual, key):
			s.problem(whyKeyReserved, where, key)
			return nil, false
		case !slices.Contains(keys, key):
			keys = append(keys, key)
		}
	}
	return keys, true
}

// usualKeys are all keys that actions of that name have anywhere.
func usualKeys(name string) (keys []string) {
	for _, a := range Actions() {
		if a.Name == name {
			keys = append(keys, a.Keys...)
		}
	}
	return keys
}

// refuseTaken takes out of keys the actions whose new key is that of another
// action in the same place. It goes on until none is left, because an action
// that keeps its usual keys may need one that was given away.
func (s *reader) refuseTaken(keys map[string][]string) {
	for again := true; again; {
		again = false
		for _, name := range slices.Sorted(maps.Keys(keys)) {
			if key, by := takenKey(keys, name); by != "" {
				s.problem(whyKeyTaken, s.where("keys", name), key, by)
				delete(keys, name)
				again = true
			}
		}
	}
}

// takenKey finds a key that an action is to get although another action of the
// same place, or one that works everywhere, has it, and that other action.
func takenKey(keys map[string][]string, name string) (key, by string) {
	for _, a := range Actions() {
		if a.Name != name {
			continue
		}
		for _, other := range Actions() {
			if other.Name == name || other.Place != a.Place && other.Place != Everywhere && a.Place != Everywhere {
				continue
			}
			for _, k := range keys[name] {
				if slices.Contains(keysInForce(keys, other), k) && !(has(a.Keys, k) && has(other.Keys, k)) {
					return k, other.Name
				}
			}
		}
	}
	return "", ""
}

func keysInForce(keys map[string][]string, a Action) []string {
	set, ok := keys[a.Name]
	if !ok {
		return canonical(a.Keys)
	}
	return KeysOf(set, a.Keys)
}

func has(keys []string, key string) bool { return slices.Contains(canonical(keys), key) }

func canonical(keys []string) []string {
	out := make([]string, 0, len(keys))
	for _, k := range keys {
		if name, ok := KeyName(k); ok {
			k = name
		}
		out = append(out, k)
	}
	return out
}

// KeysOf are an action's keys: those that were set, and of its usual ones those
// that are reserved.
func KeysOf(set, usual []string) []string {
	free := slices.DeleteFunc(slices.Clone(set), ReservedKey)
	return append(free, slices.DeleteFunc(slices.Clone(usual), func(k string) bool { return !ReservedKey(k) })...)
}
