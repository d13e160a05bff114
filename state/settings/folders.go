package settings

import (
	"bufio"
	"cmp"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// folders are the person's own folders, each absolute.
type folders struct {
	home, config, data, state string
	cache                     string // may be ""
}

// findFolders follows the XDG base directories, and on macOS and Windows the
// places these systems have for the same ends. Relative XDG values are ignored,
// as the XDG specification asks.
func findFolders(env func(string) string) (folders, error) {
	f := folders{home: absolute(env("HOME"))}
	if f.home == "" && runtime.GOOS == "windows" {
		f.home = absolute(env("USERPROFILE"))
	}
	var config, data, state, cache string
	switch runtime.GOOS {
	case "darwin":
		config = under(f.home, "Library", "Application Support")
		data, state = config, config
		cache = under(f.home, "Library", "Caches")
	case "windows":
		config, data = absolute(env("APPDATA")), absolute(env("LOCALAPPDATA"))
		state = data
		if data != "" {
			cache = filepath.Join(data, "cache")
		}
	default:
		config = under(f.home, ".config")
		data = under(f.home, ".local", "share")
		state = under(f.home, ".local", "state")
		cache = under(f.home, ".cache")
	}
	f.config = cmp.Or(absolute(env("XDG_CONFIG_HOME")), config)
	f.data = cmp.Or(absolute(env("XDG_DATA_HOME")), data)
	f.state = cmp.Or(absolute(env("XDG_STATE_HOME")), state)
	f.cache = cmp.Or(absolute(env("XDG_CACHE_HOME")), cache)
	if f.config == "" || f.data == "" || f.state == "" {
		return folders{}, errNoHome
	}
	return f, nil
}

// defaultDownloads is darkroom's folder under the pictures folder, or under
// our data folder when there is no pictures folder.
func defaultDownloads(env func(string) string, f folders, data string) string {
	pictures := absolute(env("XDG_PICTURES_DIR"))
	if pictures == "" {
		pictures = namedPictures(filepath.Join(f.config, "user-dirs.dirs"), f.home)
	}
	if pictures == "" {
		if p := under(f.home, "Pictures"); p != "" {
			if info, err := os.Stat(p); err == nil && info.IsDir() {
				pictures = p
			}
		}
	}
	if pictures == "" || pictures == f.home { // the home folder itself means: none
		return filepath.Join(data, "results")
	}
	return filepath.Join(pictures, "darkroom")
}

// namedPictures reads XDG_PICTURES_DIR="$HOME/…" from a user-dirs.dirs file.
func namedPictures(path, home string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	found := ""
	for lines := bufio.NewScanner(io.LimitReader(file, 64<<10)); lines.Scan(); {
		v, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), "XDG_PICTURES_DIR=")
		if !ok {
			continue
		}
		v = strings.Trim(v, `"`)
		if rest, ok := strings.CutPrefix(v, "$HOME"); ok && home != "" {
			v = home + rest
		}
		found = absolute(v)
	}
	return found
}

func absolute(p string) string {
	if !filepath.IsAbs(p) {
		return ""
	}
	return filepath.Clean(p)
}

func under(home string, parts ...string) string {
	if home == "" {
		return ""
	}
	return filepath.Join(append([]string{home}, parts...)...)
}
