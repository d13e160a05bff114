package api

import (
	"encoding/json"
	"net/http"
	"slices"
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
	Left        Reason          // says that the answer has more results than Results
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
	pollable := a.Class != StatusUnlisted || a.ID != "" // a poll will tell; without an id there is none
	return pollable && a.Class != StatusNone && a.Class != StatusSucceeded
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
	Connected  bool
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
