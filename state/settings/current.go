package settings

import (
	"os"
	"reflect"
	"sync"

	"darkroom/api"
)

// Current holds the settings in force. It is safe for use by several goroutines.
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

// stamp is the time and the size of a file, which a changed one has others of.
type stamp [2]int64

// NewCurrent starts with s. With an env, Reread and Budgets read them again.
func NewCurrent(s Settings, env func(string) string) *Current {
	at := stampOf(s.ConfigFile)
	return &Current{s: s, env: env, seen: at, looked: at}
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.ModTime().UnixNano(), info.Size()}
}

// Get returns the settings in force.
func (c *Current) Get() (now Settings) {
	c.Change(func(s *Settings) { now = *s })
	return now
}

// Change applies f to the settings in force; f must not call Current.
func (c *Current) Change(f func(*Settings)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.s)
}

// Budgets are those that the settings file has now: whoever lowers one means
// open windows as well. A higher one, or none, counts when Reread has taken the
// file over: it may be half written, or be moved away for a moment.
func (c *Current) Budgets() api.Budgets {
	set := c.Get()
	now := set.Budgets()
	if c.env == nil {
		return now
	}
	fresh, err := Load(c.env)
	for period, budget := range fresh.Budgets() {
		if was := now[period]; budget != 0 && (was == 0 || budget < was) {
			now[period] = budget
		}
	}
	if err != nil || fresh.ConfigFile != set.ConfigFile || now == set.Budgets() {
		return set.Budgets()
	}
	c.reading.Lock()
	defer c.reading.Unlock()
	c.seen = stamp{-1} // Reread has to look again, also at the file as it was before
	c.Change(func(s *Settings) { s.Budget, s.PerMonth = now[api.Day], now[api.Month] })
	return now
}

// Reread takes over the settings file if it has changed since it was read last
// and not since the last call, or always, and reports whether that changed the
// settings. What is read at the start alone stays. A file of which something
// cannot be used changes nothing but the budgets and the problems, and one that is
// gone only the problems: nobody has said that its budgets are none now.
func (c *Current) Reread(always bool) (changed bool) {
	if c.env == nil {
		return false
	}
	c.reading.Lock()
	defer c.reading.Unlock()
	now := stampOf(c.Get().ConfigFile)
	if !always && (now == c.seen || now != c.looked) {
		c.looked = now // it may be half written yet
		return false
	}
	c.looked, c.seen = now, now
	fresh, err := read(c.env)
	if err != nil {
		return false
	}
	c.Change(func(s *Settings) {
		next := *s
		if s.Found && !fresh.Found {
			fresh.problem(whyGone, s.ConfigFile)
			fresh.Partial, fresh.Budget, fresh.PerMonth = true, s.Budget, s.PerMonth
		}
		if !fresh.Partial && fresh.ConfigFile == s.ConfigFile {
			next = fresh.Settings // but for what is read at the start alone
			next.BaseURL, next.BaseFrom, next.EnvKey, next.TimeScale = s.BaseURL, s.BaseFrom, s.EnvKey, s.TimeScale
			next.ConfigFile, next.DataDir, next.StateDir, next.CacheDir = s.ConfigFile, s.DataDir, s.StateDir, s.CacheDir
			next.Log, next.Version = s.Log, s.Version
			if fresh.BaseFrom == "file" && fresh.BaseURL != s.BaseURL {
				fresh.problem("%v has another base_url: it is used from the next start on", fresh.ConfigFile)
			}
		}
		next.Found = s.Found || fresh.Found
		next.Budget, next.PerMonth, next.Problems, next.Refused = fresh.Budget, fresh.PerMonth, fresh.Problems, fresh.Partial
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

// SaveTheme writes the name of a theme into the settings file and uses it.
func (c *Current) SaveTheme(name string) error {
	if err := c.Save(name, "theme", "name"); err != nil {
		return err
	}
	c.Change(func(s *Settings) { s.Theme.Name = name })
	return nil
}
