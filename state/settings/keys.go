package settings

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"

	"darkroom/api"
)

// actionList has a line for each action: its place, its name, its default keys and, behind a
// tab, what it does.
// A test of package ui writes it from the tables of the screens (-update).
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
	Label string   // English: what it does
}

// Actions are those of all screens, by place.
var Actions = sync.OnceValue(func() []Action {
	var all []Action
	for line := range strings.Lines(actionList) {
		line, label, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if words := strings.Fields(line); len(words) > 1 && words[0] != "#" {
			all = append(all, Action{Place: words[0], Name: words[1], Keys: words[2:], Label: label})
		}
	}
	return all
})

// reservedKeys can be neither bound nor taken from the actions that have them:
// some are other keys to a terminal (ctrl+i is tab), others lead out of every
// place, or edit a text.
var reservedKeys = []string{"ctrl+c", "ctrl+q", "ctrl+z", "ctrl+i", "ctrl+m", "ctrl+j", "ctrl+h", "ctrl+[", "esc", "enter", "tab",
	"ctrl+alt+c", "ctrl+alt+q", "backspace"}

// ReservedKey reports whether a key cannot be bound.
func ReservedKey(key string) bool { return slices.Contains(reservedKeys, key) }

// keyForm is a key as people write it: modifiers, then a name or a character.
var keyForm = api.Pattern(`^((?i:(?:ctrl|alt|shift|meta|hyper|super)\+)*)(?:((?i)enter|tab|esc|space|backspace|delete|insert|up|down|` +
	`left|right|home|end|pgup|pgdown|begin|find|select|menu|pause|printscreen|f[1-9]|f[1-5][0-9]|f6[0-3])|([\pL\pM\pN\pP\pS ]))$`)

// KeyName writes a key as the tables do: modifiers in their order, shift and a letter
// as the capital letter. It reports false when there is no such key.
func KeyName(given string) (string, bool) {
	parts := keyForm().FindStringSubmatch(given)
	if parts == nil {
		return "", false
	}
	mods, base, char := strings.ToLower(parts[1]), strings.ToLower(parts[2]), parts[3]
	capital := char != strings.ToLower(char) && !strings.Contains(mods, "ctrl+") // Ctrl+S is ctrl+s
	switch {
	case char == " ":
		base = "space"
	case char == "":
	case mods == "shift+":
		return strings.ToUpper(char), unicode.IsLetter([]rune(char)[0]) // other keys with shift have signs of their own
	case mods == "":
		return char, true
	default:
		base = strings.ToLower(char)
	}
	name := ""
	for _, mod := range []string{"ctrl+", "alt+", "shift+", "meta+", "hyper+", "super+"} {
		switch n := strings.Count(mods, mod); {
		case n > 1:
			return "", false
		case n == 1, mod == "shift+" && capital:
			name += mod
		}
	}
	return name + base, true
}

// readKeys takes [keys]. What cannot be used leaves an action its default keys.
func (s *reader) readKeys(at, v any) {
	defaults, keys := map[string][]string{}, map[string][]string{}
	for _, a := range Actions() {
		defaults[a.Name] = append(defaults[a.Name], a.Keys...)
	}
	rows := api.Map(sorted(defaults), func(name string) row {
		return row{name: name, read: func(at, v any) {
			if list := s.keysOf(at, v, defaults[name]); list != nil {
				keys[name] = list
			}
		}}
	})
	s.table(at, v, "%v is not a table: write [keys] on a line of its own, and the actions below it", rows)
	for s.refuseTaken(keys) { // an action that keeps its default keys may need one that was given away
	}
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

// refuseTaken takes one action out of keys whose new key is another's in its place.
func (s *reader) refuseTaken(keys map[string][]string) bool {
	for _, name := range sorted(keys) {
		for _, a := range Actions() {
			for _, key := range keys[name] {
				if by := keyHolder(keys, a, key); a.Name == name && by != "" {
					s.problem("%v: %v is already the key of %v in the same place, so the usual keys stay", place{"keys", name}, key, by)
					delete(keys, name)
					return true
				}
			}
		}
	}
	return false
}

// keyHolder is another action that has a key in the place of an action, or "".
// Everywhere is in all places, and actions that share a default key may go on to.
func keyHolder(keys map[string][]string, a Action, key string) string {
	for _, other := range Actions() {
		meet := other.Place == a.Place || other.Place == Everywhere || a.Place == Everywhere
		fromStart := slices.Contains(a.Keys, key) && slices.Contains(other.Keys, key)
		in := other.Keys
		if set, ok := keys[other.Name]; ok {
			in = KeysOf(set, in)
		}
		if meet && !fromStart && other.Name != a.Name && slices.Contains(in, key) {
			return other.Name
		}
	}
	return ""
}

// KeysOf are the keys that were set, and the reserved ones of the default keys.
func KeysOf(set, defaults []string) []string {
	free := func(key string) bool { return !ReservedKey(key) }
	return append(slices.DeleteFunc(slices.Clone(set), ReservedKey), slices.DeleteFunc(slices.Clone(defaults), free)...)
}
