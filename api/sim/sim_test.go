package sim

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

const testKey = "ak_test"

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
		if status := r.text(t, "job.status"); status == Completed || status == Failed {
			return r
		}
		select {
		case <-t.Context().Done():
			t.Fatal("the job never ended")
		case <-time.After(time.Millisecond):
		}
	}
}

// A create answers with the job as it was accepted, also when the work was done
// before the answer was written.
func TestCreateAnswersWithTheAcceptedJob(t *testing.T) {
	t.Parallel()
	s := start(t, Options{TimeScale: 1e-5})
	created := ask(t, s, "POST", pathImages, `{"model":"lumen/still-1","prompt":"p","async":true}`)
	if status := created.text(t, "job.status"); created.StatusCode != 200 || status != Pending {
		t.Errorf("%d, status %q in %s", created.StatusCode, status, created.body)
	}
	finish(t, s, created.text(t, "id"))
}

func TestImageJobFromCreateToPicture(t *testing.T) {
	t.Parallel()
	s := start(t, Options{Prefix: "gateway/"})
	if !strings.HasSuffix(s.URL(), "/gateway") {
		t.Fatalf("base URL %s lacks its prefix", s.URL())
	}
	body := `{"model":"lumen/still-1","prompt":"Harbour at dawn 港口的黎明","size":"1K","aspect_ratio":"16:9","async":true}`
	created := ask(t, s, "POST", pathImages, body)
	id := created.text(t, "id")
	if created.StatusCode != 200 || id == "" || created.text(t, "job.status") != Pending {
		t.Fatalf("%d %s", created.StatusCode, created.body)
	}
	done := finish(t, s, id)
	picture := ask(t, s, "GET", done.text(t, "job.result.images.0.url"), "")
	c, format, err := image.DecodeConfig(bytes.NewReader(picture.body))
	if err != nil || format != "png" || c.Width != 1024 || c.Height != 576 {
		t.Fatalf("%v %s %dx%d", err, format, c.Width, c.Height)
	}
	l := s.Ledger()
	if len(l) != 1 || l[0].ID != id || string(l[0].Body) != body || l[0].Credits.String() != "12.5" || len(l[0].Files) != 1 {
		t.Fatalf("%+v", l)
	}
	if f := l[0].Files[0]; f.Bytes != int64(len(picture.body)) || f.SHA256 != (file{data: picture.body}).sha256() {
		t.Errorf("the ledger tells of another file: %+v", f)
	}
}
