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
	env func(string) string // nil: the settings file is not read again

	reading sync.Mutex // held by Reread
	seen    stamp      // of the file that was read last
	looked  stamp      // of the file at the last call of Reread

	mu sync.Mutex
	s  Settings
	// Changed, if set, is called after Reread has changed the settings.
	Changed func()
}

// stamp is what a changed file has another one of.
type stamp struct {
	modified time.Time
	size     int64
}

// NewCurrent starts with s. With an env, Reread and Budget read the settings
// file and the environment again.
func NewCurrent(s Settings, env func(string) string) *Current {
	return &Current{s: s, env: env, seen: stampOf(s.ConfigFile)}
}

// stampOf is the stamp of a file; zero when there is none.
func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.ModTime(), info.Size()}
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
// there means the windows that are open already as well. A higher one, or none,
// counts when Reread has taken the file over: it may be half written, or be moved
// away for a moment while it is saved.
func (c *Current) Budget() api.Credits {
	set := c.Get()
	if c.env == nil {
		return set.Budget
	}
	fresh, err := Load(c.env)
	allowsMore := set.Budget != 0 && (fresh.Budget == 0 || fresh.Budget > set.Budget)
	if err != nil || fresh.ConfigFile != set.ConfigFile || fresh.Budget == set.Budget || allowsMore {
		return set.Budget
	}
	c.reading.Lock()
	defer c.reading.Unlock()
	c.seen = stamp{} // Reread has to look again, also at the file as it was before
	c.Change(func(s *Settings) { s.Budget = fresh.Budget })
	return fresh.Budget
}

// Reread takes over the settings file if it has changed since it was read last
// and not since the last call, or always when asked to, and reports whether that
// changed the settings. What
// is read at the start alone stays. A file of which something cannot be used
// changes nothing but the budget and the problems that are said.
func (c *Current) Reread(always bool) bool {
	if c.env == nil {
		return false
	}
	c.reading.Lock()
	defer c.reading.Unlock()
	now := stampOf(c.Get().ConfigFile)
	if settled := now == c.looked; !always && (now == c.seen || !settled) {
		c.looked = now // it may be half written yet
		return false
	}
	c.looked, c.seen = now, now
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
				other := api.Sentence("another base_url stands in %v: it is used from the next start on").Reason(fresh.ConfigFile)
				fresh.Problems = append(fresh.Problems, other)
			}
		}
		next.Budget, next.Problems, next.Refused = fresh.Budget, fresh.Problems, !whole
		if changed = !reflect.DeepEqual(next, *s); changed {
			next.Version++
			*s = next
		}
	})
	if changed && c.Changed != nil {
		c.Changed()
	}
	return changed
}

// SaveTheme writes the name of a built-in theme into the settings file, and takes
// it into use.
func (c *Current) SaveTheme(name string) error {
	if err := Save(c.Get().ConfigFile, name, "theme", "name"); err != nil {
		return err
	}
	c.Change(func(s *Settings) { s.Theme.Name = name })
	return nil
}

// startedAs are the settings with what is read at the start alone.
func (s Settings) startedAs(at Settings) Settings {
	s.BaseURL, s.BaseFrom, s.EnvKey, s.TimeScale = at.BaseURL, at.BaseFrom, at.EnvKey, at.TimeScale
	s.ConfigFile, s.DataDir, s.StateDir, s.CacheDir = at.ConfigFile, at.DataDir, at.StateDir, at.CacheDir
	s.Log, s.Version = at.Log, at.Version
	return s
}
