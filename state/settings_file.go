package state

import "darkroom/state/settings"

// SettingsFile is the settings file while a session lives. A change of it is
// taken over within a second, and is a change that Wait waits for.
type SettingsFile struct {
	current *settings.Current
	changed func()
}

// Reread reads the settings file now, and reports whether that changed the
// settings.
func (f *SettingsFile) Reread() bool { return f.reread(true) }

func (f *SettingsFile) reread(always bool) bool {
	changed := f.current.Reread(always)
	if changed {
		f.changed()
	}
	return changed
}

// SaveTheme writes the name of a built-in theme into the file, and takes it into
// use.
func (f *SettingsFile) SaveTheme(name string) error {
	defer f.changed()
	return f.current.SaveTheme(name)
}
