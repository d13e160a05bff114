package api

import (
	"encoding/json"
)

// Model is one entry of GET /api/v1/models, read liberally ("Model").
type Model struct {
	ID         string          `json:"id"`
	Label      string          `json:"label,omitempty"`
	Kind       Kind            `json:"kind"` // empty: the listing does not say
	Price      *Price          `json:"price"`
	Parameters []Parameter     `json:"parameters"`
	Raw        json.RawMessage `json:"raw,omitempty"` // as received
}

// Parameter returns the first listed parameter that has one of the names, and
// whether there is one.
func (m Model) Parameter(names ...string) (Parameter, bool) {
	for _, name := range names {
		for _, p := range m.Parameters {
			if p.Name == name {
				return p, true
			}
		}
	}
	return Parameter{}, false
}

// Price is a model's default price as listed. Unit is "image", "second",
// "call" or "unknown".
type Price struct {
	Credits Credits `json:"credits"`
	Unit    string  `json:"unit"`
}

// Parameter is one listed parameter of a model. Values are its choices, if it
// lists any; Min and Max bound a number.
type Parameter struct {
	Name     string   `json:"name"`
	Values   []string `json:"values"`
	Default  string   `json:"default"`
	Type     string   `json:"type,omitempty"` // the listing's word, such as "enum" or "integer"
	Min      *float64 `json:"min,omitempty"`
	Max      *float64 `json:"max,omitempty"`
	Required bool     `json:"required,omitempty"`
}

// Source says where a figure comes from.
type Source string

// Sources of an estimate.
const (
	SourceService Source = "service" // the estimate endpoint
	SourceTable   Source = "table"   // the spec's rate table
	SourceNone    Source = "none"    // there is no figure
)
