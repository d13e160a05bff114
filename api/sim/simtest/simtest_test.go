package simtest

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"darkroom/api"
	"darkroom/api/sim"
)

// Paths of the service that are asked.
const (
	pathModels   = "/api/v1/models"
	pathEstimate = "/api/v1/pricing/estimate?model=lumen/still-1"
	pathImages   = "/api/v1/images/generations"
	pathVideos   = "/api/v1/videos/generations"
	pathJobs     = "/api/v1/jobs/"
)

const testKey = "ak_test"

const stillBody = `{"model":"lumen/still-1","prompt":"a kettle","async":true}`

// start runs a server for the length of a test.
func start(t testing.TB, o Options) *Server {
	t.Helper()
	if o.TimeScale == 0 {
		o.TimeScale = 0.001
	}
	s, err := Start(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// reply is an answer that was read to its end.
type reply struct {
	*http.Response
	body []byte
	err  error // of the transport, or of reading the body
}

// ask calls the server with the test key.
func ask(t testing.TB, s *Server, method, path, body string) reply {
	t.Helper()
	r := newRequest(t, s, method, path, body)
	return do(t, s, r)
}

func newRequest(t testing.TB, s *Server, method, path, body string) *http.Request {
	t.Helper()
	if strings.HasPrefix(path, "/") {
		path = s.URL() + path
	}
	r, err := http.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.GetBody = nil
	r.Header.Set("Authorization", "Bearer "+testKey)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// do sends a request on a connection of its own, following no redirect.
func do(t testing.TB, s *Server, r *http.Request) reply {
	t.Helper()
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

// at digs a value out of a JSON answer: "job.result.images.0.url".
func (r reply) at(t testing.TB, path string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(r.body, &v); err != nil {
		t.Fatalf("%v in %s", err, r.body)
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

func (r reply) text(t testing.TB, path string) string {
	t.Helper()
	s, _ := r.at(t, path).(string)
	return s
}

// finish polls a job of the plain dialect until it has ended.
func finish(t testing.TB, s *Server, id string) reply {
	t.Helper()
	for {
		r := ask(t, s, "GET", pathJobs+id, "")
		if status := r.text(t, "job.status"); status == sim.Completed || status == sim.Failed {
			return r
		}
		select {
		case <-t.Context().Done():
			t.Fatal("the job never ended")
		case <-time.After(time.Millisecond):
		}
	}
}

func TestCallsAreRecorded(t *testing.T) {
	t.Parallel()
	s := start(t, Options{LongSide: 32})
	id := ask(t, s, "POST", pathImages, stillBody).text(t, "id")
	if c := s.Calls()[0]; c.Endpoint != "create" || c.JobID != id || !c.HasKey || c.Status != 200 || string(c.Body) != stillBody {
		t.Errorf("%+v", c)
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	before := goleak.IgnoreCurrent()
	ctx, cancel := context.WithCancel(context.Background())
	s, err := Start(ctx, Options{TLS: true, Faults: []Fault{{Do: "hang"}}})
	if err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: s.CertPool()}, ForceAttemptHTTP2: true}
	answered := make(chan error)
	go func() {
		_, err := (&http.Client{Transport: tr}).Get(s.URL() + pathModels)
		answered <- err
	}()
	for len(s.Calls()) == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel() // while the call hangs
	if err := <-answered; err == nil {
		t.Error("a call outlived its server")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	tr.CloseIdleConnections()
	goleak.VerifyNone(t, before)
}

// Each extra model is listed, has a price of its own, and can be ordered from.
func TestExtraModels(t *testing.T) {
	t.Parallel()
	s := start(t, Options{ExtraModels: 198, LongSide: 32})
	listed, _ := ask(t, s, "GET", pathModels, "").at(t, "models").([]any)
	if len(listed) != 200 {
		t.Fatalf("%d models", len(listed))
	}
	prices := map[string]string{}
	for _, entry := range listed {
		id, _ := entry.(map[string]any)["id"].(string)
		price := fmt.Sprint(ask(t, s, "GET", strings.Replace(pathEstimate, sim.StillModel, id, 1), "").at(t, "estimated_credits"))
		if other, twice := prices[price]; twice {
			t.Errorf("%s costs %s credits as %s does", id, price, other)
		}
		prices[price] = id
	}
	if prices["12.5"] != sim.StillModel || prices["13.5"] != "lumen/still-2" || prices["210.5"] != "lumen/still-199" {
		t.Errorf("prices are %v", prices)
	}
	last := `{"model":"lumen/still-199","prompt":"x","size":"2K","quality":"low"}`
	if r := ask(t, s, "POST", pathImages, last); r.StatusCode != 200 {
		t.Errorf("%d %s", r.StatusCode, r.body)
	}
	if l := s.Ledger(); len(l) != 1 || l[0].Model != "lumen/still-199" || l[0].Credits != 208*api.Credit {
		t.Errorf("charged as %+v", l)
	}
	if r := ask(t, s, "POST", pathImages, `{"model":"lumen/still-200","prompt":"x"}`); r.StatusCode != 422 {
		t.Errorf("a model that is not listed: %d", r.StatusCode)
	}
}
