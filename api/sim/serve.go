package sim

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"math/big"
	"mime"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/api/sim/dialect"
	"darkroom/api/sim/fault"
)

// maxBody is the largest request body that is read, in bytes.
const maxBody = 1 << 20

// Paths of the service ("Endpoints"); the last is this server's own choice.
const (
	pathModels   = "/api/v1/models"
	pathEstimate = "/api/v1/pricing/estimate"
	pathImages   = "/api/v1/images/generations"
	pathVideos   = "/api/v1/videos/generations"
	pathJobs     = "/api/v1/jobs/"
	pathTools    = "/api/v1/mcp"
	pathFiles    = "/files/"
)

// exchange is one call while it is answered.
type exchange struct {
	s    *Server
	w    http.ResponseWriter
	r    *http.Request
	call *Call
	path string // without the prefix
	id   string // request id
	key  string
	body []byte
}

func (x *exchange) Request() *http.Request      { return x.r }
func (x *exchange) Writer() http.ResponseWriter { return x.w }
func (x *exchange) Closed() <-chan struct{}     { return x.s.done }
func (x *exchange) Received(body []byte)        { x.s.note(x.call, func(c *Call) { c.Body = body }) }
func (x *exchange) Answered(status int)         { x.s.note(x.call, func(c *Call) { c.Status = status }) }

// Answer is the service at work: it answers the call without any fault.
func (x *exchange) Answer() fault.Answer {
	a := x.process()
	if a.File == nil {
		a.File = x.s.fileOf(&job{request: api.Request{Kind: api.KindVideo}})
	}
	return a
}

// serve answers one request, with the faults that are due.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		panic(http.ErrAbortHandler)
	}
	s.busy.Add(1)
	defer s.busy.Done()
	x := &exchange{s: s, w: w, r: r, id: newID("req_")}
	x.path = strings.TrimPrefix(r.URL.Path, s.o.Prefix)
	x.call = &Call{
		At: time.Now(), Endpoint: endpoint(x.path), Method: r.Method, Path: r.URL.Path, Proto: r.Proto,
		HasKey: r.Header.Get("Authorization") != "", Header: r.Header.Clone(),
	}
	if id, ok := strings.CutPrefix(x.path, pathJobs); ok {
		x.call.JobID = id
	}
	if !strings.HasPrefix(r.URL.Path, s.o.Prefix+"/") {
		x.call.Endpoint = "other"
	}
	s.calls = append(s.calls, x.call)
	due := s.faults.Due(x.call.Endpoint)
	s.mu.Unlock()
	defer s.note(x.call, func(c *Call) { c.Done = time.Now() })
	w.Header().Set("X-Request-Id", x.id)
	fault.Run(x, due)
}

// endpoint names the endpoint of a path, as Call.Endpoint does.
func endpoint(path string) string {
	switch {
	case path == pathModels:
		return "models"
	case path == pathEstimate:
		return "estimate"
	case path == pathImages, path == pathVideos:
		return "create"
	case strings.HasPrefix(path, pathJobs):
		return "job"
	case strings.HasPrefix(path, pathFiles):
		return "result"
	case path == pathTools:
		return "tools"
	}
	return "other"
}

// endpoints are the methods that each endpoint takes, and what answers them.
var endpoints = map[string]struct {
	methods []string
	answer  func(*exchange) fault.Answer
}{
	"models":   {[]string{http.MethodGet}, (*exchange).models},
	"estimate": {[]string{http.MethodGet, http.MethodPost}, (*exchange).estimate},
	"create":   {[]string{http.MethodPost}, (*exchange).create},
	"job":      {[]string{http.MethodGet}, (*exchange).job},
	"result":   {[]string{http.MethodGet, http.MethodHead}, (*exchange).result},
	"tools":    {[]string{http.MethodGet, http.MethodPost, http.MethodDelete}, (*exchange).toolCall},
}

func (x *exchange) models() fault.Answer {
	return x.json(http.StatusOK, x.s.dialect.Models(x.s.rules().models()))
}

// process admits the call and hands it to its endpoint.
func (x *exchange) process() fault.Answer {
	if refusal := x.admit(); refusal != nil {
		return x.refuse(*refusal)
	}
	return endpoints[x.call.Endpoint].answer(x)
}

// admit checks what every call of an endpoint needs: path, method, key, call
// quota, and the content type of a body.
func (x *exchange) admit() *dialect.Refusal {
	allowed := endpoints[x.call.Endpoint].methods
	if allowed == nil {
		return &dialect.Refusal{Status: http.StatusNotFound, Code: "not_found", Message: "There is nothing at this address."}
	}
	if !slices.Contains(allowed, x.r.Method) {
		x.w.Header().Set("Allow", strings.Join(allowed, ", "))
		return &dialect.Refusal{Status: http.StatusMethodNotAllowed, Code: "method_not_allowed",
			Message: "This address takes " + strings.Join(allowed, " and ") + "."}
	}
	if x.call.Endpoint == "result" {
		return nil
	}
	if refusal := x.checkKey(); refusal != nil {
		return refusal
	}
	if x.r.Method == http.MethodPost && x.call.Endpoint != "tools" {
		kind, _, err := mime.ParseMediaType(x.r.Header.Get("Content-Type"))
		if err != nil || kind != "application/json" {
			return &dialect.Refusal{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type",
				Message: "The body must be JSON, with Content-Type: application/json."}
		}
	}
	return nil
}

// readBody reads the request's body once.
func (x *exchange) readBody() *dialect.Refusal {
	b, err := io.ReadAll(http.MaxBytesReader(x.w, x.r.Body, maxBody))
	x.body = b
	x.Received(b)
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return &dialect.Refusal{Status: http.StatusRequestEntityTooLarge, Code: "body_too_large", Message: "The body is larger than 1 MiB."}
	}
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	return nil
}

func (x *exchange) json(status int, v any) fault.Answer {
	text, err := api.PlainJSON(v)
	if err != nil {
		return fault.Answer{Status: http.StatusInternalServerError, Type: "text/plain", Body: []byte(err.Error())}
	}
	return fault.Answer{Status: status, Type: "application/json", Body: text}
}

// ownCertificate makes a certificate for loopback and a pool that trusts it.
func ownCertificate() (tls.Certificate, *x509.CertPool, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(now.UnixNano()),
		Subject:               pkix.Name{CommonName: "darkroom simulator"},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.AddDate(1, 0, 0),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true,
		DNSNames:              []string{"localhost"},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return tls.Certificate{}, nil, err
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, pool, nil
}
