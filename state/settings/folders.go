package settings

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"darkroom/api"
)

// findFolders sets the person's own folders, each absolute, and reports whether
// there are any: those of XDG, whose relative values its specification ignores,
// else the ones that macOS and Windows have for the same ends.
func (s *reader) findFolders(env func(string) string, system string) bool {
	s.home = absolute(env("HOME"))
	var config, data, state, cache string
	switch system {
	case "darwin":
		config = under(s.home, "Library", "Application Support")
		data, state = config, config
		cache = under(s.home, "Library", "Caches")
	case "windows":
		s.home = cmp.Or(s.home, absolute(env("USERPROFILE")))
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
	pictures := absolute(env("XDG_PICTURES_DIR"))
	text, _ := readText(filepath.Join(config, "user-dirs.dirs"), 64<<10)
	if line := picturesLine().FindStringSubmatch(text); line != nil && pictures == "" {
		pictures = absolute(strings.ReplaceAll(line[1], "$HOME", cmp.Or(s.home, "$HOME")))
	}
	if info, err := os.Stat(under(s.home, "Pictures")); pictures == "" && err == nil && info.IsDir() {
		pictures = under(s.home, "Pictures")
	}
	if pictures != "" && pictures != s.home { // the home folder itself means: none
		s.Downloads = filepath.Join(pictures, "darkroom")
	}
	return s.ConfigFile != "" && s.DataDir != "" && s.StateDir != ""
}

// picturesLine is a line of user-dirs.dirs, such as XDG_PICTURES_DIR="$HOME/Pictures".
var picturesLine = api.Pattern(`(?m)^\s*XDG_PICTURES_DIR="*([^"\r\n]*)`)

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
	return filepath.Join(home, filepath.Join(parts...))
}
