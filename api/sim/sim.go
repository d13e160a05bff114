// Package sim is the generation service itself, embedded: models, estimates,
// generations, jobs, result files and faults on demand, over real HTTP on a
// loopback listener. Demo mode, 'darkroom simulate' and the tests of every
// other room run against it.
//
// What the specification leaves open it decides as follows. A create answers
// {"id": …, "job": {…}} with 200; with async false or without async the answer
// comes when the work is done and holds the finished job. A breach of a rule
// is 422, a body that cannot be read 400, no or a wrong key 401, exhausted
// credits 402, exhausted calls 403. An error's body is {"error": {"code": …,
// "message": …, "field": …, "fields": […]}, "request_id": …}. A prompt that
// holds [fail] ends in FAILED, one that holds [nsfw] is refused with 400.
package sim

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"darkroom/api"
	"darkroom/api/sim/dialect"
	"darkroom/api/sim/fault"
	"darkroom/api/sim/paint"
)

// Options are how a Server behaves.
type Options struct {
	Addr      string      // default 127.0.0.1:0
	Key       string      // the only key accepted; "" accepts every well-shaped one
	Credits   api.Credits // quota of each key; 0: no limit
	Calls     int         // call quota of each key; 0: no limit
	TimeScale float64     // of the times jobs take; 0 means 1
	Dialect   string      // "" is the spec's own; see Dialects
	Faults    []Fault
	Prefix    string        // path prefix of the base URL, such as "/gateway"
	TLS       bool          // serve HTTPS with a certificate of its own (see Server.CertPool), HTTP/2 included
	LinkLife  time.Duration // how long a result address works; 0 means an hour
	LongSide  int           // of every picture, instead of the size asked for; 0: as asked
	// ExtraModels is how many image models are listed besides the usual two;
	// each costs one credit more than the one before.
	ExtraModels int
}

// Server is a running service. Its methods may be called by any goroutine.
type Server struct {
	o       Options
	base    string // of the listener, without the prefix
	http    *http.Server
	pool    *x509.CertPool
	dialect dialect.Dialect
	secret  []byte // signs result addresses
	tools   http.Handler

	done  chan struct{}  // closed by Close
	busy  sync.WaitGroup // handlers and the serving goroutine
	close sync.Once
	stop  func() bool // forgets the context given to Start

	faults  fault.Set
	painter paint.Painter

	mu       sync.Mutex
	closed   bool
	calls    []*Call
	byKey    map[string]int  // calls of each key
	rebuilt  map[string]bool // keys that were rebuilt
	jobs     map[string]*job
	accepted []*job
}

// Dialects lists the names that Options.Dialect takes; "" is the spec's own.
func Dialects() []string { return dialect.Names() }

// Start listens and serves until Close or the end of ctx.
func Start(ctx context.Context, o Options) (*Server, error) {
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.TimeScale <= 0 {
		o.TimeScale = 1
	}
	if o.LinkLife <= 0 {
		o.LinkLife = time.Hour
	}
	if o.Prefix = strings.Trim(o.Prefix, "/"); o.Prefix != "" {
		o.Prefix = "/" + o.Prefix
	}
	named, ok := dialect.Named(o.Dialect)
	if !ok {
		return nil, fmt.Errorf("no dialect %q; there are %s; without one answers have the spec's own shapes", o.Dialect, strings.Join(Dialects()[1:], ", "))
	}
	s := &Server{
		o: o, dialect: named, secret: make([]byte, 32), done: make(chan struct{}),
		byKey: map[string]int{}, rebuilt: map[string]bool{}, jobs: map[string]*job{},
	}
	rand.Read(s.secret)
	s.tools = s.toolEntry()
	for _, f := range o.Faults {
		if err := s.faults.Add(f); err != nil {
			return nil, err
		}
	}
	return s, s.listen(ctx)
}

// listen opens the listener and serves it in the background.
func (s *Server) listen(ctx context.Context) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.o.Addr)
	if err != nil {
		return err
	}
	s.base = "http://" + l.Addr().String()
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.serve),
		ConnContext:       s.faults.ConnContext,
		ReadHeaderTimeout: 30 * time.Second,
		// This server resets connections on purpose, and nothing may write lines
		// across a terminal program's screen.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	serve := func() error { return s.http.Serve(l) }
	if s.o.TLS {
		cert, pool, err := ownCertificate()
		if err != nil {
			return errors.Join(err, l.Close())
		}
		s.base, s.pool = "https://"+l.Addr().String(), pool
		s.http.TLSConfig = &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
		serve = func() error { return s.http.ServeTLS(l, "", "") }
	}
	s.busy.Go(func() {
		// Serving ends with Close; net/http recovers the panics of handlers.
		if err := serve(); !errors.Is(err, http.ErrServerClosed) {
			s.http.ErrorLog.Print(err)
		}
	})
	s.stop = context.AfterFunc(ctx, func() { _ = s.Close() })
	return nil
}

// URL is the base URL: origin and prefix, no slash at its end.
func (s *Server) URL() string { return s.base + s.o.Prefix }

// CertPool trusts the server's own certificate; nil without Options.TLS.
func (s *Server) CertPool() *x509.CertPool { return s.pool }

// Close stops serving at once: open connections are cut, waiting handlers
// return, and nothing of the server is left running. A Fault's Then must not
// call it, for Close waits for the handler that waits for Then.
func (s *Server) Close() error {
	var err error
	s.close.Do(func() {
		s.stop()
		s.mu.Lock()
		s.closed = true
		s.mu.Unlock()
		close(s.done)
		err = s.http.Close()
	})
	s.busy.Wait()
	return err
}
