package settings

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"darkroom/api"
)

// Ways are a service's ways as a person sets them by hand in the settings
// file, where its specification is open. An empty one is not set.
//
//	[profile]                                # of whatever service is used
//	tools_path = "/api/v1/mcp"
//
//	[profile."https://api.example.com"]      # of this one alone
//	estimate = "POST"
type Ways struct {
	ToolsPath string // tools_path: a path under the base URL, or a whole address at its host
	Estimate  string // estimate: "GET" or "POST"
	JobID     string // job_id: dotted path of the id in the answer to a create
	Ratio     string // ratio: "ratio" or "aspect_ratio", for every model
	Answers   string // answers: AnswersJob or AnswersResult
}

// What a create answers with.
const (
	AnswersJob    = "job"    // a job that is polled
	AnswersResult = "result" // the result itself, however long that takes
)

// WaysFor gives the ways set by hand for a service.
func (s Settings) WaysFor(base string) Ways {
	own, every := s.WaysOf[base], s.Ways
	return Ways{
		ToolsPath: cmp.Or(own.ToolsPath, every.ToolsPath), Estimate: cmp.Or(own.Estimate, every.Estimate),
		JobID: cmp.Or(own.JobID, every.JobID), Ratio: cmp.Or(own.Ratio, every.Ratio), Answers: cmp.Or(own.Answers, every.Answers),
	}
}

// profileNames are the keys of the table [profile] and of those in it, which
// are named by the addresses of services.
func profileNames(path []string) []string {
	if len(path) > 1 {
		return nil
	}
	return []string{"tools_path", "estimate", "job_id", "ratio", "answers"}
}

func (s *reader) readProfile(table map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(table)) {
		own, ok := table[name].(map[string]any)
		if !ok {
			s.readWay(&s.Ways, table[name], "profile", name)
			continue
		}
		base, _ := api.ParseBase(name)
		w := s.WaysOf[base.String()]
		for _, key := range slices.Sorted(maps.Keys(own)) {
			s.readWay(&w, own[key], "profile", name, key)
		}
		if s.WaysOf == nil {
			s.WaysOf = map[string]Ways{}
		}
		s.WaysOf[base.String()] = w
	}
}

// readWay takes the key of a profile that path leads to.
func (s *reader) readWay(w *Ways, v any, path ...string) {
	at := s.where(path...)
	t, ok := s.words(at, v)
	if !ok || t == "" {
		return
	}
	switch path[len(path)-1] {
	case "tools_path":
		w.ToolsPath = t // read against the base URL when it is used
	case "estimate":
		s.oneOf(at, strings.ToUpper(t), &w.Estimate, "GET", "POST")
	case "job_id":
		if err := api.CheckJobIDPath(t); err != nil {
			s.problem(whyNotUsed, at, err)
			return
		}
		w.JobID = t
	case "ratio":
		s.oneOf(at, t, &w.Ratio, api.FieldRatio, api.FieldAspectRatio)
	case "answers":
		s.oneOf(at, t, &w.Answers, AnswersJob, AnswersResult)
	}
}

// ListRatio lists the ratio of the models under the name that a person set.
func (w Ways) ListRatio(models []api.Model) []api.Model {
	if w.Ratio == "" {
		return models
	}
	out := make([]api.Model, len(models))
	for i, m := range models {
		listed := make([]api.Parameter, 0, len(m.Parameters)+1)
		ratio := api.Parameter{}
		for _, p := range m.Parameters {
			if p.Name != api.FieldRatio && p.Name != api.FieldAspectRatio {
				listed = append(listed, p)
			} else if ratio.Name == "" || p.Name == w.Ratio {
				ratio = p
			}
		}
		ratio.Name = w.Ratio
		m.Parameters = append(listed, ratio)
		out[i] = m
	}
	return out
}

// Profile is what is known of a service's ways, where its specification is
// open: what it showed, and what a person set in its place.
type Profile struct {
	Base string `json:"base"`
	Seen Seen   `json:"seen"`
	Set  Ways   `json:"-"`
	// Ratios are the listed models by the name under which each takes the
	// ratio: "ratio", "aspect_ratio", or "" when it lists neither.
	Ratios map[string][]string `json:"-"`
}

// Seen is what a service showed. It is kept in the store by base URL.
type Seen struct {
	ToolsPath   string    `json:"tools_path,omitempty"`   // escaped, from the origin's root
	Estimate    string    `json:"estimate,omitempty"`     // the method that was answered: "GET" or "POST"
	JobID       string    `json:"job_id,omitempty"`       // dotted path of the id in the last answer to a create
	Answers     string    `json:"answers,omitempty"`      // to a create with async true: AnswersJob or AnswersResult
	AnswersSync string    `json:"answers_sync,omitempty"` // the same with async false
	At          time.Time `json:"at,omitzero"`            // of the last change
}

// NewProfile puts together what is known of a service and of its models.
func NewProfile(base string, set Ways, seen Seen, models []api.Model) Profile {
	p := Profile{Base: base, Set: set, Seen: seen, Ratios: map[string][]string{}}
	for _, m := range models {
		name := ""
		if listed, ok := m.Parameter(api.FieldAspectRatio, api.FieldRatio); ok {
			name = listed.Name
		}
		p.Ratios[name] = append(p.Ratios[name], m.ID)
	}
	return p
}
