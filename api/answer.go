package api

import (
	"cmp"
	"encoding/json"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// StatusClass is what a service's status word means.
type StatusClass string

// Classes of status words: StatusUnlisted is a word that is not known and counts as
// running, StatusNone no word at all.
const (
	StatusNone      StatusClass = ""
	StatusWaiting   StatusClass = "waiting"
	StatusRunning   StatusClass = "running"
	StatusSucceeded StatusClass = "succeeded"
	StatusFailed    StatusClass = "failed"
	StatusCancelled StatusClass = "cancelled"
	StatusUnlisted  StatusClass = "unlisted"
)

// Result is one result of a job: an address, or the bytes themselves.
type Result struct {
	URL       string    `json:"url,omitempty"`  // absolute or relative to the base URL, query kept intact
	Data      []byte    `json:"data,omitempty"` // decoded base64 or data: URI, instead of a URL
	File      string    `json:"file,omitempty"` // path of a file of ours that holds the bytes, instead of both (see client.Options.NewFile)
	MediaType string    `json:"media_type,omitempty"`
	Kind      Kind      `json:"kind,omitempty"`
	ExpiresAt time.Time `json:"expires_at,omitzero"`
}

// JobAnswer is what could be read from an answer about a job.
type JobAnswer struct {
	ID          string   // data, not text: escape it in paths, clean it before showing it
	IDPath      string   // where it stands: dotted, with [i] for array elements; "(root)" for the whole
	NamesJob    bool     // ID stands where only the id of the answer's own job can stand
	Candidates  []string // further distinct ids, best first, when there is doubt about ID
	Status      Text     // the service's own word
	Class       StatusClass
	Results     []Result        // outputs only; thumbnails and covers are left out
	Left        Reason          // why the answer has more results than Results, or what else is wrong
	Reason      Text            // why it failed
	Progress    float64         // 0 to 1; negative when not known
	Refusal     *Error          // a known refusal inside a 2xx without id or media
	Binary      bool            // the body itself was media
	NotReadable Reason          // why nothing could be read; none when it could
	Raw         json.RawMessage // as received; not always JSON
}

// OtherJob reports whether the answer names, beyond doubt and by an id of the same
// form, another job than the one asked for, which is also known by other ids.
func (a JobAnswer) OtherJob(asked string, also ...string) bool {
	ours := func(id string) bool {
		return sameID(id, asked) || slices.ContainsFunc(also, func(other string) bool { return sameID(id, other) })
	}
	return a.NamesJob && !ours(a.ID) && !slices.ContainsFunc(a.Candidates, ours) && idForm(a.ID) == idForm(asked)
}

// sameID takes ids for the same that differ as writings of one UUID or number do.
func sameID(a, b string) bool {
	if idForm(a) == "0" {
		a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	}
	return strings.EqualFold(a, b)
}

// idForm tells ids of different kinds apart: "0" for digits, "-" for a UUID, else the
// letters in front of the first joint ("job" of job_1).
func idForm(id string) string {
	if strings.Trim(id, "0123456789") == "" {
		return "0"
	}
	parts := strings.Split(id, "-")
	if len(id) == 36 && len(parts) == 5 && len(parts[0]) == 8 && len(parts[4]) == 12 {
		return "-"
	}
	name := id[:max(strings.IndexAny(id, "_-:"), 0)]
	if strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz") != "" {
		return ""
	}
	return name
}

func (a JobAnswer) Ended() bool {
	return a.Class == StatusSucceeded || a.Class == StatusFailed || a.Class == StatusCancelled
}

// Unfinished reports whether the answer says that its results are not final.
func (a JobAnswer) Unfinished() bool {
	// A poll will tell of an unlisted word; without an id there is none.
	return (a.Class != StatusUnlisted || a.ID != "") && a.Class != StatusNone && a.Class != StatusSucceeded
}

// Outcome is what became of the one POST of a create.
type Outcome struct {
	Phase  Phase     // queued, fetching, rejected, not_sent, unread or unknown
	Answer JobAnswer // what could be read, in every phase that had an answer
	Err    *Error    // why, in every phase but queued and fetching
	// RetryAfter above zero: the same intent may be sent again after it.
	RetryAfter time.Duration
	HTTPStatus int
	Header     http.Header // the few headers of interest
	Raw        []byte      // at most 64 KiB, as received but for the key
}

// Phase is darkroom's own word for where a job stands; the service's is its status.
type Phase string

// The phases of a job, in the order in which it passes through them.
const (
	PhaseHeld     Phase = "held"     // agreed to, waits for its turn to be recorded and sent
	PhaseIntent   Phase = "intent"   // recorded, nothing sent yet
	PhaseSending  Phase = "sending"  // the one POST is on its way
	PhaseQueued   Phase = "queued"   // accepted, the service has an id for it
	PhaseRunning  Phase = "running"  // the service works on it
	PhaseFetching Phase = "fetching" // finished there, files on their way here
	PhaseDone     Phase = "done"
	PhaseFailed   Phase = "failed"   // the service says so, or nothing could be fetched
	PhaseRejected Phase = "rejected" // proven not processed
	PhaseNotSent  Phase = "not_sent" // proven that no byte left
	PhaseUnknown  Phase = "unknown"  // may have been accepted and charged
	PhaseUnread   Phase = "unread"   // accepted, but no id could be read
	PhaseExpired  Phase = "expired"  // finished, but its result links are gone
	PhaseStale    Phase = "stale"    // no end seen within seven days
)

func (p Phase) Known() bool {
	return p.Ended() || p.Active() || p == PhaseHeld || p == PhaseUnknown || p == PhaseUnread
}

func (p Phase) Ended() bool {
	return slices.Contains([]Phase{PhaseDone, PhaseFailed, PhaseRejected, PhaseNotSent, PhaseExpired, PhaseStale}, p)
}

func (p Phase) Active() bool {
	return slices.Contains([]Phase{PhaseIntent, PhaseSending, PhaseQueued, PhaseRunning, PhaseFetching}, p)
}

// ProvesRefusal reports whether a status proves that the request was not
// processed. 408, 409, 425 do not, nor does any status outside the table.
func ProvesRefusal(status int) bool {
	return slices.Contains([]int{400, 401, 402, 403, 404, 405, 413, 414, 415, 422}, status)
}

var pathForm = Pattern(`^(?:[^.\[\]]+|\[[0-9]+\])(?:\[[0-9]+\])*(?:\.(?:[^.\[\]]+|\[[0-9]+\])(?:\[[0-9]+\])*)*$`)

// CheckJobIDPath reports whether a path such as a.b[0].c can be followed.
func CheckJobIDPath(path string) error {
	if path != "(root)" && (len(path) > 200 || !pathForm().MatchString(path)) {
		return Sentence("write a path such as data.task_id or data.tasks[0].id").Fault(nil)
	}
	return nil
}

// Model is one entry of GET /api/v1/models, read liberally ("Model").
type Model struct {
	ID         string          `json:"id"`
	Label      string          `json:"label,omitempty"`
	Kind       Kind            `json:"kind"` // empty: the listing does not say
	Price      *Price          `json:"price"`
	Parameters []Parameter     `json:"parameters"`
	Raw        json.RawMessage `json:"raw,omitempty"` // as received
}

func (m Model) Parameter(name string) (Parameter, bool) {
	names := []string{name}
	if f := FieldNamed(name); f != nil {
		names = append([]string{f.Name}, f.Also...)
	}
	for _, name := range names {
		if p, ok := Find(m.Parameters, func(p Parameter) bool { return p.Name == name }); ok {
			return p, true
		}
	}
	return Parameter{}, false
}

// magnitude takes apart a value such as "auto_2K", "720p" or "1024x768".
var magnitude = Pattern(`^[^0-9]*([0-9]+(?:\.[0-9]+)?)([kK]?)(?:[xX*×]([0-9.]+))?`)

// Rising puts listed values in order of their size, "2K" before "auto_2K". What has no
// number, and ratios, keep their order behind all.
func Rising(values []string) []string {
	size := func(v string) float64 {
		if at := slices.Index(FieldNamed(FieldQuality).Values, v); at >= 0 {
			return float64(at)
		}
		m := magnitude().FindStringSubmatch(v)
		if m == nil || strings.Contains(v, ":") {
			return math.MaxFloat64
		}
		n, _ := strconv.ParseFloat(m[1], 64)
		if m[2] != "" {
			n *= 1024
		}
		if height, err := strconv.ParseFloat(m[3], 64); err == nil {
			n *= height
		}
		return n
	}
	return slices.SortedStableFunc(slices.Values(values), func(a, b string) int {
		if of := size(a); of < math.MaxFloat64 {
			return cmp.Or(cmp.Compare(of, size(b)), len(a)-len(b))
		}
		return cmp.Compare(math.MaxFloat64, size(b))
	})
}

// Price is a listed price. Unit is "image", "second", "call" or "unknown".
type Price struct {
	Credits Credits `json:"credits"`
	Unit    string  `json:"unit"`
}

// Parameter is one listed parameter of a model; Min and Max bound a number.
type Parameter struct {
	Name     string   `json:"name"`
	Values   []string `json:"values"`
	Default  string   `json:"default"`
	Type     string   `json:"type,omitempty"` // the listing's word, such as "enum" or "integer"
	Min      *float64 `json:"min,omitempty"`
	Max      *float64 `json:"max,omitempty"`
	Required bool     `json:"required,omitempty"`
}

// MaxValues is how many values of a parameter are read. If there are as many, others may have been left out.
const MaxValues = 512

// open reports whether values that are not listed may be taken too.
func (p Parameter) open() bool { return len(p.Values) == 0 || len(p.Values) >= MaxValues }

type Source string

const (
	SourceService Source = "service" // the estimate endpoint
	SourceTable   Source = "table"   // the spec's rate table
	SourceNone    Source = "none"    // there is no figure
)

// Extra is a parameter that the spec does not name, with the JSON value that is sent.
type Extra struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}

var extraName = Pattern(`^[A-Za-z_][A-Za-z0-9_.-]{0,63}$`)

// Extras gives the parameters of a listing that the spec does not name.
func (m Model) Extras() []Parameter {
	ofModel := []string{"kind", "type", "id"}
	return slices.DeleteFunc(slices.Clone(m.Parameters), func(p Parameter) bool {
		return FieldNamed(p.Name) != nil || slices.Contains(ofModel, p.Name) || !extraName().MatchString(p.Name)
	})
}

const (
	TypeText    = "string"
	TypeInteger = "integer"
	TypeNumber  = "number"
	TypeBoolean = "boolean"
	TypeArray   = "array"
	TypeObject  = "object"
)

// typeWords are the listings' words for the types that are not a text.
var typeWords = map[string]string{
	"integer": TypeInteger, "int": TypeInteger, "int32": TypeInteger, "int64": TypeInteger, "long": TypeInteger,
	"number": TypeNumber, "float": TypeNumber, "float32": TypeNumber, "float64": TypeNumber, "double": TypeNumber, "decimal": TypeNumber,
	"boolean": TypeBoolean, "bool": TypeBoolean, "array": TypeArray, "list": TypeArray, "string[]": TypeArray, "url[]": TypeArray,
	"object": TypeObject, "map": TypeObject, "json": TypeObject,
}

// JSONType is the type that the listing gives a parameter, else a text.
func (p Parameter) JSONType() string { return cmp.Or(typeWords[strings.ToLower(p.Type)], TypeText) }

// typeForms are how a value of a type begins that is typed as JSON; of a number, all of it.
var typeForms = map[string]func() *regexp.Regexp{
	TypeInteger: Pattern(`^-?[0-9]{1,18}$`),
	TypeNumber:  Pattern(`^-?[0-9]{1,18}(\.[0-9]{1,17})?$`),
	TypeBoolean: Pattern(`^(true|false)$`),
	TypeArray:   Pattern(`^\[`),
	TypeObject:  Pattern(`^\{`),
}

// Extra makes the parameter with a typed value, if that is of the listed type.
func (p Parameter) Extra(text string) (Extra, bool) {
	form := typeForms[p.JSONType()]
	if form == nil {
		return Extra{p.Name, json.RawMessage(JSONString(text))}, true
	}
	return Extra{p.Name, json.RawMessage(text)}, form().MatchString(text) && json.Valid([]byte(text))
}

func (e Extra) Text() (s string) {
	if json.Unmarshal(e.Value, &s) == nil && strings.HasPrefix(string(e.Value), `"`) {
		return s
	}
	return string(e.Value)
}
