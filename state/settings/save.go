package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"darkroom/api"
)

// Save writes a text, at a path such as "theme", "name", into the settings file
// and changes no other setting. The file is replaced as a whole or not at all; a
// file that cannot be read as TOML is not touched.
func Save(configFile, value string, path ...string) error {
	target := configFile
	if real, err := filepath.EvalSymlinks(configFile); err == nil {
		target = real // a linked file stays a link
	}
	old, err := readText(target, maxSettingsFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return api.Sentence("the settings file %v cannot be read: %v").Fault(err, configFile, err)
	}
	text := withValue(old, value, path)
	if err := sameBut(old, text, value, path); err != nil {
		return api.Sentence("%v was not written to %v, put it in by hand: %v").Fault(err, strings.Join(path, "."), configFile, err)
	}
	if text == old {
		return nil
	}
	if err := replaceFile(target, text); err != nil {
		// Its path is that of a file which is gone by now.
		return api.Sentence("the settings file %v cannot be written: %v").Fault(err, configFile, api.WithoutPath(err))
	}
	return nil
}

// withValue replaces the line that sets a value. Without one it is put below
// the head of its table, which is added at the end; a value of no table comes
// first, where it cannot fall into one.
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

// sameBut makes sure that only one value differs between two files. It catches
// what editing by line cannot see, such as a value over several lines.
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

// replaceFile writes next to the file, syncs, and renames over it.
func replaceFile(path, text string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".config-*.toml") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // of no effect after the rename
	if info, err := os.Stat(path); err == nil {
		_ = f.Chmod(info.Mode().Perm()) // the person's choice; ours is as tight as can be
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync() // not every system can sync a folder
		d.Close()
	}
	return nil
}
