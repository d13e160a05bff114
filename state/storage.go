package state

import (
	"sync"

	"darkroom/api"
	"darkroom/state/settings"
	"darkroom/state/store"
)

// storage is the open store, and whether it can be written.
type storage struct {
	mu      sync.Mutex
	file    *store.Store
	why     api.Reason // it cannot be written
	choice  bool       // the person can choose to go on with a new one
	damaged bool       // it is an empty one in place of one whose jobs cannot be shown
}

func newStorage(file *store.Store) *storage {
	st := &storage{}
	st.replace(file)
	return st
}

// current is the store to use now. Rooms ask for it at each use.
func (st *storage) current() *store.Store {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.file
}

// replace goes on with another store, and takes over what it says about itself.
func (st *storage) replace(file *store.Store) {
	h := file.Health()
	st.mu.Lock()
	defer st.mu.Unlock()
	st.file, st.why, st.choice, st.damaged = file, h.ReadOnly, h.Choice, h.Hidden
	if st.why.IsZero() {
		st.why = h.Held
	}
}

// forbid says why nothing is written although the store could be.
func (st *storage) forbid(why api.Reason) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.why.IsZero() {
		st.why = why
	}
}

// readOnly says why nothing can be sent, none when it can, and whether the person
// can change that. damaged: the store is an empty one in place of a damaged one.
func (st *storage) readOnly() (why api.Reason, choice, damaged bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.why, st.choice, st.damaged
}

// SettingsFile is the settings file while a session lives. A change of it is
// taken over within two seconds, and is a change that Wait waits for.
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
func (f *SettingsFile) SaveTheme(name string) error { return f.current.SaveTheme(name) }
