package settings

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"darkroom/api"
	"darkroom/api/expand"
)

// SavedPrompt is a prompt that a person keeps under a name.
type SavedPrompt struct{ Name, Text string }

const (
	promptsFolder = "prompts"
	maxPromptFile = 64 << 10
	maxPromptName = 60 // characters
)

// SavedPrompts reads the files NAME.txt of the folder prompts next to the
// settings file, by name. Without the folder there are none.
func SavedPrompts(configFile string) ([]SavedPrompt, error) {
	all, err := readTexts(configFile, promptsFolder, "the saved prompt %v cannot be read: %v", maxPromptFile, PromptName)
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].Text = strings.TrimRight(api.CleanInput(all[i].Text, true), "\n")
	}
	slices.SortFunc(all, func(a, b SavedPrompt) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return all, nil
}

// PromptName reports whether a prompt can be kept under a name: a file can have
// it on every system.
func PromptName(name string) bool {
	return name != "" && utf8.RuneCountInString(name) <= maxPromptName && name == strings.TrimSpace(name) && !strings.HasPrefix(name, ".") &&
		!strings.HasSuffix(name, ".") && !strings.ContainsAny(name, `/\<>:"|?*`) && name == api.CleanInput(name, false)
}

// SavePrompt keeps a prompt under a name, in place of another one of that name.
func SavePrompt(configFile, name, text string) error {
	return changePrompt(configFile, name, func(path string) error { return replaceFile(path, text+"\n") })
}

// RemovePrompt deletes a saved prompt. One that is not there is not an error.
func RemovePrompt(configFile, name string) error {
	return changePrompt(configFile, name, func(path string) error {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

func changePrompt(configFile, name string, change func(path string) error) error {
	if configFile == "" || !PromptName(name) {
		return api.Sentence("%v cannot be the name of a saved prompt: a file has to be able to have it").Fault(nil, name)
	}
	path := filepath.Join(filepath.Dir(configFile), promptsFolder, name+".txt")
	if err := change(path); err != nil {
		return promptError("the saved prompt %v cannot be written: %v", path, err)
	}
	return nil
}

const maxWildcardFile = 1 << 20

// Wildcards reads the lists that prompts can name: the files NAME.txt of the
// folder wildcards next to the settings file, one entry a line. Without the
// folder there are none.
func Wildcards(configFile string) (expand.Lists, error) {
	every := func(string) bool { return true }
	texts, err := readTexts(configFile, "wildcards", "the list %v cannot be read: %v", maxWildcardFile, every)
	if err != nil || len(texts) == 0 {
		return nil, err
	}
	lists := expand.Lists{}
	for _, t := range texts {
		lists[t.Name] = listOf(t.Text)
	}
	return lists, nil
}

// maxTexts is how many files of a folder are read.
const maxTexts = 500

// readTexts reads the files NAME.txt of a folder next to the settings file
// whose names pass, each of at most size bytes. Without the folder there are none.
func readTexts(configFile, folder string, why api.Sentence, size int64, passes func(name string) bool) (all []SavedPrompt, _ error) {
	folder = filepath.Join(filepath.Dir(configFile), folder)
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) || configFile == "" {
		return nil, nil
	}
	if err != nil {
		return nil, promptError(why, folder, err)
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".txt")
		if !ok || name == "" || !passes(name) || len(all) == maxTexts {
			continue
		}
		path := filepath.Join(folder, e.Name())
		text, err := readText(path, size)
		if err != nil {
			return nil, promptError(why, path, err)
		}
		all = append(all, SavedPrompt{name, text})
	}
	return all, nil
}

// promptError says why a list or a saved prompt is not read or written.
func promptError(why api.Sentence, path string, err error) error {
	return why.Fault(err, path, api.WithoutPath(err))
}

// listOf are the entries of a list, one a line.
func listOf(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(api.CleanInput(line, false)); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// readText reads a file that a person wrote, of at most so many bytes.
func readText(path string, most int64) (string, error) {
	if info, err := os.Stat(path); err != nil {
		return "", err
	} else if !info.Mode().IsRegular() {
		return "", api.Sentence("it is no file").Fault(nil)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return "", err
	}
	if int64(len(text)) > most {
		return "", api.Sentence("it is larger than %v KiB").Fault(nil, most>>10)
	}
	return strings.TrimPrefix(string(text), "\ufeff"), nil
}
