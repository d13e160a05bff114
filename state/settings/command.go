package settings

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"darkroom/api"
)

// Command is a person's own command on results.
//
//	[[command]]
//	key = "B"
//	name = "copy to r2"
//	run = ["rclone", "copy", "{file}", "r2:pictures"]
type Command struct {
	Key  string   // "" is none: it is in the list of all actions only
	Name string   // what it is called on screen
	Run  []string // its words
}

// Hook is a person's own command that runs when a job enters a phase.
//
//	[[hook]]
//	on = ["done", "failed"]
//	run = ["notify-send", "darkroom"]
type Hook struct {
	On  []api.Phase
	Run []string
}

// hookPhases are the phases that each word of on stands for.
var hookPhases = map[string][]api.Phase{
	"done":    {api.PhaseDone},
	"failed":  {api.PhaseFailed, api.PhaseRejected, api.PhaseNotSent, api.PhaseExpired, api.PhaseStale},
	"unknown": {api.PhaseUnknown, api.PhaseUnread},
	"held":    {api.PhaseHeld},
}

// MaxCommands is how many commands there can be, and how many hooks.
const MaxCommands = 9

// What a command's words can hold.
const (
	FilePlace = "{file}" // the path of a result's file
	IDPlace   = "{id}"   // darkroom's own id of its job

	maxName = 60 // bytes
)

// tables reads a list of tables, of which those count that read can use.
func tables[T any](s *reader, into *[]T, read func(at place, table map[string]any) (T, bool)) func(at, v any) {
	return func(at, v any) {
		tables, ok := v.([]map[string]any)
		if !ok {
			s.wrong("%v is not a list of tables: write [[%v]] on a line of its own, and its keys below it", at, v, at.(place)[0])
		}
		for i, table := range tables {
			at := at.(place).in(strconv.Itoa(i + 1))
			if i == MaxCommands {
				s.problem("%v is one too many: there can be %v", at, MaxCommands)
			}
			if one, ok := read(at, table); ok && i < MaxCommands {
				*into = append(*into, one)
			}
		}
	}
}

// hook reads a table; without words to run and events there is none.
func (s *reader) hook(at place, table map[string]any) (h Hook, ok bool) {
	s.fields(at, table, []row{
		{name: "on", read: func(_, v any) {
			for _, word := range listOf(v) {
				if h.On = append(h.On, hookPhases[word]...); hookPhases[word] == nil {
					h.On = nil
					break
				}
			}
		}},
		{name: "run", read: func(_, v any) { h.Run = listOf(v) }},
	})
	switch {
	case h.On == nil:
		s.wrong(`%v is not a list of events: write some of done, failed, unknown and held, such as ["done", "failed"]`, at.in("on"), table["on"])
	case h.Run == nil || h.Run[0] == "":
		s.wrong(`%v is not a command: write its words in a list, such as ["notify-send", "darkroom"]`, at.in("run"), table["run"])
	default:
		return h, true
	}
	return h, false
}

// command reads a table; without words to run there is none.
func (s *reader) command(at place, table map[string]any) (c Command, ok bool) {
	s.fields(at, table, []row{
		{name: "run", read: func(_, v any) { c.Run = commandWords(v, FilePlace, IDPlace) }},
		{name: "name", read: s.text(func(_ any, v string) { c.Name = v })},
		{name: "key", read: s.given(func(at any, v string) { c.Key = s.commandKey(at, v) })},
	})
	if c.Run == nil {
		s.wrong(`%v is no command: write its words in a list, one of them {file} or {id}, such as ["rclone", "copy", "{file}", "r2:"]`,
			at.in("run"), table["run"])
		return c, false
	}
	c.Name = api.Clean(cmp.Or(c.Name, filepath.Base(c.Run[0])), maxName).String()
	return c, true
}

// commandKey is the key of a command, or "".
func (s *reader) commandKey(at any, given string) string {
	key, ok := KeyName(given)
	by := ""
	for _, place := range []string{"compare", "create", "full_screen", "jobs"} {
		by = cmp.Or(by, keyHolder(s.Keys, Action{Place: place}, key))
	}
	if i := slices.IndexFunc(s.Commands, func(c Command) bool { return c.Key == key }); i >= 0 {
		by = s.Commands[i].Name
	}
	switch {
	case !ok:
		s.problem("%v: %v is not a key, so the command has none: write it like B, alt+b or f5", at, given)
	case ReservedKey(key):
		s.problem("%v: %v is reserved and cannot be bound, so the command has no key", at, key)
	case by != "":
		s.problem("%v: %v is already the key of %v where results are shown, so the command has none: choose another key, "+
			"or give that action one under [keys]", at, key, by)
	default:
		return key
	}
	return ""
}

func (s *reader) setUpload(at, v any) {
	if s.Upload = commandWords(v, FilePlace); s.Upload == nil {
		s.wrong(`%v is no command: write its words in a list, one of them {file}, such as ["rclone", "copyto", "{file}", "there:{file}"]`,
			at, v)
	}
}

// commandWords are the words of a command: one of them, not the program, holds one
// of the places. It is nil when they are none.
func commandWords(v any, places ...string) (words []string) {
	words = listOf(v)
	holds := func(word string) bool {
		return slices.ContainsFunc(places, func(place string) bool { return strings.Contains(word, place) })
	}
	if len(words) == 0 || words[0] == "" || holds(words[0]) || !slices.ContainsFunc(words, holds) {
		return nil
	}
	return words
}

// listOf is a list of texts, or nil when it is none.
func listOf(v any) (words []string) {
	list, _ := v.([]any)
	for _, one := range list {
		word, ok := one.(string)
		if !ok || strings.ContainsRune(word, 0) {
			return nil
		}
		words = append(words, word)
	}
	return words
}
