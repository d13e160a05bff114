package settings

import (
	"sync"

	"darkroom/api"
)

// Current holds the settings in force while a session lives. It is safe for use
// by several goroutines.
type Current struct {
	env    func(string) string
	reread bool // the settings file may lower the budget meanwhile

	mu sync.Mutex
	s  Settings
}

// NewCurrent starts with s. With an env, Budget reads the settings file and the
// environment anew.
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
