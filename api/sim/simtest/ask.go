package simtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"darkroom/api/sim"
)

// Paths of the service that tests ask.
const (
	PathModels   = "/api/v1/models"
	PathEstimate = "/api/v1/pricing/estimate"
	PathImages   = "/api/v1/images/generations"
	PathVideos   = "/api/v1/videos/generations"
	PathJobs     = "/api/v1/jobs/"
)

// Key is the key that Ask sends.
const Key = "ak_test"

// Run serves for the length of a test, by default a thousand times as fast as
// the service.
func Run(t testing.TB, o Options) *Server {
	t.Helper()
	if o.TimeScale == 0 {
		o.TimeScale = 0.001
	}
	s, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
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
	r, err := http.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
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
		r := s.Ask(t, "GET", PathJobs+id, "")
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
