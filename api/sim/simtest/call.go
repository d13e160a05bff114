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

// record is where a call is recorded.
type record struct {
	s  *Server
	to *Call
}

// change changes the recorded call.
func (r record) change(by func(*Call)) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	by(r.to)
}

// answered records the status of the answer; the first one counts.
func (r record) answered(status int) {
	r.change(func(c *Call) {
		if c.Status == 0 {
			c.Status = status
		}
	})
}

// begin records a call, and counts it for the faults that are due.
func (s *Server) begin(x *sim.Exchange) (record, []Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := x.Request
	c := &Call{
		At: time.Now(), Endpoint: x.Endpoint, Method: r.Method, Path: r.URL.Path, Proto: r.Proto,
		HasKey: r.Header.Get("Authorization") != "", Header: r.Header.Clone(),
	}
	if c.Endpoint == "job" {
		c.JobID = path.Base(r.URL.Path)
	}
	s.calls = append(s.calls, c)
	record := record{s, c}
	x.Writer = statusWriter{x.Writer, record}
	r.Body = heardBody{r.Body, record}
	return record, s.due(x.Endpoint)
}

// statusWriter records the status that is written.
type statusWriter struct {
	http.ResponseWriter
	record
}

func (w statusWriter) WriteHeader(status int) {
	w.answered(status)
	w.ResponseWriter.WriteHeader(status)
}

func (w statusWriter) Write(b []byte) (int, error) {
	w.answered(http.StatusOK)
	return w.ResponseWriter.Write(b)
}

// Flush and Unwrap let the tool entry stream.
func (w statusWriter) Flush()                      { _ = http.NewResponseController(w.ResponseWriter).Flush() }
func (w statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// heardBody records the body that is read.
type heardBody struct {
	io.ReadCloser
	record
}

func (b heardBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.change(func(c *Call) { c.Body = append(c.Body, p[:n]...) })
	return n, err
}
