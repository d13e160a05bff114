package settings

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"darkroom/api"
	"darkroom/api/expand"
)

const (
	maxWildcardFiles = 500
	maxWildcardFile  = 1 << 20
)

// Wildcards reads the lists that prompts can name: the files NAME.txt of the
// folder wildcards beside the settings file, one entry a line. Without the
// folder there are none.
func Wildcards(configFile string) (expand.Lists, error) {
	lists := expand.Lists{}
	err := readTexts(configFile, "wildcards", whyList, maxWildcardFile, maxWildcardFiles, nil, func(name, text string) {
		lists[name] = listOf(text)
	})
	if err != nil || len(lists) == 0 {
		return nil, err
	}
	return lists, nil
}

// readTexts hands over the files NAME.txt of a folder beside the settings file,
// at most so many of at most size bytes, whose names pass; nil passes all.
// Without the folder there are none.
func readTexts(configFile, folder string, why api.ReasonKind, size int64, most int, passes func(name string) bool, take func(name, text string)) error {
	folder = filepath.Join(filepath.Dir(configFile), folder)
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) || configFile == "" {
		return nil
	}
	if err != nil {
		return promptError(why, folder, err)
	}
	taken := 0
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".txt")
		if !ok || name == "" || taken >= most || passes != nil && !passes(name) {
			continue
		}
		path := filepath.Join(folder, e.Name())
		text, err := readText(path, size)
		if err != nil {
			return promptError(why, path, err)
		}
		take(name, text)
		taken++
	}
	return nil
}

// promptError says why a list or a saved prompt is not read or written.
func promptError(why api.ReasonKind, path string, err error) error {
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
		return "", whyNoFile.Fault(nil)
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
		return "", whyTooLarge.Fault(nil, most>>10)
	}
	return strings.TrimPrefix(string(text), "\ufeff"), nil
}
