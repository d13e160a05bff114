package settings

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"darkroom/api"
	"darkroom/api/expand"
)

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
	maxTexts        = 500 // files of a folder that are read
)

// SavedTexts reads the files NAME.txt of a folder next to the settings file.
func SavedTexts(configFile, folder string) ([]SavedText, error) {
	all, err := readTexts(configFile, folder, "the saved text %v cannot be read: %v", maxPromptFile)
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
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
}

// SaveText keeps a text under a name, in place of the one that has it; "" removes
// that one, if there is one.
func SaveText(configFile, folder, name, text string) error {
	if configFile == "" || !SavedName(folder, name) {
		return api.Sentence("%v cannot be the name of a saved text: it must be a valid file name").Fault(nil, name)
	}
	path := filepath.Join(filepath.Dir(configFile), folder, name+".txt")
	var err error
	if text != "" {
		err = ReplaceFile(path, text+"\n")
	} else if err = os.Remove(path); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return api.Sentence("the saved text %v cannot be written: %v").Fault(err, path, api.WithoutPath(err))
	}
	return nil
}

// Wildcards reads the lists that prompts can name: the files NAME.txt of the folder
// wildcards next to the settings file, one entry a line.
func Wildcards(configFile string) (expand.Lists, error) {
	texts, err := readTexts(configFile, "wildcards", "the list %v cannot be read: %v", maxWildcardFile)
	lists := expand.Lists{}
	for _, t := range texts {
		lists[t.Name] = nil
		for line := range strings.Lines(t.Text) {
			if line = strings.TrimSpace(api.CleanInput(line, false)); line != "" {
				lists[t.Name] = append(lists[t.Name], line)
			}
		}
	}
	return lists, err
}

// readTexts reads the files NAME.txt of a folder next to the settings file, each of
// at most size bytes.
func readTexts(configFile, folder string, why api.Sentence, size int64) (all []SavedText, _ error) {
	folder = filepath.Join(filepath.Dir(configFile), folder)
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) || configFile == "" {
		return nil, nil
	}
	path := folder
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".txt")
		if !ok || len(all) == maxTexts {
			continue
		}
		path = filepath.Join(folder, e.Name())
		var text string
		if text, err = readText(path, size); err != nil {
			break
		}
		all = append(all, SavedText{name, text})
	}
	if err != nil {
		return nil, why.Fault(err, path, api.WithoutPath(err))
	}
	return all, nil
}

// readText reads a file that a person wrote, of at most so many bytes.
func readText(path string, most int64) (string, error) {
	if info, err := os.Stat(path); err != nil {
		return "", err
	} else if !info.Mode().IsRegular() { // opening a pipe would wait
		return "", api.Sentence("it is no file").Fault(nil)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if int64(len(text)) > most {
		return "", api.Sentence("it is larger than %v KiB").Fault(nil, most>>10)
	}
	return strings.TrimPrefix(string(text), "\ufeff"), err
}
