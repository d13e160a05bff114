package simtest

import (
	"io"
	"net/http"
	"path"
	"time"

	"darkroom/api/sim"
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

// record changes the recorded call.
func (c *call) record(change func(*Call)) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	change(c.kept)
}

// answered records the status of the answer; the first one counts.
func (c *call) answered(status int) {
	c.record(func(kept *Call) {
		if kept.Status == 0 {
			kept.Status = status
		}
	})
}

// begin records a call, and finds the faults that are due on it.
func (s *Server) begin(x *sim.Exchange) *call {
	r := x.Request
	c := &call{Exchange: x, s: s, kept: &Call{
		At: time.Now(), Endpoint: x.Endpoint, Method: r.Method, Path: r.URL.Path, Proto: r.Proto,
		HasKey: r.Header.Get("Authorization") != "", Header: r.Header.Clone(),
	}}
	if x.Endpoint == "job" {
		c.kept.JobID = path.Base(r.URL.Path)
	}
	x.Writer, r.Body = writer{x.Writer, c}, heardBody{r.Body, c}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, c.kept)
	c.due = s.due(x.Endpoint)
	return c
}

// heardBody records the body that is read.
type heardBody struct {
	io.ReadCloser
	c *call
}

func (b heardBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.c.record(func(kept *Call) { kept.Body = append(kept.Body, p[:n]...) })
	return n, err
}
