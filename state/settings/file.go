package settings

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"darkroom/api"
	"darkroom/api/expand"
)

const (
	maxSettingsFile = 256 << 10 // bytes
	mostProblems    = 100       // of a kind that are told: the line of each is searched for in the whole file
)

// place is the path of keys to a value. A table of an array has its number, from 1 on.
type place []string

func (p place) in(keys ...string) place { return slices.Concat(p, keys) }

const whyUnread = api.Sentence("%v cannot be read (%v): its settings are ignored, " +
	"and nothing can be sent unless DARKROOM_BUDGET and DARKROOM_BUDGET_MONTH are set")

func (s *reader) readFile() {
	text, err := ReadText(s.ConfigFile, maxSettingsFile)
	if s.Found = !missing(s.ConfigFile, err); !s.Found {
		return
	}
	var values map[string]any
	if err = cmp.Or(err, tooDeep(text)); err == nil {
		s.source = parse(text)
		err = toml.Unmarshal([]byte(text), &values)
	}
	if err != nil {
		// The file may name budgets that cannot be seen now.
		s.Budget, s.PerMonth = api.BudgetUnreadable, api.BudgetUnreadable
		s.problem(whyUnread, s.ConfigFile, tomlReason(err))
		return
	}
	s.fields(nil, values, s.rows())
}

// tooDeep refuses what no person writes, and the library would read for minutes.
func tooDeep(text string) error {
	braces := 0
	for i, line := range strings.Split(text, "\n") {
		if braces += strings.Count(line, "{"); max(braces, strings.Count(line, ".")) > 200 {
			return toml.ParseError{Position: toml.Position{Line: i + 1}}
		}
	}
	return nil
}

// missing reports whether a file could not be read because there is none. One behind a
// link that leads nowhere may be on a disk that is not mounted, and name budgets.
func missing(path string, err error) bool {
	if !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if _, err = os.Lstat(path); err != nil && path != filepath.Dir(path) {
		return missing(filepath.Dir(path), err)
	}
	_, err = os.Stat(path)
	return err == nil
}

func sorted[V any](table map[string]V) []string { return slices.Sorted(maps.Keys(table)) }

func tomlReason(err error) api.Reason {
	switch p, ok := errors.AsType[toml.ParseError](err); {
	case ok && strings.Contains(p.Message, "already"):
		return api.Sentence("line %v sets something that is set above: keep one of the two").Reason(p.Position.Line)
	case ok && strings.Contains(p.Message, "out of range"):
		return api.Sentence("line %v has a number that is too large").Reason(p.Position.Line)
	case ok:
		return api.Sentence("line %v is not TOML: look for a missing quote, bracket or =; a setting is written name = value, " +
			"and a text in quotes").Reason(p.Position.Line)
	}
	return api.ReasonOf(api.WithoutPath(err))
}

// source is a settings file, taken apart to find lines in it.
type source struct {
	text   string
	values map[string]toml.Primitive
	md     toml.MetaData
}

func parse(text string) (s source) {
	s.text = text
	s.md, _ = toml.Decode(text, &s.values)
	return s
}

// line is the one, from 1 on, that sets the value or begins the table at a place, or 0.
func (s source) line(at place) int {
	if len(at) > 1 && (at[0] == "command" || at[0] == "hook") { // of a list the library knows the lines of the last table
		n, _ := strconv.Atoi(at[1])
		heads := regexp.MustCompile(`(?m)^\s*\[\[\s*`+at[0]+`\s*\]\]`).FindAllStringIndex(s.text, -1)
		if n < len(heads) {
			s = parse(s.text[:heads[n][0]])
		}
		at = at[:1].in(at[2:]...)
	}
	values, md := s.values, &s.md
	last := len(at) - 1
	for _, key := range at[:last] {
		var list []map[string]toml.Primitive
		v := values[key]
		values = nil
		if _ = md.PrimitiveDecode(v, &values); md.PrimitiveDecode(v, &list) == nil && len(list) > 0 {
			values = list[len(list)-1]
		}
	}
	var found toml.ParseError
	errors.As(md.PrimitiveDecode(values[at[last]], new(refused)), &found)
	return found.Position.Line
}

// refused is a value that the library refuses to read, naming its line.
type refused struct{}

func (*refused) UnmarshalTOML(any) error { return errors.ErrUnsupported }

const whyGone = api.Sentence("%v is gone: put it back, or start darkroom again to go on without its settings")

// Save writes a text, at a path such as "theme", "name", into the settings file
// and changes no other setting. The file is replaced as a whole or not at all, and
// none is made in the place of one that is gone.
func (c *Current) Save(value string, path ...string) error {
	set := c.Get()
	old, err := ReadText(set.ConfigFile, maxSettingsFile)
	if none := missing(set.ConfigFile, err); none && set.Found {
		return whyGone.Fault(err, set.ConfigFile)
	} else if err != nil && !none {
		return api.Sentence("the settings file %v cannot be read: %v").Fault(err, set.ConfigFile, err)
	}
	text := withValue(old, value, path)
	if err := sameBut(old, text, value, path); err != nil {
		return api.Sentence("%v was not written to %v, put it in by hand: %v").Fault(err, strings.Join(path, "."), set.ConfigFile, err)
	}
	if text != old {
		if err := ReplaceFile(set.ConfigFile, text); err != nil {
			return api.Sentence("the settings file %v cannot be written: %v").Fault(err, set.ConfigFile, api.WithoutPath(err))
		}
	}
	return nil
}

// withValue replaces the line that sets a value. Without one it goes below the
// head of its table, or with a head to the end; a value of no table goes first.
func withValue(text, value string, path place) string {
	table, key := path[:len(path)-1], path[len(path)-1]
	line := key + " = " + strconv.Quote(value)
	lines := slices.Collect(strings.Lines(text))
	if n := parse(text).line(path); n > 0 {
		old := lines[n-1]
		lines[n-1] = line + old[len(strings.TrimRight(old, "\r\n")):]
		return strings.Join(lines, "")
	}
	if len(table) == 0 {
		return line + "\n" + text
	}
	if n := parse(text).line(table); n > 0 && strings.HasSuffix(lines[n-1], "\n") {
		return strings.Join(slices.Insert(lines, n, line+"\n"), "")
	}
	if text != "" {
		text = strings.TrimRight(text, "\r\n") + "\n\n"
	}
	return text + "[" + strings.Join(table, ".") + "]\n" + line + "\n"
}

// sameBut makes sure that only one value differs: it may stand over several lines.
func sameBut(old, text, value string, path place) error {
	before, after := map[string]any{}, map[string]any{}
	if err := errors.Join(toml.Unmarshal([]byte(old), &before), toml.Unmarshal([]byte(text), &after)); err != nil {
		return &api.Fault{Reason: tomlReason(err), Cause: err}
	}
	table := before
	for _, key := range path[:len(path)-1] {
		inner, _ := table[key].(map[string]any)
		if inner == nil {
			inner = map[string]any{}
		}
		table[key] = inner
		table = inner
	}
	table[path[len(path)-1]] = value
	if !reflect.DeepEqual(before, after) {
		return api.Sentence("its layout is unusual").Fault(nil)
	}
	return nil
}

// ReplaceFile writes next to the file, syncs, and renames over it. A link
// stays a link; if its target is gone, nothing is written.
func ReplaceFile(path, text string) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	} else if target, no := os.Readlink(path); no == nil && errors.Is(err, fs.ErrNotExist) {
		return api.Sentence("%v is a link to %v, which does not exist").Fault(err, path, target)
	} else if no == nil {
		return err
	}
	dir := filepath.Dir(path)
	none := os.MkdirAll(dir, 0o700)
	f, err := os.CreateTemp(dir, ".darkroom-*") // 0600
	if err != nil {
		return cmp.Or(none, err)
	}
	defer os.Remove(f.Name()) // of no effect after the rename
	if info, err := os.Stat(path); err == nil {
		_ = f.Chmod(info.Mode().Perm()) // the person's choice; ours is as tight as can be
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if d, none := os.Open(dir); none == nil {
		_ = d.Sync() // not every system can sync a folder
		d.Close()
	}
	return err
}

// SavedText is a text that a person keeps under a name.
type SavedText struct{ Name, Text string }

// The folders of saved texts, next to the settings file.
const (
	Prompts = "prompts"
	Cast    = "cast" // materials: URLs, files of this machine, and results as job:ID/1
)

const (
	maxPromptFile   = 64 << 10
	maxPromptName   = 60 // characters
	maxWildcardFile = 1 << 20
	maxTexts        = 500      // files of a folder that are read
	maxTogether     = 16 << 20 // bytes of all of them
)

// SavedTexts reads the files NAME.txt of a folder next to the settings file, by name.
func (c *Current) SavedTexts(folder string) ([]SavedText, error) {
	all, err := readTexts(c.Get().ConfigFile, folder, "the saved text %v cannot be read: %v", maxPromptFile)
	all = slices.DeleteFunc(all, func(p SavedText) bool { return !SavedName(folder, p.Name) })
	for i := range all {
		all[i].Text = strings.TrimRight(api.CleanInput(all[i].Text, true), "\n")
	}
	slices.SortFunc(all, func(a, b SavedText) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return all, err
}

// SavedName reports whether a file can have a name on every system, and, of the
// cast, whether it can follow @ in a prompt.
func SavedName(folder, name string) bool {
	if folder == Cast && (strings.ContainsFunc(name, NoCastName) || len(api.Tokens("【@"+name+"】")) > 0) {
		return false
	}
	return name != "" && utf8.RuneCountInString(name) <= maxPromptName && name == strings.TrimSpace(name) && !strings.HasPrefix(name, ".") &&
		!strings.HasSuffix(name, ".") && !strings.ContainsAny(name, `/\<>:"|?*`) && name == api.CleanInput(name, false)
}

// NoCastName reports whether a character ends the name of a member of the cast.
func NoCastName(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
}

// SaveText keeps a text under a name, in place of the one that has it only if over is set; "" removes
// that one, if there is one.
func (c *Current) SaveText(folder, name, text string, over bool) (err error) {
	configFile := c.Get().ConfigFile
	if configFile == "" || !SavedName(folder, name) {
		return api.Sentence("%v cannot be the name of a saved text: it must be a valid file name").Fault(nil, name)
	}
	path := filepath.Join(filepath.Dir(configFile), folder, name+".txt")
	if _, none := os.Lstat(path); text != "" && !over && none == nil {
		return api.Sentence("%v exists already: open the list again, or choose another name").Fault(fs.ErrExist, path)
	} else if text != "" {
		err = ReplaceFile(path, text+"\n")
	} else if err = os.Remove(path); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return api.Sentence("the saved text %v cannot be written: %v").Fault(err, path, api.WithoutPath(err))
	}
	return nil
}

// Lists reads the lists that prompts can name, as they are on the disk now: the files
// NAME.txt of the folder wildcards next to the settings file, one entry a line.
func (c *Current) Lists() (expand.Lists, error) {
	texts, err := readTexts(c.Get().ConfigFile, "wildcards", "the list %v cannot be read: %v", maxWildcardFile)
	lists := expand.Lists{}
	for _, t := range texts {
		lists[t.Name] = api.Pick(strings.Split(t.Text, "\n"), func(line string) (string, bool) {
			line = strings.TrimSpace(api.CleanInput(line, false))
			return line, line != ""
		})
	}
	return lists, err
}

// readTexts reads the files NAME.txt of a folder next to the settings file, each of
// at most size bytes. The error is about the first that cannot be read; the others are read.
func readTexts(configFile, folder string, why api.Sentence, size int64) (all []SavedText, failed error) {
	folder = filepath.Join(filepath.Dir(configFile), folder)
	entries, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist), configFile == "":
		return nil, nil
	case err != nil:
		return nil, why.Fault(err, folder, api.WithoutPath(err))
	}
	left := maxTogether
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".txt")
		switch {
		case !ok, strings.HasPrefix(name, "."): // such as an editor's lock
			continue
		case len(all) == maxTexts, left <= 0:
			return all, cmp.Or[error](failed, api.Sentence("only the first %v files of %v are read: the limit is %v files or %v MiB").
				Fault(nil, len(all), folder, maxTexts, maxTogether>>20))
		}
		path := filepath.Join(folder, e.Name())
		switch text, err := ReadText(path, size); {
		case err == nil && utf8.ValidString(text): // cleaned, another one would lack letters
			all, left = append(all, SavedText{name, text}), left-len(text)
		case failed == nil:
			failed = why.Fault(err, path, cmp.Or[error](api.WithoutPath(err), api.Sentence("it is not text in UTF-8").Fault(nil)))
		}
	}
	return all, failed
}

// ReadText reads a file that a person wrote, of at most so many bytes. It waits for no pipe.
func ReadText(path string, most int64) (string, error) {
	f, info, err := api.OpenRegular(path)
	switch {
	case errors.Is(err, fs.ErrInvalid):
		return "", api.Sentence("it is not a file").Fault(nil)
	case err != nil:
		return "", err
	}
	defer f.Close()
	var text []byte
	if info.Size() <= most {
		text, err = io.ReadAll(io.LimitReader(f, most+1))
	}
	if max(info.Size(), int64(len(text))) > most {
		return "", api.Sentence("it is larger than %v KiB").Fault(nil, most>>10)
	}
	return strings.TrimPrefix(string(text), "\ufeff"), err
}

// A name that is not known could be a misspelled budget, or protect otherwise: it
// stops everything that may spend until it is corrected or taken out.

// earlier are the names that an earlier version knew, with what to use instead: of
// settings by their path, such as "keys.old_action", and of variables.
var earlier = map[string]api.Sentence{
	"recipes_inside": api.Sentence("the recipe is in a separate file next to the result"),
}

// unknown says that there is no setting at a place; rows are those of its table.
func (s *reader) unknown(at place, rows []row) {
	if s.stops >= mostProblems || s.old(strings.Join(at, "."), at) {
		return
	}
	last := len(at) - 1
	name := at[last]
	has := api.Pick(rows, func(r row) (string, bool) { return r.name, r.name != "" })
	tables := strings.Fields("profile theme keys agents command hook")
	above := api.Pick(s.rows(), func(r row) (string, bool) { return r.name, !slices.Contains(tables, r.name) })
	switch near, over := api.Near(name, has), api.Near(name, above); {
	case last > 0 && at[0] != "agents" && len(over) > 0 && (len(near) == 0 || over[0] == name):
		s.stop("%v is not a setting, so nothing can be sent: write %v above all lines such as [theme]", at, over[0])
	case last > 0 && (len(rows) < 4 || at[0] == "agents" && len(near) == 0):
		s.stop("%v is not a setting, so nothing can be sent: %v has %v", at, at[0], strings.Join(has, ", "))
	case at[0] == "keys":
		s.stop("%v is not an action, so nothing can be sent; %v", at, hint(near, at[:last], "keys"))
	default:
		s.stop("%v is not a setting, so nothing can be sent; %v", at, hint(near, at[:last], "settings"))
	}
}

// hint names what a name below a place is most likely meant as, else the page of help that lists all.
func hint(near []string, at place, page string) api.Reason {
	if len(near) > 0 {
		return api.Sentence("did you mean %v?").Reason(strings.Join(at.in(near[0]), "."))
	}
	return api.Sentence("'darkroom help %v' lists them").Reason(page)
}

// old reports whether an earlier version knew a name, and says so.
func (s *reader) old(name string, at any) bool {
	instead, ok := earlier[name]
	if ok {
		s.said = append(s.said, s.reason("%v is not used any more: %v", at, instead.Reason()))
	}
	return ok
}

const variables = "DARKROOM_"

// Getenv is os.Getenv, with USERPROFILE for HOME where only Windows' name is set; for "DARKROOM_"
// alone it gives the names of all variables that begin so and are not blank, with a NUL between them.
func Getenv(name string) string {
	if name == "HOME" {
		return cmp.Or(os.Getenv(name), os.Getenv("USERPROFILE"))
	}
	if name != variables {
		return os.Getenv(name)
	}
	names := api.Pick(os.Environ(), func(one string) (string, bool) {
		name, value, _ := strings.Cut(one, "=")
		return name, strings.TrimSpace(value) != "" && strings.HasPrefix(strings.ToUpper(name), variables)
	})
	slices.Sort(names)
	return strings.Join(names, "\x00")
}
