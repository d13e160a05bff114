// Package sim is the generation service itself, embedded: models, estimates,
// generations, jobs and result files, over real HTTP on a loopback listener.
// Demo mode, 'darkroom simulate' and the tests of every other room run against
// it; the tests make it misbehave through a Hook (package simtest).
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
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"darkroom/api"
	"darkroom/api/sim/paint"
)

// Options are how a Server behaves.
type Options struct {
	Addr      string        // default 127.0.0.1:0
	Key       string        // the only key accepted; "" accepts every well-shaped one
	Credits   api.Credits   // quota of each key; 0: no limit
	Calls     int           // call quota of each key; 0: no limit
	TimeScale float64       // of the times jobs take; 0 means 1
	Prefix    string        // path prefix of the base URL, such as "/gateway"
	LinkLife  time.Duration // how long a result address works; 0 means an hour
	LongSide  int           // of every picture, instead of the size asked for; 0: as asked
	Models    []Model       // the listing; nil means Models()
	Hook      Hook
}

// Hook is what a test puts between the service and its callers.
type Hook struct {
	TLS *tls.Config // serves HTTPS with it, HTTP/2 included
	// Connected is told of every connection, as http.Server.ConnContext is.
	Connected func(context.Context, net.Conn) context.Context
	// Serve answers a call in the place of x.Send(x.Answer()).
	Serve func(x *Exchange)
	// Accepted is told of every generation that is charged.
	Accepted func(g Generation)
}

// Generation is a request that was accepted, with what is said of its job and its file.
type Generation struct {
	Request api.Request
	Body    []byte // as it was sent
	Job     func(now time.Time) Job
	File    func() []byte
}

// Server is a running service. Its methods may be called by any goroutine.
type Server struct {
	o      Options
	base   string // of the listener, without the prefix
	http   *http.Server
	secret []byte // signs result addresses
	tools  http.Handler

	done  chan struct{}  // closed by Close
	busy  sync.WaitGroup // handlers and the serving goroutine
	close sync.Once
	stop  func() bool // forgets the context given to Start

	painter paint.Painter

	mu       sync.Mutex
	closed   bool
	byKey    map[string]int // calls of each key
	jobs     map[string]*job
	accepted []*job
}

// Start listens and serves until Close or the end of ctx.
func Start(ctx context.Context, o Options) (*Server, error) {
	o.Addr = cmp.Or(o.Addr, "127.0.0.1:0")
	if o.TimeScale <= 0 {
		o.TimeScale = 1
	}
	if o.LinkLife <= 0 {
		o.LinkLife = time.Hour
	}
	if o.Prefix = strings.Trim(o.Prefix, "/"); o.Prefix != "" {
		o.Prefix = "/" + o.Prefix
	}
	if o.Models == nil {
		o.Models = Models()
	}
	if o.Hook.Serve == nil {
		o.Hook.Serve = func(x *Exchange) { x.Send(x.Answer()) }
	}
	if o.Hook.Accepted == nil {
		o.Hook.Accepted = func(Generation) {}
	}
	s := &Server{o: o, secret: make([]byte, 32), done: make(chan struct{}), byKey: map[string]int{}, jobs: map[string]*job{}}
	rand.Read(s.secret)
	s.tools = s.toolEntry()
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
		TLSConfig:         s.o.Hook.TLS,
		ConnContext:       s.o.Hook.Connected,
		ReadHeaderTimeout: 30 * time.Second,
		// Nothing may write lines across a terminal program's screen.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	serve := func() error { return s.http.Serve(l) }
	if s.o.Hook.TLS != nil {
		s.base = "https://" + l.Addr().String()
		serve = func() error { return s.http.ServeTLS(l, "", "") }
	}
	s.busy.Go(func() { _ = serve() }) // until Close
	s.stop = context.AfterFunc(ctx, func() { _ = s.Close() })
	return nil
}

// URL is the base URL: origin and prefix, no slash at its end.
func (s *Server) URL() string { return s.base + s.o.Prefix }

// Close stops serving at once: open connections are cut, waiting handlers
// return, and nothing of the server is left running. A handler must not call
// it, for Close waits for handlers.
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
