package settings

import (
	"time"

	"darkroom/api"
)

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
