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
	folder := filepath.Join(filepath.Dir(configFile), "wildcards")
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) || configFile == "" {
		return nil, nil
	}
	if err != nil {
		return nil, promptError(whyList, folder, err)
	}
	lists := expand.Lists{}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".txt")
		if !ok || name == "" || len(lists) >= maxWildcardFiles {
			continue
		}
		path := filepath.Join(folder, e.Name())
		if lists[name], err = readList(path); err != nil {
			return nil, promptError(whyList, path, err)
		}
	}
	return lists, nil
}

// promptError says why a list or a saved prompt is not read or written.
func promptError(why api.ReasonKind, path string, err error) error {
	return why.Fault(err, path, api.WithoutPath(err))
}

func readList(path string) ([]string, error) {
	text, err := readText(path, maxWildcardFile)
	if err != nil {
		return nil, err
	}
	var list []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(api.CleanInput(line, false)); line != "" {
			list = append(list, line)
		}
	}
	return list, nil
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
