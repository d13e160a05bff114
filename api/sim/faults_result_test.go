package sim

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// startFaulty runs a server with faults.
func startFaulty(t *testing.T, o Options, faults ...string) *Server {
	t.Helper()
	for _, text := range faults {
		f, err := ParseFault(text)
		if err != nil {
			t.Fatal(err)
		}
		o.Faults = append(o.Faults, f)
	}
	return start(t, o)
}

// The faults about prices reach the price in every dialect.
func TestPriceFaultsInEveryDialect(t *testing.T) {
	t.Parallel()
	for _, name := range Dialects() {
		s := startFaulty(t, Options{Dialect: name}, "estimate@1+1:price=-7", "estimate@2+1:price-missing", "estimate@3+1:price-refused")
		for i, want := range []string{"-7", "", "0"} {
			r := ask(t, s, "GET", pathEstimate+"?model="+StillModel, "")
			if text := string(r.body); r.StatusCode != 200 || strings.Contains(text, "12.5") || !strings.Contains(text, want) {
				t.Errorf("%q, estimate %d: %d %s", name, i+1, r.StatusCode, text)
			}
		}
	}
	s := startFaulty(t, Options{}, "estimate:price-per-second")
	if r := ask(t, s, "GET", pathEstimate+"?model=seedance2&duration=6", ""); r.at(t, "estimated_credits") != 85.0 || r.text(t, "unit") != "second" {
		t.Errorf("%s", r.body)
	}
}

// Each poll names the same three pictures, signed anew and in another order.
func TestShuffledResults(t *testing.T) {
	t.Parallel()
	s := startFaulty(t, Options{LongSide: 32}, "job:shuffled-results")
	id := ask(t, s, "POST", pathImages, stillBody).text(t, "id")
	finish(t, s, id)
	var first []string
	for range 2 {
		r := ask(t, s, "GET", pathJobs+id, "")
		list, _ := r.at(t, "job.result.images").([]any)
		var names []string
		pictures := map[string]bool{}
		for _, entry := range list {
			link, _ := entry.(map[string]any)["url"].(string)
			path, _, _ := strings.Cut(link, "?")
			names = append(names, path)
			got := ask(t, s, "GET", link, "")
			if got.StatusCode != 200 || !bytes.HasPrefix(got.body, []byte("\x89PNG")) {
				t.Errorf("%s: %d", link, got.StatusCode)
			}
			pictures[string(got.body)] = true
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

func TestResultAddressFaults(t *testing.T) {
	t.Parallel()
	s := startFaulty(t, Options{LongSide: 32})
	id := ask(t, s, "POST", pathImages, stillBody).text(t, "id")
	finish(t, s, id)
	for text, check := range map[string]func(reply) bool{
		"job:http-result": func(r reply) bool {
			return r.text(t, "job.result.images.0.url") == "http://media.example.com/image.png"
		},
		"job:http-result=http://cdn.example.net/a": func(r reply) bool {
			return r.text(t, "job.result.images.0.url") == "http://cdn.example.net/a"
		},
		"job:html-result": func(r reply) bool {
			page := r.text(t, "job.result.images.1.url")
			got := ask(t, s, "GET", page, "")
			return strings.HasSuffix(strings.Split(page, "?")[0], ".html") && strings.HasPrefix(got.Header.Get("Content-Type"), "text/html") &&
				r.at(t, "job.result.images.0.url") != nil
		},
		"job:other-id":       func(r reply) bool { return r.text(t, "job.id") == "job_of_somebody_else" },
		"job:other-id=job_7": func(r reply) bool { return r.text(t, "job.id") == "job_7" && r.text(t, "job.status") == "COMPLETED" },
	} {
		f, err := ParseFault(text)
		if err != nil {
			t.Fatal(err)
		}
		s.AddFault(f)
		if r := ask(t, s, "GET", pathJobs+id, ""); r.StatusCode != 200 || !check(r) {
			t.Errorf("%s: %d %s", text, r.StatusCode, r.body)
		}
		s.ClearFaults()
	}
}

// opened sends a request whose answer takes long, and returns it with its first
// bytes.
func opened(t *testing.T, s *Server, path string) (*http.Response, []byte) {
	t.Helper()
	res, err := http.DefaultClient.Do(newRequest(t, s, "GET", path, ""))
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
	s := startFaulty(t, Options{LongSide: 64}, "job:slow-binary=24h")
	id := ask(t, s, "POST", pathImages, stillBody).text(t, "id")
	res, begin := opened(t, s, pathJobs+id)
	if res.Header.Get("Content-Type") != "image/png" || string(begin) != "\x89PNG\r\n\x1a\n" || !unfinished(s, "job")[0] {
		t.Errorf("%v %q, unfinished: %v", res.Header, begin, unfinished(s, "job"))
	}
}

// Two downloads trickle while the next one is quick.
func TestTwoSlowDownloads(t *testing.T) {
	t.Parallel()
	s := startFaulty(t, Options{LongSide: 64}, "result@1+2:slow-body=24h")
	link := ask(t, s, "POST", pathImages, `{"model":"lumen/still-1","prompt":"x"}`).text(t, "job.result.images.0.url")
	for range 2 {
		opened(t, s, link)
	}
	if r := ask(t, s, "GET", link, ""); r.StatusCode != 200 || r.err != nil {
		t.Errorf("the third: %d %v", r.StatusCode, r.err)
	}
	if slow := unfinished(s, "result"); !slow[0] || !slow[1] {
		t.Errorf("unfinished: %v", slow)
	}
}

// An estimate can be slow, as every answer can.
func TestSlowEstimate(t *testing.T) {
	t.Parallel()
	s := startFaulty(t, Options{}, "estimate:latency=40ms")
	began := time.Now()
	if r := ask(t, s, "GET", pathEstimate+"?model="+StillModel, ""); r.StatusCode != 200 || time.Since(began) < 40*time.Millisecond {
		t.Errorf("%d after %v", r.StatusCode, time.Since(began))
	}
}
