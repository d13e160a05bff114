package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"darkroom/api"
)

// SavedPrompt is a prompt that a person keeps under a name.
type SavedPrompt struct{ Name, Text string }

const (
	promptsFolder   = "prompts"
	maxSavedPrompts = 500
	maxPromptFile   = 64 << 10
	maxPromptName   = 60 // characters
)

// SavedPrompts reads the files NAME.txt of the folder prompts beside the
// settings file, by name. Without the folder there are none.
func SavedPrompts(configFile string) ([]SavedPrompt, error) {
	var all []SavedPrompt
	err := readTexts(configFile, promptsFolder, whyPrompt, maxPromptFile, maxSavedPrompts, PromptName, func(name, text string) {
		all = append(all, SavedPrompt{name, strings.TrimRight(api.CleanInput(text, true), "\n")})
	})
	if err != nil {
		return nil, err
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

// RemovePrompt deletes a saved prompt. One that is not there is no error.
func RemovePrompt(configFile, name string) error {
	return changePrompt(configFile, name, func(path string) error {
		err := os.Remove(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

func changePrompt(configFile, name string, change func(path string) error) error {
	if configFile == "" || !PromptName(name) {
		return whyPromptName.Fault(nil, name)
	}
	path := filepath.Join(filepath.Dir(configFile), promptsFolder, name+".txt")
	if err := change(path); err != nil {
		return promptError(whyPromptWrite, path, err)
	}
	return nil
}
