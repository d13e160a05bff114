package settings

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// actionList names every action of the screens with its default keys. It is
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
	Keys  []string // the default ones
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
	has := map[string]bool{}
	base := given
	for {
		mod, rest, more := strings.Cut(base, "+")
		mod = strings.ToLower(mod)
		if !more || rest == "" || !slices.Contains(keyModifiers, mod) {
			break
		}
		if has[mod] {
			return "", false
		}
		has[mod], base = true, rest
	}
	if base == " " {
		base = "space"
	}
	r, n := utf8.DecodeRuneInString(base)
	switch {
	case n < len(base):
		base = strings.ToLower(base)
		if !slices.Contains(namedKeys, base) && !functionKey(base) {
			return "", false
		}
	case n == 0 || r == utf8.RuneError || !unicode.IsGraphic(r) || unicode.IsSpace(r):
		return "", false
	case len(has) == 1 && has["shift"]:
		return string(unicode.ToUpper(r)), unicode.IsLetter(r) // other keys with shift have signs of their own
	case len(has) > 0 && unicode.IsUpper(r):
		base, has["shift"] = string(unicode.ToLower(r)), true
	}
	name := ""
	for _, m := range keyModifiers {
		if has[m] {
			name += m + "+"
		}
	}
	return name + base, true
}

// functionKey reports whether a key is one of f1 to f63.
func functionKey(s string) bool {
	n, err := strconv.Atoi(strings.TrimPrefix(s, "f"))
	return err == nil && n >= 1 && n <= 63 && s == "f"+strconv.Itoa(n)
}

// readKeys takes the table [keys]: actions by name, each with a key or a list
// of keys. A setting that cannot be used leaves the action its default keys.
func (s *reader) readKeys(at, v any) {
	defaults, keys := map[string][]string{}, map[string][]string{}
	for _, a := range Actions() {
		defaults[a.Name] = append(defaults[a.Name], a.Keys...)
	}
	var rows []row
	for _, name := range sorted(defaults) {
		rows = append(rows, row{name: name, read: func(at, v any) {
			if list := s.keysOf(at, v, defaults[name]); list != nil {
				keys[name] = list
			}
		}})
	}
	s.table(at, v, "%v is not a table: write [keys] on a line of its own, and the actions below it", rows)
	s.refuseTaken(keys)
	if len(keys) > 0 {
		s.Keys = keys
	}
}

// keysOf are the keys of an action; nil when they cannot be used.
func (s *reader) keysOf(at, v any, defaults []string) (keys []string) {
	if one, ok := v.(string); ok {
		v = []any{one}
	}
	list, _ := v.([]any)
	if len(list) == 0 {
		s.wrong("%v is not a key or a list of keys in quotes, so the usual keys stay", at, v)
	}
	for _, one := range list {
		given, _ := one.(string)
		key, ok := KeyName(given)
		switch {
		case !ok:
			s.problem("%v: %v is not a key, so the usual keys stay: write it like ctrl+s, alt+x, f5 or S", at, given)
			return nil
		case ReservedKey(key) && !slices.Contains(defaults, key):
			s.problem("%v: %v is reserved and cannot be bound, so the usual keys stay", at, key)
			return nil
		case !slices.Contains(keys, key):
			keys = append(keys, key)
		}
	}
	return keys
}

// refuseTaken takes out of keys the actions whose new key is that of another
// action in the same place. It goes on until none is left, because an action
// that keeps its default keys may need one that was given away.
func (s *reader) refuseTaken(keys map[string][]string) {
	for again := true; again; {
		again = false
		for _, name := range sorted(keys) {
			if key, by := takenKey(keys, name); by != "" {
				s.problem("%v: %v is already the key of %v in the same place, so the usual keys stay", place{"keys", name}, key, by)
				delete(keys, name)
				again = true
			}
		}
	}
}

// takenKey finds a key that an action is to get although another one has it.
func takenKey(keys map[string][]string, name string) (key, by string) {
	for _, a := range Actions() {
		for _, key := range keys[name] {
			if by := keyHolder(keys, a, key); a.Name == name && by != "" {
				return key, by
			}
		}
	}
	return "", ""
}

// keyHolder is another action that has a key in the place of an action, or
// where one of the two works everywhere, or "". Actions that usually share a key
// may go on to.
func keyHolder(keys map[string][]string, a Action, key string) string {
	for _, other := range Actions() {
		meet := other.Place == a.Place || other.Place == Everywhere || a.Place == Everywhere
		fromStart := slices.Contains(a.Keys, key) && slices.Contains(other.Keys, key)
		if meet && !fromStart && other.Name != a.Name && slices.Contains(keysInForce(keys, other), key) {
			return other.Name
		}
	}
	return ""
}

func keysInForce(keys map[string][]string, a Action) []string {
	if set, ok := keys[a.Name]; ok {
		return KeysOf(set, a.Keys)
	}
	return a.Keys
}

// KeysOf are an action's keys: those that were set, and of its default ones those
// that are reserved.
func KeysOf(set, defaults []string) []string {
	free := slices.DeleteFunc(slices.Clone(set), ReservedKey)
	return append(free, slices.DeleteFunc(slices.Clone(defaults), func(k string) bool { return !ReservedKey(k) })...)
}
