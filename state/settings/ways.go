package settings

import (
	"slices"
	"strings"
	"time"

	"darkroom/api"
)

// Ways are what a person sets by hand of a service, as its specification is open.
// An empty one is not set.
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
	if own, ok := s.WaysOf[base]; ok {
		return own
	}
	return s.Ways
}

// readProfile takes [profile], whose tables are those of services.
func (s *reader) readProfile(at, v any) {
	all, _ := v.(map[string]any)
	services := map[string]any{}
	for name, v := range all {
		if _, ok := v.(map[string]any); ok {
			services[name] = v
			delete(all, name)
		}
	}
	s.table(at, v, "%v is not a table: write [profile] on a line of its own, and the keys below it", s.ways(&s.Ways))
	s.WaysOf = map[string]Ways{}
	for _, name := range sorted(services) {
		at := place{"profile", name}
		base, err := api.ParseBase(name)
		if err != nil {
			s.stop("%v is not the address of a service, so nothing can be sent: %v", at, err)
			continue
		}
		w := s.WaysFor(base.String())
		s.fields(at, services[name], s.ways(&w))
		s.WaysOf[base.String()] = w
	}
}

func (s *reader) ways(w *Ways) []row {
	return []row{
		{name: "tools_path", read: s.given(func(_ any, v string) { w.ToolsPath = v })}, // read against the base URL when it is used
		{name: "estimate", read: s.given(func(at any, v string) { s.choice(&w.Estimate, "GET", "POST")(at, strings.ToUpper(v)) })},
		{name: "job_id", read: s.given(func(at any, v string) {
			if err := api.CheckJobIDPath(v); err != nil {
				s.problem("%v is not used: %v", at, err)
				return
			}
			w.JobID = v
		})},
		{name: "ratio", read: s.choice(&w.Ratio, api.FieldRatio, api.FieldAspectRatio)},
		{name: "answers", read: s.choice(&w.Answers, AnswersJob, AnswersResult)},
	}
}

// ListRatio lists the ratio of the models under the name that a person set.
func (w Ways) ListRatio(models []api.Model) []api.Model {
	models = slices.Clone(models)
	if w.Ratio == "" {
		return models
	}
	for i, m := range models {
		ratio, _ := m.Parameter(api.FieldAspectRatio)
		ratio.Name = w.Ratio
		listed := slices.DeleteFunc(slices.Clone(m.Parameters), func(p api.Parameter) bool {
			return p.Name == api.FieldRatio || p.Name == api.FieldAspectRatio
		})
		models[i].Parameters = append(listed, ratio)
	}
	return models
}

// Profile is what a service showed, and what a person set in its place.
type Profile struct {
	Base string `json:"base"`
	Seen Seen   `json:"seen"`
	Set  Ways   `json:"-"`
	// Ratios are the listed models by the name of the field for the ratio, or "".
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
