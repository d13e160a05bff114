// Package sim is the generation service itself, built in: models, estimates,
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
	"errors"
	"fmt"
	"io"
	"log"
	"mime"
	"net"
	"net/http"
	"slices"
	"strconv"
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
	File    func() (data []byte, mediaType string)
}

// Server is a running service. Its methods may be called by any goroutine.
type Server struct {
	o      Options
	base   string // of the listener, without the prefix
	http   *http.Server
	secret []byte // signs result addresses
	tools  http.Handler

	ctx  context.Context // ends with the one given to Start, and by Close
	stop context.CancelFunc
	busy sync.WaitGroup // handlers and the serving goroutine

	painter paint.Painter

	mu    sync.Mutex
	byKey map[string]int // calls of each key
	jobs  map[string]*job
}

// Start listens and serves until Close or the end of ctx.
func Start(ctx context.Context, o Options) (*Server, error) {
	o.Addr = cmp.Or(o.Addr, "127.0.0.1:0")
	if !(o.TimeScale > 0) {
		o.TimeScale = 1
	}
	o.LinkLife = cmp.Or(max(o.LinkLife, 0), time.Hour)
	o.Prefix = strings.TrimRight("/"+strings.Trim(o.Prefix, "/"), "/")
	if o.Models == nil {
		o.Models = Models()
	}
	if o.Hook.Serve == nil {
		o.Hook.Serve = func(x *Exchange) { x.Send(x.Answer()) }
	}
	if o.Hook.Accepted == nil {
		o.Hook.Accepted = func(Generation) {}
	}
	s := &Server{o: o, secret: []byte(rand.Text()), byKey: map[string]int{}, jobs: map[string]*job{}}
	s.ctx, s.stop = context.WithCancel(ctx)
	s.tools = s.toolEntry()
	return s, s.listen()
}

// listen opens the listener and serves it in the background.
func (s *Server) listen() error {
	l, err := (&net.ListenConfig{}).Listen(s.ctx, "tcp", s.o.Addr)
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
	context.AfterFunc(s.ctx, func() { _ = s.http.Close() })
	return nil
}

// URL is the base URL: origin and prefix, no slash at its end.
func (s *Server) URL() string { return s.base + s.o.Prefix }

// Close stops serving at once: open connections are cut, waiting handlers
// return, and nothing of the server is left running. A handler must not call
// it, for Close waits for handlers.
func (s *Server) Close() error {
	s.mu.Lock()
	s.stop() // no further handler begins
	s.mu.Unlock()
	err := s.http.Close()
	s.busy.Wait()
	return err
}

// Paths of the service ("Endpoints"); the last is this server's own choice.
const (
	PathModels   = "/api/v1/models"
	PathEstimate = "/api/v1/pricing/estimate"
	PathImages   = "/api/v1/images/generations"
	PathVideos   = "/api/v1/videos/generations"
	PathJobs     = "/api/v1/jobs/"
	pathTools    = "/api/v1/mcp"
	pathFiles    = "/files/"
)

// Exchange is one call while it is answered.
type Exchange struct {
	Request  *http.Request
	Writer   http.ResponseWriter
	Endpoint string // "models", "estimate", "create", "job", "result", "tools", "other"

	s   *Server
	at  endpoint
	id  string // request id
	key string
}

// Answer is what a call is answered with.
type Answer struct {
	Status int
	Type   string // Content-Type
	Body   []byte
	// Means is what Body says: a Job, []Model or Refusal; nil of a price.
	Means any
	// Stream writes the answer by itself; all fields above are unused then.
	Stream func(http.ResponseWriter)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if s.ctx.Err() != nil {
		s.mu.Unlock()
		panic(http.ErrAbortHandler)
	}
	s.busy.Add(1)
	s.mu.Unlock()
	defer s.busy.Done()
	x := &Exchange{s: s, Writer: w, Request: r, id: "req_" + rand.Text(), Endpoint: "other"}
	i := slices.IndexFunc(endpoints, func(e endpoint) bool {
		return e.path == x.path() || strings.HasSuffix(e.path, "/") && strings.HasPrefix(x.path(), e.path)
	})
	if i >= 0 && strings.HasPrefix(r.URL.Path, s.o.Prefix+"/") {
		x.at, x.Endpoint = endpoints[i], endpoints[i].name
	}
	w.Header().Set("X-Request-Id", x.id)
	s.o.Hook.Serve(x)
}

// path is the requested path without the prefix.
func (x *Exchange) path() string { return strings.TrimPrefix(x.Request.URL.Path, x.s.o.Prefix) }

func (x *Exchange) Send(a Answer) {
	if a.Stream != nil {
		a.Stream(x.Writer)
		return
	}
	h := x.Writer.Header()
	if a.Type != "" && len(a.Body) > 0 {
		h.Set("Content-Type", a.Type)
	}
	h.Set("Content-Length", strconv.Itoa(len(a.Body)))
	x.Writer.WriteHeader(a.Status)
	_, _ = x.Writer.Write(a.Body) // the caller may have gone
}

// Pause waits; a closed connection ends the handler.
func (x *Exchange) Pause(d time.Duration) {
	select {
	case <-time.After(d):
	case <-x.Request.Context().Done():
		panic(http.ErrAbortHandler)
	case <-x.s.ctx.Done():
		panic(http.ErrAbortHandler)
	}
}

// endpoint is a path, or with a slash at its end the beginning of some, the methods
// that it takes, and what answers them.
type endpoint struct {
	name, path string
	methods    []string
	answer     func(*Exchange) Answer // or it refuses
}

var endpoints = []endpoint{
	{"models", PathModels, []string{http.MethodGet}, func(x *Exchange) Answer {
		return say(http.StatusOK, object{"models": x.s.o.Models}, x.s.o.Models)
	}},
	{"estimate", PathEstimate, []string{http.MethodGet, http.MethodPost}, (*Exchange).estimate},
	{"create", PathImages, []string{http.MethodPost}, (*Exchange).create},
	{"create", PathVideos, []string{http.MethodPost}, (*Exchange).create},
	{"job", PathJobs, []string{http.MethodGet}, (*Exchange).job},
	{"result", pathFiles, []string{http.MethodGet, http.MethodHead}, (*Exchange).result},
	{"tools", pathTools, []string{http.MethodGet, http.MethodPost, http.MethodDelete}, (*Exchange).toolCall},
}

// Answer lets the service work on the call and returns its answer.
func (x *Exchange) Answer() (a Answer) {
	refused := try(func() {
		x.admit()
		a = x.at.answer(x)
	})
	if refused != nil {
		return say(refused.Status, object{"request_id": x.id, "error": refused}, *refused)
	}
	return a
}

// try does a part of a call, and gives the Refusal that ended it, if one did.
func try(do func()) (refused *Refusal) {
	defer func() {
		cause := recover()
		if refused, _ = cause.(*Refusal); refused == nil && cause != nil {
			panic(cause)
		}
	}()
	do()
	return nil
}

type object = map[string]any

// say is an answer whose body is JSON.
func say(status int, body object, means any) Answer {
	text, _ := api.PlainJSON(body) // of our own types
	return Answer{Status: status, Type: "application/json", Body: text, Means: means}
}

// Refusal is why a call is not answered. What works on the call panics with one.
type Refusal struct {
	Status  int            `json:"-"`
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Field   string         `json:"field,omitempty"` // the first of Fields
	Fields  []FieldRefusal `json:"fields,omitempty"`
}

type FieldRefusal struct {
	Field   string `json:"field"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// refuse ends the call.
func refuse(status int, code, message string) {
	panic(&Refusal{Status: status, Code: code, Message: message})
}

// admit checks what every call of an endpoint needs: path, method, key, call
// quota, and the content type of a body.
func (x *Exchange) admit() {
	allowed := x.at.methods
	switch {
	case allowed == nil:
		refuse(http.StatusNotFound, "not_found", "There is nothing at this address.")
	case !slices.Contains(allowed, x.Request.Method):
		x.Writer.Header().Set("Allow", strings.Join(allowed, ", "))
		refuse(http.StatusMethodNotAllowed, "method_not_allowed", "This address takes "+strings.Join(allowed, " and ")+".")
	case x.Endpoint == "result":
		return
	}
	x.checkKey()
	if x.Request.Method == http.MethodPost && x.Endpoint != "tools" {
		kind, _, err := mime.ParseMediaType(x.Request.Header.Get("Content-Type"))
		if err != nil || kind != "application/json" {
			refuse(http.StatusUnsupportedMediaType, "unsupported_media_type", "The body must be JSON, with Content-Type: application/json.")
		}
	}
}

// checkKey refuses a call without a usable key and one beyond its call quota.
// Both kinds of refusal do not count as calls of the key.
func (x *Exchange) checkKey() {
	word, key, _ := strings.Cut(x.Request.Header.Get("Authorization"), " ")
	shaped, err := api.ParseKey(key) // "Authentication" 2
	switch {
	case word == "":
		refuse(http.StatusUnauthorized, "missing_api_key", "An API key is needed: Authorization: Bearer ak_…")
	case !strings.EqualFold(word, "Bearer") || err != nil || shaped.Reveal() != key || x.s.o.Key != "" && key != x.s.o.Key:
		refuse(http.StatusUnauthorized, "invalid_api_key", "This API key is not valid. Copy it again from the API key page.")
	}
	x.key = key
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	if limit := x.s.o.Calls; limit > 0 && x.s.byKey[key] >= limit {
		refuse(http.StatusForbidden, "call_quota_exceeded",
			fmt.Sprintf("This key has used its quota of %d calls. Raise it on the API key page.", limit))
	}
	x.s.byKey[key]++
}

func (x *Exchange) readBody() []byte {
	b, err := io.ReadAll(http.MaxBytesReader(x.Writer, x.Request.Body, 1<<20))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		refuse(http.StatusRequestEntityTooLarge, "body_too_large", "The body is larger than 1 MiB.")
	}
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	return b
}
