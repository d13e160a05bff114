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

func (s *reader) readProfile(at, v any) {
	table := s.table(whyNotTable, at, v)
	for _, name := range sorted(table) {
		at := place{"profile", name}
		own, ok := table[name].(map[string]any)
		if !ok {
			s.readWay(&s.Ways, at, table[name])
			continue
		}
		base, err := api.ParseBase(name)
		if err != nil {
			s.stop(whyNotService, at, err)
			continue
		}
		w := s.WaysOf[base.String()]
		for _, key := range sorted(own) {
			s.readWay(&w, at.in(key), own[key])
		}
		if s.WaysOf == nil {
			s.WaysOf = map[string]Ways{}
		}
		s.WaysOf[base.String()] = w
	}
}

// readWay takes a key of a profile.
func (s *reader) readWay(w *Ways, at place, v any) {
	read := map[string]func(t string){
		"tools_path": func(t string) { w.ToolsPath = t }, // read against the base URL when it is used
		"estimate":   func(t string) { s.oneOf(at, strings.ToUpper(t), &w.Estimate, "GET", "POST") },
		"job_id": func(t string) {
			if err := api.CheckJobIDPath(t); err != nil {
				s.problem(whyNotUsed, at, err)
				return
			}
			w.JobID = t
		},
		"ratio":   func(t string) { s.oneOf(at, t, &w.Ratio, api.FieldRatio, api.FieldAspectRatio) },
		"answers": func(t string) { s.oneOf(at, t, &w.Answers, AnswersJob, AnswersResult) },
	}
	take, known := read[at[len(at)-1]]
	if !known {
		s.unknown(at, slices.Sorted(maps.Keys(read))...)
		return
	}
	if t, ok := s.words(at, v); ok && t != "" {
		take(t)
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
	MorePages   bool      `json:"more_pages,omitempty"`   // the last listing named a further page
	At          time.Time `json:"at,omitzero"`            // of the last change
}

// NewProfile puts together what is known of a service and of its models.
func NewProfile(base string, set Ways, seen Seen, models []api.Model) Profile {
	p := Profile{Base: base, Set: set, Seen: seen, Ratios: map[string][]string{}}
	for _, m := range models {
		name := ""
		if listed, ok := m.Parameter(api.FieldAspectRatio); ok {
			name = listed.Name
		}
		p.Ratios[name] = append(p.Ratios[name], m.ID)
	}
	return p
}
