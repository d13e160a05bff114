package settings

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// findFolders sets the person's own folders, each absolute, and reports whether
// there are any. It follows the XDG base directories, and on macOS and Windows
// the places these systems have for the same ends. Relative XDG values are
// ignored, as the XDG specification asks.
func (s *reader) findFolders(env func(string) string) bool {
	s.home = absolute(env("HOME"))
	if s.home == "" && runtime.GOOS == "windows" {
		s.home = absolute(env("USERPROFILE"))
	}
	var config, data, state, cache string
	switch runtime.GOOS {
	case "darwin":
		config = under(s.home, "Library", "Application Support")
		data, state = config, config
		cache = under(s.home, "Library", "Caches")
	case "windows":
		config, data = absolute(env("APPDATA")), absolute(env("LOCALAPPDATA"))
		state, cache = data, under(data, "cache")
	default:
		config = under(s.home, ".config")
		data = under(s.home, ".local", "share")
		state = under(s.home, ".local", "state")
		cache = under(s.home, ".cache")
	}
	config = cmp.Or(absolute(env("XDG_CONFIG_HOME")), config)
	s.ConfigFile = under(config, "darkroom", "config.toml")
	s.DataDir = under(cmp.Or(absolute(env("XDG_DATA_HOME")), data), "darkroom")
	s.StateDir = under(cmp.Or(absolute(env("XDG_STATE_HOME")), state), "darkroom")
	s.CacheDir = under(cmp.Or(absolute(env("XDG_CACHE_HOME")), cache), "darkroom")
	s.Downloads = filepath.Join(s.DataDir, "results")
	pictures := cmp.Or(absolute(env("XDG_PICTURES_DIR")), namedPictures(filepath.Join(config, "user-dirs.dirs"), s.home))
	if info, err := os.Stat(under(s.home, "Pictures")); pictures == "" && err == nil && info.IsDir() {
		pictures = under(s.home, "Pictures")
	}
	if pictures != "" && pictures != s.home { // the home folder itself means: none
		s.Downloads = filepath.Join(pictures, "darkroom")
	}
	return s.ConfigFile != "" && s.DataDir != "" && s.StateDir != ""
}

// namedPictures reads XDG_PICTURES_DIR="$HOME/…" from a user-dirs.dirs file.
func namedPictures(path, home string) string {
	text, _ := readText(path, 64<<10)
	found := ""
	for line := range strings.Lines(text) {
		v, ok := strings.CutPrefix(strings.TrimSpace(line), "XDG_PICTURES_DIR=")
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
