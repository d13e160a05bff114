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
		return nil, wildcardError(folder, err)
	}
	lists := expand.Lists{}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".txt")
		if !ok || name == "" || len(lists) >= maxWildcardFiles {
			continue
		}
		path := filepath.Join(folder, e.Name())
		if lists[name], err = readList(path); err != nil {
			return nil, wildcardError(path, err)
		}
	}
	return lists, nil
}

func wildcardError(path string, err error) error {
	return whyList.Fault(err, path, api.WithoutPath(err))
}

func readList(path string) ([]string, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, whyNoFile.Fault(nil)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxWildcardFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxWildcardFile {
		return nil, whyTooLarge.Fault(nil, maxWildcardFile>>10)
	}
	var list []string
	for line := range strings.Lines(strings.TrimPrefix(string(text), "\ufeff")) {
		if line = strings.TrimSpace(api.CleanInput(line, false)); line != "" {
			list = append(list, line)
		}
	}
	return list, nil
}
