package simtest

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// seen is what a caller sees of a faulty call.
type seen struct {
	status   int  // 0: there is no answer
	broken   bool // the transport or the body ends in an error
	reset    bool // and that error is a reset
	accepted bool
	check    func(Reply) bool
}

// says looks for texts in an answer.
func says(texts ...string) func(Reply) bool {
	return func(r Reply) bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(string(r.Body), text) })
	}
}

func has(header, value string) func(Reply) bool {
	return func(r Reply) bool { return strings.HasPrefix(r.Header.Get(header), value) }
}

func isPicture(r Reply) bool {
	return r.Header.Get("Content-Type") == "image/png" && bytes.HasPrefix(r.Body, []byte("\x89PNG"))
}

// faulty are faults of every kind, with what is seen of a create that waits for
// its result.
var faulty = []struct {
	fault Fault
	want  seen
}{
	{Fault{Do: "reset-at-accept"}, seen{0, true, true, false, nil}},
	{Fault{Do: "reset"}, seen{0, true, true, false, nil}},
	{Fault{Do: "reset-after-headers"}, seen{0, true, true, false, nil}},
	{Fault{Do: "status", Status: 429, Header: http.Header{"Retry-After": {"2"}}, Body: `{"a":1}`}, seen{429, false, false, false, func(r Reply) bool {
		return r.Header.Get("Retry-After") == "2" && string(r.Body) == `{"a":1}`
	}}},
	{Fault{Do: "html"}, seen{200, false, false, false, has("Content-Type", "text/html")}},
	{Fault{Do: "redirect", Body: "https://a.test/"}, seen{307, false, false, false, has("Location", "https://a.test/")}},
	{Fault{Do: "late-status", Status: 500, Body: "oops"}, seen{500, false, false, true, says("oops")}},
	{Fault{Do: "latency", Delay: 30 * time.Millisecond}, seen{200, false, false, true, says("COMPLETED")}},
	{Fault{Do: "reset-after-body"}, seen{0, true, true, true, nil}},
	{Fault{Do: "reset-after-status"}, seen{200, true, true, true, func(r Reply) bool { return len(r.Body) == 0 }}},
	{Fault{Do: "reset-mid-body"}, seen{200, true, true, true, func(r Reply) bool { return len(r.Body) > 0 }}},
	{Fault{Do: "truncated"}, seen{200, true, false, true, func(r Reply) bool { return errors.Is(r.Err, io.ErrUnexpectedEOF) }}},
	{Fault{Do: "empty"}, seen{200, false, false, true, func(r Reply) bool { return len(r.Body) == 0 }}},
	{Fault{Do: "body", Body: `{"odd":true}`}, seen{200, false, false, true, func(r Reply) bool { return string(r.Body) == `{"odd":true}` }}},
	{Fault{Do: "garbage"}, seen{200, false, false, true, says("\x1b")}},
	{Fault{Do: "not-http"}, seen{0, true, false, true, nil}},
	{Fault{Do: "binary"}, seen{200, false, false, true, isPicture}},
	{Fault{Do: "slow-binary", Delay: 40 * time.Millisecond}, seen{200, false, false, true, isPicture}},
	{Fault{Do: "huge", Size: 3_000_000}, seen{200, false, false, true, func(r Reply) bool { return len(r.Body) > 3_000_000 }}},
	{Fault{Do: "no-id"}, seen{200, false, false, true, func(r Reply) bool {
		return json.Valid(r.Body) && !bytes.Contains(r.Body, []byte("job_")) && says("COMPLETED", "credits_used")(r)
	}}},
	{Fault{Do: "wrong-length"}, seen{200, false, false, true, func(r Reply) bool { return !bytes.HasSuffix(bytes.TrimSpace(r.Body), []byte("}}")) }}},
	{Fault{Do: "wrong-type"}, seen{200, false, false, true, has("Content-Type", "text/html")}},
	{Fault{Do: "slow-body", Delay: 40 * time.Millisecond}, seen{200, false, false, true, says("COMPLETED")}},
	{Fault{Do: "price", Body: "7"}, seen{200, false, false, true, says(`"credits_used":12.5`)}}, // of an estimate alone
	{Fault{Do: "http-result"}, seen{200, false, false, true, says(`"url":"http://media.example.com/image.png"`)}},
	{Fault{Do: "http-result", Body: "http://cdn.example.net/a"}, seen{200, false, false, true, says(`"url":"http://cdn.example.net/a"`)}},
	{Fault{Do: "html-result"}, seen{200, false, false, true, says("/image.png?", "/viewer.html?")}},
	{Fault{Do: "shuffled-results"}, seen{200, false, false, true, says("/image.png?", "/image-2.png?", "/image-3.png?")}},
	{Fault{Do: "other-id"}, seen{200, false, false, true, func(r Reply) bool {
		return bytes.Count(r.Body, []byte(`"id":"job_of_somebody_else"`)) == 2 && says("COMPLETED", "/files/job_")(r)
	}}},
	{Fault{Do: "other-id", Body: "job_7"}, seen{200, false, false, true, says(`{"id":"job_7","job":{"error":null,"id":"job_7"`)}},
	{Fault{Do: "hang", Delay: 20 * time.Millisecond}, seen{0, true, false, true, nil}},
	{Fault{Do: "h2-goaway"}, seen{0, true, true, true, nil}},
	{Fault{Do: "at-accept"}, seen{200, false, false, true, nil}},
	{Fault{Do: "at-headers"}, seen{200, false, false, true, nil}},
	{Fault{Do: "at-body"}, seen{200, false, false, true, nil}},
	{Fault{Do: "before-status"}, seen{200, false, false, true, nil}},
	{Fault{Do: "after-status"}, seen{200, false, false, true, nil}},
	{Fault{Do: "mid-body"}, seen{200, false, false, true, nil}},
	{Fault{Do: "after-body"}, seen{200, false, false, true, nil}},
}

func TestEveryFaultBehavesAsNamed(t *testing.T) {
	t.Parallel()
	for kind := range kinds {
		if !slices.ContainsFunc(faulty, func(row struct {
			fault Fault
			want  seen
		}) bool {
			return row.fault.Do == kind
		}) {
			t.Errorf("%s has no row", kind)
		}
	}
	for _, row := range faulty {
		t.Run(row.fault.Do+row.fault.Body, func(t *testing.T) {
			t.Parallel()
			moments := make(chan struct{}, 9)
			f, want := row.fault, row.want
			f.Then = func() { moments <- struct{}{} }
			s := Run(t, Options{LongSide: 32, Faults: []Fault{f}})
			got := s.Ask(t, "POST", PathImages, `{"model":"lumen/still-1","prompt":"a kettle"}`)
			status := 0
			if got.Response != nil {
				status = got.StatusCode
			}
			if status != want.status || (got.Err != nil) != want.broken || wasReset(got.Err) != want.reset {
				t.Errorf("status %d, error %v", status, got.Err)
			}
			if want.check != nil && got.Response != nil && !want.check(got) {
				t.Errorf("%d %v %.300q", status, got.Header, got.Body)
			}
			if accepted := len(s.Ledger()) == 1; accepted != want.accepted {
				t.Errorf("accepted %v", accepted)
			}
			<-moments
		})
	}
}

// wasReset reports a reset; one that comes while the request is still being
// written shows as a broken pipe.
func wasReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// A fault before the service's work keeps a create out of the ledger, and one
// after it does not.
func TestLedgerTellsWhatAFaultyCreateDid(t *testing.T) {
	t.Parallel()
	s := Run(t, Options{})
	for i, do := range []string{"status", "late-status"} {
		s.AddFault(Fault{Endpoint: "create", Do: do, Status: 503})
		if r := s.Ask(t, "POST", PathImages, stillBody); r.StatusCode != 503 || len(s.Ledger()) != i {
			t.Errorf("%s: %d, %d accepted", do, r.StatusCode, len(s.Ledger()))
		}
		if calls := s.Calls(); calls[i].Status != 503 || string(calls[i].Body) != stillBody {
			t.Errorf("%s: recorded as %+v", do, calls[i])
		}
		s.ClearFaults()
	}
	if r := s.Ask(t, "POST", PathImages, stillBody); r.StatusCode != 200 {
		t.Errorf("without a fault: %d", r.StatusCode)
	}
}

func TestGoAwayIsAcceptedAndDenied(t *testing.T) {
	t.Parallel()
	s := Run(t, Options{TLS: true})
	tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: s.CertPool()}, ForceAttemptHTTP2: true}
	defer tr.CloseIdleConnections()
	client := &http.Client{Transport: tr}
	first, err := client.Do(s.Request(t, "POST", PathImages, stillBody))
	if err != nil || first.ProtoMajor != 2 {
		t.Fatalf("%v %+v", err, first)
	}
	first.Body.Close()
	s.AddFault(Fault{Endpoint: "create", Do: "h2-goaway"})
	if _, err := client.Do(s.Request(t, "POST", PathImages, stillBody)); err == nil || !strings.Contains(err.Error(), "GOAWAY") && !strings.Contains(err.Error(), "GetBody") {
		t.Errorf("%v", err)
	}
	if n := len(s.Ledger()); n != 2 {
		t.Errorf("%d accepted", n)
	}
}

func TestFaultsCountTheirCalls(t *testing.T) {
	t.Parallel()
	s := Run(t, Options{Faults: []Fault{{Endpoint: "models", From: 2, Count: 1, Do: "status", Status: 503}}})
	for i, want := range []int{200, 503, 200} {
		s.Ask(t, "GET", estimateStill, "")
		if r := s.Ask(t, "GET", PathModels, ""); r.StatusCode != want {
			t.Errorf("call %d: %d", i, r.StatusCode)
		}
	}
}

func TestPriceFault(t *testing.T) {
	t.Parallel()
	for _, price := range []string{"-7", "1e300", "null", `"ask sales"`} {
		s := Run(t, Options{Faults: []Fault{{Endpoint: "estimate", Do: "price", Body: price}}})
		if r := s.Ask(t, "GET", estimateStill, ""); !strings.Contains(string(r.Body), `"estimated_credits":`+price) {
			t.Errorf("%s: %s", price, r.Body)
		}
	}
}

// Each poll names the same three pictures, signed anew and in another order.
func TestShuffledResults(t *testing.T) {
	t.Parallel()
	s := Run(t, Options{LongSide: 32, Faults: []Fault{{Endpoint: "job", Do: "shuffled-results"}}})
	id := s.Ask(t, "POST", PathImages, stillBody).Text(t, "id")
	s.Finish(t, id)
	var first []string
	for range 2 {
		r := s.Ask(t, "GET", PathJobs+id, "")
		list, _ := r.At(t, "job.result.images").([]any)
		var names []string
		pictures := map[string]bool{}
		for _, entry := range list {
			link, _ := entry.(map[string]any)["url"].(string)
			path, _, _ := strings.Cut(link, "?")
			names = append(names, path)
			got := s.Ask(t, "GET", link, "")
			if got.StatusCode != 200 || !bytes.HasPrefix(got.Body, []byte("\x89PNG")) {
				t.Errorf("%s: %d", link, got.StatusCode)
			}
			pictures[string(got.Body)] = true
		}
		if len(names) != 3 || len(pictures) != 3 || slices.Equal(names, first) {
			t.Errorf("%d pictures at %v, before at %v", len(pictures), names, first)
		}
		if first != nil {
			slices.Sort(names)
			if slices.Sort(first); !slices.Equal(names, first) {
				t.Errorf("other addresses: %v, before %v", names, first)
			}
		}
		first = names
	}
}

func TestPageAmongResults(t *testing.T) {
	t.Parallel()
	s := Run(t, Options{LongSide: 32, Faults: []Fault{{Endpoint: "job", Do: "html-result"}}})
	id := s.Ask(t, "POST", PathImages, stillBody).Text(t, "id")
	r := s.Finish(t, id)
	if got := s.Ask(t, "GET", r.Text(t, "job.result.images.1.url"), ""); !strings.HasPrefix(got.Header.Get("Content-Type"), "text/html") {
		t.Errorf("%d %v", got.StatusCode, got.Header)
	}
}

// The old key is refused, and the new one has its jobs.
func TestRebuild(t *testing.T) {
	t.Parallel()
	s := Run(t, Options{LongSide: 32})
	id := s.Ask(t, "POST", PathImages, stillBody).Text(t, "id")
	s.Rebuild("ak_old", Key)
	if r := s.Ask(t, "GET", PathJobs+id, ""); r.StatusCode != 404 {
		t.Errorf("the job of another key: %d", r.StatusCode)
	}
	s.Rebuild(Key, "ak_fresh")
	if r := s.Ask(t, "GET", PathJobs+id, ""); r.StatusCode != 401 {
		t.Errorf("the old key: %d", r.StatusCode)
	}
	r := s.Request(t, "GET", PathJobs+id, "")
	r.Header.Set("Authorization", "Bearer ak_fresh")
	if got := Do(r); got.StatusCode != 200 {
		t.Errorf("the new key: %d", got.StatusCode)
	}
}

// opened sends a request whose answer takes long, and returns it with its first
// bytes.
func opened(t *testing.T, s *Server, path string) (*http.Response, []byte) {
	t.Helper()
	res, err := http.DefaultClient.Do(s.Request(t, "GET", path, ""))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	begin := make([]byte, 8)
	if _, err := io.ReadFull(res.Body, begin); err != nil {
		t.Fatal(err)
	}
	return res, begin
}

// unfinished tells of each call of an endpoint whether its answer is still being
// written.
func unfinished(s *Server, endpoint string) (list []bool) {
	for _, c := range s.Calls() {
		if c.Endpoint == endpoint {
			list = append(list, c.Done.IsZero())
		}
	}
	return list
}

// A poll may be answered with a picture that trickles: its first bytes come at
// once, its end does not.
func TestSlowBinaryPoll(t *testing.T) {
	t.Parallel()
	s := Run(t, Options{LongSide: 64, Faults: []Fault{{Endpoint: "job", Do: "slow-binary", Delay: 24 * time.Hour}}})
	id := s.Ask(t, "POST", PathImages, stillBody).Text(t, "id")
	res, begin := opened(t, s, PathJobs+id)
	if res.Header.Get("Content-Type") != "image/png" || string(begin) != "\x89PNG\r\n\x1a\n" || !unfinished(s, "job")[0] {
		t.Errorf("%v %q, unfinished: %v", res.Header, begin, unfinished(s, "job"))
	}
}

// Two downloads trickle while the next one is quick.
func TestTwoSlowDownloads(t *testing.T) {
	t.Parallel()
	s := Run(t, Options{LongSide: 64, Faults: []Fault{{Endpoint: "result", Count: 2, Do: "slow-body", Delay: 24 * time.Hour}}})
	link := s.Ask(t, "POST", PathImages, `{"model":"lumen/still-1","prompt":"x"}`).Text(t, "job.result.images.0.url")
	for range 2 {
		opened(t, s, link)
	}
	if r := s.Ask(t, "GET", link, ""); r.StatusCode != 200 || r.Err != nil {
		t.Errorf("the third: %d %v", r.StatusCode, r.Err)
	}
	if slow := unfinished(s, "result"); !slow[0] || !slow[1] {
		t.Errorf("unfinished: %v", slow)
	}
}

// An estimate can be slow, as every answer can.
func TestSlowEstimate(t *testing.T) {
	t.Parallel()
	s := Run(t, Options{Faults: []Fault{{Endpoint: "estimate", Do: "latency", Delay: 40 * time.Millisecond}}})
	began := time.Now()
	if r := s.Ask(t, "GET", estimateStill, ""); r.StatusCode != 200 || time.Since(began) < 40*time.Millisecond {
		t.Errorf("%d after %v", r.StatusCode, time.Since(began))
	}
}
