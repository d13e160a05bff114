// Package simtest is the simulator for tests: with faults, with the answers of
// other services (dialects), and over TLS. The program does not contain it.
package simtest

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
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
	accepted   []sim.Generation
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
	hook := sim.Hook{Connected: s.connected, Serve: s.serve, Accepted: s.keep}
	if o.TLS {
		hook.TLS, s.pool = Certificate()
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

// Certificate is the one of httptest, with a pool that trusts it.
func Certificate() (*tls.Config, *x509.CertPool) {
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
	Locked(&s.mu, func() { s.old, s.fresh = old, fresh })
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
	Locked(&s.mu, func() { s.armed = append(s.armed, &armed{Fault: f}) })
}

// ClearFaults takes all faults away.
func (s *Server) ClearFaults() {
	Locked(&s.mu, func() { s.armed = nil })
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
			Reset(c)
		}
	}
	return context.WithValue(ctx, connKey{}, c)
}

// Reset cuts a connection so that the other side sees a reset, not an end.
func Reset(c net.Conn) {
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
		a, header := kept(x)
		maps.Copy(x.Writer.Header(), header)
		s.dialect.say(&a, x.Endpoint, x.Writer.Header().Get("X-Request-Id"))
		return a
	}
	u.Path = path.Join(path.Dir(u.Path), "image.png")
	x.Request.Header.Del("Range")
	switch a, _ := kept(x); {
	case a.Status != http.StatusOK:
		return a
	case html:
		return sim.Answer{Status: a.Status, Type: "text/html; charset=utf-8", Body: []byte("<!DOCTYPE html><html></html>")}
	default:
		return sim.Answer{Status: a.Status, Type: a.Type, Body: picture(u.Path + name)}
	}
}

// Call is one request the server saw, refused ones included.
type Call struct {
	At       time.Time
	Done     time.Time // when the answer was written; zero while it is not
	Endpoint string    // "models", "estimate", "create", "job", "result", "tools", "other"
	Method   string
	Path     string
	JobID    string // of "job" and "create" calls, when there is one
	Proto    string
	Header   http.Header
	Body     []byte
	Status   int // 0 when no status was written
}

// Calls returns every call so far, oldest first.
func (s *Server) Calls() []Call {
	return Read(&s.mu, func() []Call { return api.Map(s.calls, func(c *Call) Call { return *c }) })
}

// Entry is a generation that was accepted and charged.
type Entry struct {
	sim.Job
	Prompt string       // tests put a nonce into it
	Body   []byte       // as it was sent
	Files  []ServedFile // once completed
}

// ServedFile is a result as served.
type ServedFile struct {
	SHA256 string
	Bytes  int64
}

func (s *Server) keep(g sim.Generation) {
	Locked(&s.mu, func() { s.accepted = append(s.accepted, g) })
}

// Ledger returns every accepted generation, oldest first.
func (s *Server) Ledger() []Entry {
	accepted := Read(&s.mu, func() []sim.Generation { return slices.Clone(s.accepted) })
	now := time.Now()
	return api.Map(accepted, func(g sim.Generation) Entry {
		e := Entry{Job: g.Job(now), Prompt: g.Request.Prompt, Body: g.Body}
		if e.Status == sim.Completed {
			b, _ := g.File()
			e.Files = []ServedFile{{fmt.Sprintf("%x", sha256.Sum256(b)), int64(len(b))}}
		}
		return e
	})
}

// record changes the recorded call.
func (c *call) record(change func(*Call)) {
	Locked(&c.s.mu, func() { change(c.kept) })
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
		Header: r.Header.Clone(),
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

// Key is the key that Ask sends.
const Key = "ak_test"

// Run serves for the length of a test, by default a thousand times as fast as
// the service.
func Run(t testing.TB, o Options) *Server {
	t.Helper()
	if o.TimeScale == 0 {
		o.TimeScale = 0.001
	}
	s := Must(Start(t.Context(), o))(t)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// Reply is an answer that was read to its end.
type Reply struct {
	*http.Response
	Body []byte
	Err  error // of the transport, or of reading the body
}

// Ask calls the server with the test key.
func (s *Server) Ask(t testing.TB, method, path, body string) Reply {
	t.Helper()
	return Do(s.Request(t, method, path, body))
}

// Request is a call with the test key. The path may be a whole address.
func (s *Server) Request(t testing.TB, method, path, body string) *http.Request {
	t.Helper()
	if strings.HasPrefix(path, "/") {
		path = s.URL() + path
	}
	r := Must(http.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body)))(t)
	r.GetBody = nil
	r.Header.Set("Authorization", "Bearer "+Key)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// Do sends a request on a connection of its own, following no redirect.
func Do(r *http.Request) Reply {
	transport := &http.Transport{DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(r)
	if err != nil {
		return Reply{Err: err}
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return Reply{res, b, err}
}

// At digs a value out of a JSON answer: "job.result.images.0.url".
func (r Reply) At(t testing.TB, path string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(r.Body, &v); err != nil {
		t.Fatalf("%v in %s", err, r.Body)
	}
	for _, step := range strings.Split(path, ".") {
		switch n := v.(type) {
		case map[string]any:
			v = n[step]
		case []any:
			var i int
			if _, err := fmt.Sscan(step, &i); err != nil || i >= len(n) {
				return nil
			}
			v = n[i]
		default:
			return nil
		}
	}
	return v
}

// Text is At for a text, "" when there is none.
func (r Reply) Text(t testing.TB, path string) string {
	t.Helper()
	s, _ := r.At(t, path).(string)
	return s
}

// Finish polls a job of the plain dialect until it has ended.
func (s *Server) Finish(t testing.TB, id string) Reply {
	t.Helper()
	for {
		r := s.Ask(t, "GET", sim.PathJobs+id, "")
		if status := r.Text(t, "job.status"); status == sim.Completed || status == sim.Failed {
			return r
		}
		select {
		case <-t.Context().Done():
			t.Fatal("the job never ended")
		case <-time.After(time.Millisecond):
		}
	}
}

// Must gives a function that returns v, or ends the test when err is set.
func Must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		NoError(t, err)
		return v
	}
}

// NoError ends the test when a step of its set-up failed.
func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Promised fails unless the promises contain each text.
func Promised(t testing.TB, texts ...string) {
	t.Helper()
	promises := strings.Join(strings.Fields(string(Must(os.ReadFile("../../docs/promises.md"))(t))), " ")
	for _, text := range texts {
		if !strings.Contains(promises, text) {
			t.Errorf("the promises do not say %q", text)
		}
	}
}
