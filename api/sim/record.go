package sim

import (
	"net/http"
	"slices"
	"time"

	"darkroom/api"
)

// Call is one request the server saw, refused ones included.
type Call struct {
	At       time.Time
	Done     time.Time // when the answer was written; zero while it is not
	Endpoint string    // "models", "estimate", "create", "job", "result", "tools", "other"
	Method   string
	Path     string
	JobID    string // of "job" and "create" calls, when there is one
	Proto    string
	HasKey   bool // an Authorization header was there
	Header   http.Header
	Body     []byte
	Status   int // 0 when no status was written
}

// Calls returns every call so far, oldest first.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Call, len(s.calls))
	for i, c := range s.calls {
		out[i] = *c
	}
	return out
}

// Entry is one generation the server accepted and charged.
type Entry struct {
	ID       string
	At       time.Time
	Kind     api.Kind
	Model    string
	Prompt   string // tests put a nonce into it
	Body     []byte // as it was sent
	Credits  api.Credits
	Failed   bool         // ended in FAILED
	Refunded api.Credits  // of Credits; all of them when it failed
	Files    []ServedFile // once completed
}

// ServedFile is a result as the server serves it. Every look at it signs its
// address anew.
type ServedFile struct {
	URL, MediaType, SHA256 string
	Bytes                  int64
}

// Ledger returns every accepted generation, oldest first.
func (s *Server) Ledger() []Entry {
	s.mu.Lock()
	jobs := slices.Clone(s.accepted)
	s.mu.Unlock()
	now := time.Now()
	out := make([]Entry, len(jobs))
	for i, j := range jobs {
		e := Entry{
			ID: j.id, At: j.at, Kind: j.request.Kind, Model: j.request.Model, Prompt: j.request.Prompt,
			Body: slices.Clone(j.body), Credits: j.credits,
		}
		switch j.status(now) {
		case Failed:
			e.Failed, e.Refunded = true, j.credits
		case Completed:
			f := s.file(j, "")
			e.Files = []ServedFile{{URL: s.link(j, f.name, now), MediaType: f.mediaType, SHA256: f.sha256(), Bytes: int64(len(f.data))}}
		}
		out[i] = e
	}
	return out
}
