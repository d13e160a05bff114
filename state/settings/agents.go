package settings

import (
	"reflect"

	"darkroom/api"
)

// Agent is what a person lets an agent do by itself, under [agents.NAME] with the
// name of its entry. Without a table it may ask, and a person sends.
type Agent struct {
	PerJob, PerDay api.Credits // 0: everything waits for a person
	Models         []string    // empty: any
	Paths          bool
}

var entryName = api.Pattern(`^[a-z0-9][a-z0-9_-]{0,31}$`)

// IsEntry reports whether a name can be that of an agent's entry.
func IsEntry(name string) bool { return entryName().MatchString(name) }

// readAgents takes [agents], whose tables are those of entries.
func (s *reader) readAgents(at, v any) {
	s.Agents = map[string]Agent{}
	rows := []row{{name: "yes", read: s.flag(&s.AgentsYes)}}
	all, _ := v.(map[string]any)
	for _, name := range sorted(all) {
		if _, ok := all[name].(map[string]any); ok {
			rows = append(rows, row{name: name, read: func(at, v any) { s.readAgent(name, at.(place), v) }})
		}
	}
	s.table(at, v, "%v is not a table: write [agents] or [agents.NAME] on a line of its own, and the keys below it", rows)
}

func (s *reader) readAgent(name string, at place, v any) {
	if !IsEntry(name) {
		s.stop("%v is not the name of an agent's entry, so nothing can be sent: write up to 32 of a-z, 0-9, - and _", at)
		return
	}
	a, bad := Agent{}, len(s.Problems)
	amount := func(into *api.Credits) func(at, v any) {
		return s.credits(into, 0, "%v is not an amount of credits, so this agent can spend nothing by itself: write a number such as 50")
	}
	s.fields(at, v, []row{
		{name: "per_job", read: amount(&a.PerJob)}, {name: "per_day", read: amount(&a.PerDay)},
		{name: "paths", read: s.flag(&a.Paths)}, {name: "models", read: func(at, v any) {
			if a.Models = listOf(v); a.Models == nil {
				s.wrong(`%v is not a list of models, so this agent can spend nothing by itself: write it like ["acme/brush"]`, at, v)
			}
		}},
	})
	if len(s.Problems) > bad { // the one that cannot be read may be the tighter one
		a.PerJob, a.PerDay = 0, 0
	}
	s.Agents[name] = a
}

// Agent is what an entry may do now: nothing by itself while the settings file
// grants something else than what is in force, until Reread has taken it over.
func (c *Current) Agent(entry string) Agent {
	set := c.Get()
	a := set.Agents[entry]
	if c.env == nil || a.PerJob == 0 {
		return a
	}
	fresh, err := Load(c.env)
	unread := fresh.Budget == api.BudgetUnreadable || fresh.PerMonth == api.BudgetUnreadable
	if err != nil || fresh.ConfigFile != set.ConfigFile || unread || !reflect.DeepEqual(fresh.Agents[entry], a) {
		return Agent{}
	}
	return a
}
