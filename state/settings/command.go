package settings

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"darkroom/api"
)

// Command is a person's own command, which is run on results.
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

// MaxCommands is how many commands there can be.
const MaxCommands = 9

// The words that a command's {file} and {id} stand for: the path of a result's
// file, and the job's id of ours.
const (
	FilePlace = "{file}"
	IDPlace   = "{id}"
)

// commandPlaces are where results are shown, and with them commands.
var commandPlaces = []string{Everywhere, "jobs", "create", "full_screen", "compare"}

// maxName is how long the name of a command can be, in bytes.
const maxName = 60

// readCommands takes the tables [[command]].
func (s *reader) readCommands(at, v any) {
	tables, ok := v.([]map[string]any)
	if !ok {
		s.wrong(whyCommandTable, at, v)
	}
	for i, table := range tables {
		at := place{"command", strconv.Itoa(i + 1)}
		if i == MaxCommands {
			s.problem(whyCommandMany, at, MaxCommands)
		}
		if c := s.command(table, at); c.Run != nil && i < MaxCommands {
			s.Commands = append(s.Commands, c)
		}
	}
}

// command reads a table; without words to run it is not a command.
func (s *reader) command(table map[string]any, at place) (c Command) {
	for _, key := range sorted(table) {
		switch v := table[key]; key {
		case "run":
			c.Run = commandWords(v, FilePlace, IDPlace)
		case "name":
			c.Name, _ = s.words(at.in(key), v)
		case "key":
			c.Key, _ = s.words(at.in(key), v)
		default:
			s.unknown(at.in(key), "key", "name", "run")
		}
	}
	if c.Run == nil {
		s.wrong(whyCommandRun, at.in("run"), table["run"])
		return c
	}
	c.Name = api.Clean(cmp.Or(c.Name, filepath.Base(c.Run[0])), maxName).String()
	return c
}

// setUpload takes the words of the command for files that are to become
// materials.
func (s *reader) setUpload(at, v any) {
	if s.Upload = commandWords(v, FilePlace); s.Upload == nil {
		s.wrong(whyUpload, at, v)
	}
}

// commandWords are the words of a command, at least one of which holds one of
// the places but not the program; nil when they are none.
func commandWords(v any, places ...string) []string {
	list, _ := v.([]any)
	words := make([]string, 0, len(list))
	used := false
	for i, one := range list {
		word, ok := one.(string)
		has := slices.ContainsFunc(places, func(place string) bool { return strings.Contains(word, place) })
		if !ok || strings.ContainsRune(word, 0) || i == 0 && (word == "" || has) {
			return nil
		}
		used = used || has
		words = append(words, word)
	}
	if !used {
		return nil
	}
	return words
}

// bindCommands gives the commands their keys once all others are known.
func (s *reader) bindCommands() {
	for i := range s.Commands {
		c := &s.Commands[i]
		if c.Key == "" {
			continue
		}
		at := place{"command", strconv.Itoa(i + 1), "key"}
		key, ok := KeyName(c.Key)
		switch by := s.keyHolder(key, i); {
		case !ok:
			s.problem(whyCommandKey, at, c.Key)
			key = ""
		case ReservedKey(key):
			s.problem(whyCommandReserved, at, key)
			key = ""
		case by != "":
			s.problem(whyCommandTaken, at, key, by)
			key = ""
		}
		c.Key = key
	}
}

// keyHolder is the action or the earlier command that has a key where results
// are shown, or "".
func (s *reader) keyHolder(key string, command int) string {
	for _, other := range s.Commands[:command] {
		if other.Key == key {
			return other.Name
		}
	}
	for _, a := range Actions() {
		if slices.Contains(commandPlaces, a.Place) && slices.Contains(keysInForce(s.Keys, a), key) {
			return a.Name
		}
	}
	return ""
}
