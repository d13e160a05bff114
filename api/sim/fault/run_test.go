package fault

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"darkroom/api"
)

// want is what a caller sees of a faulty create.
type want struct {
	status   int  // 0: there is no answer
	broken   bool // the transport or the body ends in an error
	reset    bool // and that error is a reset
	accepted bool
	check    func(reply) bool
}

// wants has a row for every kind of fault.
var wants = map[string]want{
	"*:reset-at-accept":          {0, true, true, false, nil},
	"create:reset":               {0, true, true, false, nil},
	"create:reset-after-headers": {0, true, true, false, nil},
	"create:status=429,Retry-After: 2,X-Two: b,body={\"a\":1}": {429, false, false, false, func(r reply) bool {
		return r.Header.Get("Retry-After") == "2" && r.Header.Get("X-Two") == "b" && string(r.body) == `{"a":1}`
	}},
	"create:html":                      {200, false, false, false, func(r reply) bool { return strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") }},
	"create:redirect=https://a.test/":  {307, false, false, false, func(r reply) bool { return r.Header.Get("Location") == "https://a.test/" }},
	"create:late-status=500,body=oops": {500, false, false, true, func(r reply) bool { return string(r.body) == "oops" }},
	"create:latency=30ms":              {200, false, false, true, nil},
	"create:reset-after-body":          {0, true, true, true, nil},
	"create:reset-after-status":        {200, true, true, true, func(r reply) bool { return len(r.body) == 0 }},
	"create:reset-mid-body":            {200, true, true, true, func(r reply) bool { return len(r.body) > 0 }},
	"create:truncated":                 {200, true, false, true, func(r reply) bool { return errors.Is(r.err, io.ErrUnexpectedEOF) }},
	"create:empty":                     {200, false, false, true, func(r reply) bool { return len(r.body) == 0 }},
	"create:body={\"odd\":true}":       {200, false, false, true, func(r reply) bool { return string(r.body) == `{"odd":true}` }},
	"create:garbage":                   {200, false, false, true, func(r reply) bool { return bytes.ContainsRune(r.body, 0x1b) }},
	"create:not-http":                  {0, true, false, true, nil},
	"create:binary": {200, false, false, true, func(r reply) bool {
		return r.Header.Get("Content-Type") == "image/png" && bytes.HasPrefix(r.body, []byte("\x89PNG"))
	}},
	"create:huge=3000000": {200, false, false, true, func(r reply) bool { return len(r.body) > 3000000 }},
	"create:no-id": {200, false, false, true, func(r reply) bool {
		return !bytes.Contains(r.body, []byte("job_")) && bytes.Contains(r.body, []byte(`"status"`))
	}},
	"create:wrong-length":          {200, false, false, true, func(r reply) bool { return !bytes.HasSuffix(bytes.TrimSpace(r.body), []byte("}}")) }},
	"create:wrong-type=text/plain": {200, false, false, true, func(r reply) bool { return r.Header.Get("Content-Type") == "text/plain" }},
	"create:slow-body=40ms":        {200, false, false, true, nil},
	"create:slow-binary=40ms": {200, false, false, true, func(r reply) bool {
		return r.Header.Get("Content-Type") == "image/png" && bytes.HasPrefix(r.body, []byte("\x89PNG"))
	}},
	"create:price=-5":         {200, false, false, true, says(`"cost":-5`, `"code":425`)},
	"create:price-missing":    {200, false, false, true, func(r reply) bool { return !bytes.Contains(r.body, []byte("cost")) }},
	"create:price-per-second": {200, false, false, true, says(`"cost":85`, `"unit":"second"`, `"code":425`)},
	"create:price-refused":    {200, false, false, true, says(`"cost":0`, `"success":false`)},
	"create:http-result":      {200, false, false, true, says(`{"url":"http://media.example.com/image.png"}`)},
	"create:html-result":      {200, false, false, true, says(`[{"url":"` + resultURL + `"},{"url":"https://a.test/viewer.html"}]`)},
	"create:shuffled-results": {200, false, false, true, says(`[{"url":"https://a.test/image-2.png"},{"url":"https://a.test/image-3.png"},{"url":"` + resultURL + `"}]`)},
	"create:other-id=job_2":   {200, false, false, true, says(`"id":"job_2","job":{"id":"job_2"`)},
	"create:hang=20ms":        {0, true, false, true, nil},
	"create:h2-goaway":        {0, true, true, true, nil},
	"*:at-accept":             {200, false, false, true, nil},
	"create:at-headers":       {200, false, false, true, nil},
	"create:at-body":          {200, false, false, true, nil},
	"create:before-status":    {200, false, false, true, nil},
	"create:after-status":     {200, false, false, true, nil},
	"create:mid-body":         {200, false, false, true, nil},
	"create:after-body":       {200, false, false, true, nil},
}

// says looks for texts in an answer.
func says(texts ...string) func(reply) bool {
	return func(r reply) bool {
		for _, text := range texts {
			if !strings.Contains(string(r.body), text) {
				return false
			}
		}
		return true
	}
}

func TestEveryFaultBehavesAsNamed(t *testing.T) {
	t.Parallel()
	if len(wants) != len(kinds) {
		t.Errorf("%d rows for %d kinds", len(wants), len(kinds))
	}
	for text, want := range wants {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			f, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			moments := make(chan struct{}, 9)
			f.Then = func() { moments <- struct{}{} }
			s := start(t)
			if err := s.faults.Add(f); err != nil {
				t.Fatal(err)
			}
			got := s.create(t)
			status := 0
			if got.Response != nil {
				status = got.StatusCode
			}
			if status != want.status || (got.err != nil) != want.broken || wasReset(got.err) != want.reset {
				t.Errorf("status %d, error %v", status, got.err)
			}
			if want.check != nil && got.Response != nil && !want.check(got) {
				t.Errorf("%d %v %.300q", status, got.Header, got.body)
			}
			if accepted := s.accepted.Load() == 1; accepted != want.accepted {
				t.Errorf("accepted %v", accepted)
			}
			<-moments
		})
	}
}

// service is a server of one endpoint, "create", whose calls fail as its
// faults say.
type service struct {
	*httptest.Server
	faults   Set
	accepted atomic.Int32
	status   atomic.Int32 // the last that was recorded
	closed   chan struct{}
}

func start(t *testing.T) *service {
	t.Helper()
	s := &service{closed: make(chan struct{})}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		Run(&exchange{s, w, r}, s.faults.Due("create"))
	}))
	s.Config.ConnContext = s.faults.ConnContext
	s.Start()
	t.Cleanup(func() { close(s.closed); s.Close() })
	return s
}

// What the service answers.
const (
	resultURL = "https://a.test/image.png?a=1&b=2"
	body      = `{"id":"job_1","code":425,"job":{"id":"job_1","status":"PENDING","result":{"images":[{"url":"` + resultURL + `"}]}},"cost":425}`
)

// exchange is a call of the service.
type exchange struct {
	s *service
	w http.ResponseWriter
	r *http.Request
}

func (x *exchange) Request() *http.Request      { return x.r }
func (x *exchange) Writer() http.ResponseWriter { return x.w }
func (x *exchange) Received([]byte)             {}
func (x *exchange) Answered(status int)         { x.s.status.Store(int32(status)) }
func (x *exchange) Closed() <-chan struct{}     { return x.s.closed }

func (x *exchange) Answer() Answer {
	if _, err := io.Copy(io.Discard, x.r.Body); err != nil {
		panic(http.ErrAbortHandler)
	}
	x.s.accepted.Add(1)
	return Answer{
		Status: 200, Type: "application/json", JobID: "job_1", Body: []byte(body),
		Price:  &Price{Credits: 425 * api.Credit, Seconds: 5},
		Result: &Result{URL: resultURL, Link: func(name string) string { return "https://a.test/" + name }},
		File:   func() (string, []byte) { return "image/png", []byte("\x89PNG\r\n\x1a\n and so on") },
	}
}

// reply is an answer that was read to its end.
type reply struct {
	*http.Response
	body []byte
	err  error // of the transport, or of reading the body
}

// create sends a request on a connection of its own, following no redirect.
func (s *service) create(t *testing.T) reply {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL, strings.NewReader(`{"prompt":"a kettle"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.GetBody = nil // the transport must not send it again
	transport := &http.Transport{DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(r)
	if err != nil {
		return reply{err: err}
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return reply{res, b, err}
}

// wasReset reports a reset; one that comes while the request is still being
// written shows as a broken pipe.
func wasReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
