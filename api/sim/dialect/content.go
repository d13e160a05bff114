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

// object is a JSON object.
type object = map[string]any

// statuses are a dialect's status words for pending, processing, completed and
// failed jobs.
type statuses [4]string

// of is the word for where a job stands.
func (s statuses) of(j Job) string {
	for i, status := range [4]string{Pending, Processing, Completed, Failed} {
		if j.Status == status {
			return s[i]
		}
	}
	return ""
}

// done and failed report how a job ended.
func (j Job) done() bool   { return j.Status == Completed }
func (j Job) failed() bool { return j.Status == Failed }

// pick is a for images and b for videos.
func (j Job) pick(a, b string) string {
	if j.Kind == api.KindVideo {
		return b
	}
	return a
}
