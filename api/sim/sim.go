// Package sim is the generation service itself, embedded: models, estimates,
// generations, jobs, result files and faults on demand, over real HTTP on a
// loopback listener. Demo mode, 'darkroom simulate' and the tests of every
// other room run against it.
package sim

import (
	"context"
	"errors"
	"net/http"
	"time"

	"darkroom/api"
)

// Options are how a Server behaves.
type Options struct {
	Addr      string      // default 127.0.0.1:0
	Key       string      // the only key accepted; "" accepts every well-shaped one
	Credits   api.Credits // quota of each key; 0: no limit
	Calls     int         // call quota of each key; 0: no limit
	TimeScale float64     // of the times jobs take; 0 means 1
	Dialect   string      // "" is the spec's own words
	Faults    []Fault
	Prefix    string // path prefix of the base URL, such as "/gateway"
	TLS       bool   // serve HTTPS with a certificate of its own (see Server.CertPool), HTTP/2 included
}

// Server is a running service.
type Server struct{}

// Start listens and serves until Close or the end of ctx.
func Start(ctx context.Context, o Options) (*Server, error) { return nil, errors.New("not built yet") }

// URL is the base URL.
func (s *Server) URL() string { return "" }

// Close stops serving.
func (s *Server) Close() error { return nil }

// Call is one request the server saw, refused ones included.
type Call struct {
	At       time.Time
	Done     time.Time // when the answer was written
	Endpoint string    // "models", "estimate", "create", "job", "result", "tools", "other"
	Method   string
	Path     string
	JobID    string // of "job" and "create" calls, when there is one
	Proto    string
	HasKey   bool // an Authorization header was there
	Header   http.Header
	Body     []byte
	Status   int
}

// Calls returns every call so far, oldest first.
func (s *Server) Calls() []Call { return nil }

// Entry is one generation the server accepted and charged.
type Entry struct {
	ID      string
	At      time.Time
	Kind    api.Kind
	Prompt  string // tests put a nonce into it
	Body    []byte
	Credits api.Credits
	Files   []ServedFile // once completed
}

// ServedFile is a result as the server serves it.
type ServedFile struct {
	URL, MediaType, SHA256 string
	Bytes                  int64
}

// Ledger returns every accepted generation, oldest first.
func (s *Server) Ledger() []Entry { return nil }

// Fault makes calls of an endpoint misbehave.
type Fault struct {
	Endpoint string        // as Call.Endpoint; "" means every one
	From     int           // the first call it applies to, counted from 1 per endpoint; 0 means 1
	Count    int           // to how many calls; 0 means all from there on
	Do       string        // one of the kinds that ParseFault lists
	Status   int           // with "status"
	Delay    time.Duration // with "latency", "slow-body", "hang"
	Header   http.Header   // sent besides
	Body     string        // with "status" and "body"
	Then     func()        // called at the fault's moment, such as to kill a process
}

// AddFault adds a fault while the server runs.
func (s *Server) AddFault(f Fault) {}

// ParseFault reads a fault as the command line writes it:
// ENDPOINT[@FROM[+COUNT]]:DO[=VALUE], such as "create@2+1:reset-after-body".
func ParseFault(text string) (Fault, error) { return Fault{}, errors.New("not built yet") }
