package settings

import (
	"os"
	"reflect"
	"sync"
	"time"

	"darkroom/api"
)

// Current holds the settings in force while a session lives. It is safe for use
// by several goroutines.
type Current struct {
	env    func(string) string
	reread bool // the settings file may change meanwhile

	reading sync.Mutex // held by Reread
	seen    stamp      // of the file that was read last

	mu sync.Mutex
	s  Settings
}

// stamp is what a changed file has another one of.
type stamp struct {
	modified time.Time
	size     int64
}

// NewCurrent starts with s. With an env, Reread and Budget read the settings
// file and the environment anew.
func NewCurrent(s Settings, env func(string) string) *Current {
	return &Current{s: s, env: env, reread: env != nil && s.ConfigFile != ""}
}

// Get returns the settings in force.
func (c *Current) Get() Settings {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.s
}

// Change applies f to the settings in force; f must not call Current.
func (c *Current) Change(f func(*Settings)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.s)
}

// Budget is the day's budget as the settings file has it now: whoever lowers it
// there means the windows that are open already as well.
func (c *Current) Budget() api.Credits {
	set := c.Get()
	if !c.reread {
		return set.Budget
	}
	fresh, err := Load(c.env)
	if err != nil || fresh.ConfigFile != set.ConfigFile {
		return set.Budget
	}
	c.Change(func(s *Settings) { s.Budget = fresh.Budget })
	return fresh.Budget
}

// Reread takes over the settings file if it has changed since it was read last,
// or always when asked to, and reports whether that changed the settings. What
// is read at the start alone stays. A file of which something cannot be used
// changes nothing but the budget and the problems that are said.
func (c *Current) Reread(always bool) bool {
	if !c.reread {
		return false
	}
	c.reading.Lock()
	defer c.reading.Unlock()
	var now stamp
	if info, err := os.Stat(c.Get().ConfigFile); err == nil {
		now = stamp{info.ModTime(), info.Size()}
	}
	if now == c.seen && !always {
		return false
	}
	c.seen = now
	fresh, whole, err := read(c.env)
	if err != nil {
		return false
	}
	changed := false
	c.Change(func(s *Settings) {
		next := *s
		if whole && fresh.ConfigFile == s.ConfigFile {
			next = fresh.startedAs(*s)
			if fresh.BaseFrom == "file" && fresh.BaseURL != s.BaseURL {
				fresh.Problems = append(fresh.Problems, whyNextStart.Reason(fresh.ConfigFile))
			}
		}
		next.Budget, next.Problems, next.Refused = fresh.Budget, fresh.Problems, !whole
		if changed = !reflect.DeepEqual(next, *s); changed {
			next.Version++
			*s = next
		}
	})
	return changed
}

// SaveTheme writes the name of a built-in theme into the settings file, and takes
// it into use.
func (c *Current) SaveTheme(name string) error {
	if err := SaveTheme(c.Get().ConfigFile, name); err != nil {
		return err
	}
	c.Change(func(s *Settings) { s.Theme.Name, s.Version = name, s.Version+1 })
	return nil
}

// startedAs are the settings with what is read at the start alone.
func (s Settings) startedAs(at Settings) Settings {
	s.BaseURL, s.BaseFrom, s.EnvKey, s.TimeScale = at.BaseURL, at.BaseFrom, at.EnvKey, at.TimeScale
	s.ConfigFile, s.DataDir, s.StateDir, s.RuntimeDir, s.CacheDir = at.ConfigFile, at.DataDir, at.StateDir, at.RuntimeDir, at.CacheDir
	s.Log, s.Version = at.Log, at.Version
	return s
}
