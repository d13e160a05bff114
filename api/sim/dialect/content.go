package dialect

import (
	"time"

	"darkroom/api"
)

// Status words ("States and transitions").
const (
	Pending    = "PENDING"
	Processing = "PROCESSING"
	Completed  = "COMPLETED"
	Failed     = "FAILED"
)

// Job is what a dialect says of a job.
type Job struct {
	ID        string
	Kind      api.Kind
	Model     string
	Status    string
	Progress  float64 // 0 to 1
	Reason    string  // of a failed job
	Credits   api.Credits
	Created   time.Time
	URL       string // of a completed job
	Poster    string // of a completed video
	MediaType string
	Width     int
	Height    int
	Seconds   int // of a video
	Expires   time.Time
}

// Model is one entry of the models listing.
type Model struct {
	ID         string      `json:"id"`
	Name       string      `json:"name"`
	Type       api.Kind    `json:"type"`
	Price      Price       `json:"default_price"`
	Parameters []Parameter `json:"parameters"`
}

// Price is the default price of a listed model.
type Price struct {
	Credits api.Credits `json:"credits"`
	Unit    string      `json:"unit"`
}

// Parameter is one parameter of a listed model.
type Parameter struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	Values   []string `json:"values,omitempty"`
	Default  any      `json:"default,omitempty"`
	Min      *int     `json:"min,omitempty"`
	Max      *int     `json:"max,omitempty"`
	Required bool     `json:"required,omitempty"`
}

// Refusal is what a dialect says of a call that is refused.
type Refusal struct {
	Status  int
	Code    string
	Message string
	Fields  []FieldRefusal
}

// FieldRefusal is a refusal of one field of the request.
type FieldRefusal struct {
	Field   string `json:"field"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// byName is the parameters as a map of lists.
func (m Model) byName() object {
	o := object{}
	for _, p := range m.Parameters {
		switch {
		case len(p.Values) > 0:
			o[p.Name] = p.Values
		case p.Min != nil:
			o[p.Name] = object{"type": "range", "min": p.Min, "max": p.Max, "default": p.Default}
		}
	}
	return o
}

// plurals is the parameters that have choices, each under the plural of its name.
func (m Model) plurals() object {
	names := map[string]string{"size": "sizes", "aspect_ratio": "aspectRatios", "ratio": "aspectRatios", "quality": "qualities", "resolution": "resolutions"}
	o := object{}
	for _, p := range m.Parameters {
		if plural := names[p.Name]; plural != "" {
			o[plural] = p.Values
		}
	}
	return o
}

// schema is the parameters as a JSON Schema.
func (m Model) schema() object {
	properties, required := object{}, []string{}
	for _, p := range m.Parameters {
		o := object{"type": "string"}
		switch {
		case len(p.Values) > 0:
			o["enum"], o["default"] = p.Values, p.Default
		case p.Type == "integer":
			o["type"] = "integer"
		case p.Type == "url[]":
			o["type"], o["items"] = "array", object{"type": "string", "format": "uri"}
		}
		if p.Min != nil {
			o["minimum"], o["maximum"], o["default"] = p.Min, p.Max, p.Default
		}
		properties[p.Name] = o
		if p.Required {
			required = append(required, p.Name)
		}
	}
	return object{"type": "object", "properties": properties, "required": required}
}
