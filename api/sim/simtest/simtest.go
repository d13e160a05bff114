// Package simtest is the simulator for tests: with faults, with the answers of
// other services (dialects), and over TLS. The program does not contain it.
package simtest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"darkroom/api"
	"darkroom/api/sim"
	"darkroom/api/sim/paint"
)

// Options are the simulator's, and more for tests alone.
type Options struct {
	Key         string
	Credits     api.Credits
	Calls       int
	TimeScale   float64
	Prefix      string
	LinkLife    time.Duration
	LongSide    int
	TLS         bool   // serve HTTPS, HTTP/2 included; see Server.CertPool
	Dialect     string // "" is the spec's own; see Dialects
	ExtraModels int    // how many image models are listed besides the first two; each costs one credit more than the one before
	Faults      []Fault
}

// Server is a running simulator that misbehaves on demand.
type Server struct {
	*sim.Server
	dialect dialect
	pool    *x509.CertPool

	mu         sync.Mutex
	calls      []*Call
	armed      []*armed
	old, fresh string // the key that was rebuilt
}

// armed is a fault with the number of calls that it could have applied to.
type armed struct {
	Fault
	seen int
}

// Start listens and serves until Close or the end of ctx.
func Start(ctx context.Context, o Options) (*Server, error) {
	s := &Server{dialect: dialects()[o.Dialect]}
	if o.Dialect != "" && s.dialect.Job == nil {
		return nil, fmt.Errorf("there is no dialect %q", o.Dialect)
	}
	for _, f := range o.Faults {
		s.AddFault(f)
	}
	hook := sim.Hook{Connected: s.connected, Serve: s.serve}
	if o.TLS {
		hook.TLS, s.pool = certificate()
	}
	var err error
	s.Server, err = sim.Start(ctx, sim.Options{
		Key: o.Key, Credits: o.Credits, Calls: o.Calls, TimeScale: o.TimeScale, Prefix: o.Prefix, LinkLife: o.LinkLife, LongSide: o.LongSide,
		Models: models(o.ExtraModels), Hook: hook,
	})
	return s, err
}

// models are the service's own and extra ones.
func models(extra int) []sim.Model {
	list := sim.Models()
	for i := range extra {
		m := list[0]
		n := strconv.Itoa(i + 2)
		m.ID, m.Name = "lumen/still-"+n, "Lumen Still "+n
		m.Price.Credits += api.Credits(i+1) * api.Credit
		list = append(list, m)
	}
	return list
}

// certificate is the one of httptest, with a pool that trusts it.
func certificate() (*tls.Config, *x509.CertPool) {
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return &tls.Config{Certificates: s.TLS.Certificates, MinVersion: tls.VersionTLS12}, pool
}

// CertPool trusts the server's certificate; nil without Options.TLS.
func (s *Server) CertPool() *x509.CertPool { return s.pool }

// Rebuild does what the API key page offers for a leaked key ("Authentication"
// 4): the old one is refused from now on, and its jobs are the new one's.
func (s *Server) Rebuild(old, fresh string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.old, s.fresh = old, fresh
}

// translateKey lets the service, which knows the old key alone, see what
// Rebuild says.
func (s *Server) translateKey(h http.Header) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch _, key, _ := strings.Cut(h.Get("Authorization"), " "); {
	case s.old == "":
	case key == s.old:
		h.Set("Authorization", "Bearer rebuilt")
	case key == s.fresh:
		h.Set("Authorization", "Bearer "+s.old)
	}
}

// AddFault adds a fault, which counts calls from now on. It panics when there is
// no such kind of fault.
func (s *Server) AddFault(f Fault) {
	if !kinds[f.Do] {
		panic("there is no fault " + strconv.Quote(f.Do))
	}
	f.Header = maps.Clone(f.Header)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed = append(s.armed, &armed{Fault: f})
}

// ClearFaults takes all faults away.
func (s *Server) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed = nil
}

// connection stands for the endpoint where a connection was just accepted.
const connection = "connection"

// due counts a call of an endpoint and returns the faults that apply to it, in
// the order in which they were added. The lock is held.
func (s *Server) due(endpoint string) (list []Fault) {
	for _, a := range s.armed {
		ofConnection := strings.HasSuffix(a.Do, "at-accept")
		if ofConnection != (endpoint == connection) || !ofConnection && a.Endpoint != "" && a.Endpoint != endpoint {
			continue
		}
		a.seen++
		if from := max(1, a.From); a.seen >= from && (a.Count == 0 || a.seen < from+a.Count) {
			f := a.Fault
			f.call = a.seen
			list = append(list, f)
		}
	}
	return list
}

// connKey finds a call's connection in its context.
type connKey struct{}

// connected remembers the connection, so that faults can break it, and carries
// out the faults that are due when it is accepted.
func (s *Server) connected(ctx context.Context, c net.Conn) context.Context {
	s.mu.Lock()
	due := s.due(connection)
	s.mu.Unlock()
	for _, f := range due {
		f.then()
		if f.Do == "reset-at-accept" {
			reset(c)
		}
	}
	return context.WithValue(ctx, connKey{}, c)
}

// reset cuts a connection so that the other side sees a reset, not an end.
func reset(c net.Conn) {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = c.Close()
}

// picture is an image/png that depends on a text.
func picture(text string) []byte {
	in := paint.Input{Kind: api.KindImage, Prompt: text}
	return new(paint.Painter).File(in, in.Media(64))
}

// answer lets the service answer, in the server's dialect. The files that
// html-result and shuffled-results name lie where the result does.
func (s *Server) answer(x *sim.Exchange) sim.Answer {
	u := x.Request.URL
	name := path.Base(u.Path)
	html := name == "viewer.html"
	if x.Endpoint != "result" || !html && !strings.HasPrefix(name, "image-") {
		a := x.Answer()
		s.dialect.say(&a, x.Writer.Header().Get("X-Request-Id"))
		return a
	}
	u.Path = path.Join(path.Dir(u.Path), "image.png")
	x.Request.Header.Del("Range")
	switch a := x.Answer(); {
	case a.Status != http.StatusOK:
		return a
	case html:
		return sim.Answer{Status: a.Status, Type: "text/html; charset=utf-8", Body: []byte("<!DOCTYPE html><html></html>")}
	default:
		return sim.Answer{Status: a.Status, Type: a.Type, Body: picture(u.Path + name)}
	}
}
