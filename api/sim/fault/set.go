package fault

import (
	"context"
	"maps"
	"net"
	"strings"
	"sync"
)

// Set holds the faults of a server and counts the calls that each could apply
// to. Its zero value holds none; its methods may be called by any goroutine.
type Set struct {
	mu    sync.Mutex
	armed []*armed
}

// armed is a fault with the number of calls that it could have applied to.
type armed struct {
	Fault
	seen int
}

// Add adds a fault, which counts calls from now on.
func (s *Set) Add(f Fault) error {
	if err := f.Check(); err != nil {
		return err
	}
	f.Header = maps.Clone(f.Header)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed = append(s.armed, &armed{Fault: f})
	return nil
}

// Clear takes all faults away.
func (s *Set) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed = nil
}

// connection stands for the endpoint where a connection was just accepted.
const connection = "connection"

// Due counts a call of an endpoint and returns the faults that apply to it, in
// the order in which they were added.
func (s *Set) Due(endpoint string) (due []Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.armed {
		ofConnection := strings.HasSuffix(a.Do, "at-accept")
		if ofConnection != (endpoint == connection) || !ofConnection && a.Endpoint != "" && a.Endpoint != endpoint {
			continue
		}
		a.seen++
		if from := max(1, a.From); a.seen >= from && (a.Count == 0 || a.seen < from+a.Count) {
			f := a.Fault
			f.call = a.seen
			due = append(due, f)
		}
	}
	return due
}

// connKey finds a call's connection in its context.
type connKey struct{}

// ConnContext is for http.Server.ConnContext: it remembers the connection, so
// that faults can break it, and carries out the faults that are due when it is
// accepted.
func (s *Set) ConnContext(ctx context.Context, c net.Conn) context.Context {
	for _, f := range s.Due(connection) {
		f.then()
		if f.Do == "reset-at-accept" {
			reset(c)
		}
	}
	return context.WithValue(ctx, connKey{}, c)
}

// reset cuts a connection so that the other side sees a reset, not an end.
func reset(c net.Conn) {
	if t, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = t.NetConn()
	}
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = c.Close()
}
