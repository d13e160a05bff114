package simtest

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"darkroom/api"
	"darkroom/api/read"
	"darkroom/api/sim"
	"darkroom/api/sim/simtest/expect"
)

// estimateStill asks for the price of a still.
const estimateStill = sim.PathEstimate + "?model=" + sim.StillModel

const stillBody = `{"model":"lumen/still-1","prompt":"a kettle","async":true}`

func TestCloseLeavesNothing(t *testing.T) {
	before := goleak.IgnoreCurrent()
	ctx, cancel := context.WithCancel(context.Background())
	s := Must(Start(ctx, Options{TLS: true, Faults: []Fault{{Do: "hang"}}}))(t)
	tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: s.CertPool()}, ForceAttemptHTTP2: true}
	answered := make(chan error)
	go func() {
		_, err := (&http.Client{Transport: tr}).Get(s.URL() + sim.PathModels)
		answered <- err
	}()
	for len(s.Calls()) == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel() // while the call hangs
	expect.Fails(t, <-answered, "", "a call outlived its server")
	expect.Is(t, s.Close(), nil)
	tr.CloseIdleConnections()
	goleak.VerifyNone(t, before)
}

// Each extra model is listed, has a price of its own, and can be ordered from.
func TestExtraModels(t *testing.T) {
	t.Parallel()
	s := Run(t, Options{ExtraModels: 198, LongSide: 32})
	listed, _ := s.Ask(t, "GET", sim.PathModels, "").At(t, "models").([]any)
	expect.That(t, len(listed) == 200, len(listed), "models")
	s.Ask(t, "POST", sim.PathImages, `{"model":"lumen/still-199","prompt":"x","size":"2K","quality":"low"}`)
	l := s.Ledger()
	expect.That(t, len(l) == 1 && l[0].Model == "lumen/still-199" && l[0].Credits == 208*api.Credit, "charged as", l)
}

// TestDialectsAreReadable when a job fails or a request is refused. What
// succeeds is TestDialectsSayTheSame's, of the black-box tests.
func TestDialectsAreReadable(t *testing.T) {
	t.Parallel()
	for _, name := range Dialects() {
		t.Run("dialect "+name, func(t *testing.T) {
			t.Parallel()
			s := Run(t, Options{Dialect: name, LongSide: 32})
			created := s.Ask(t, "POST", sim.PathImages, `{"model":"lumen/still-1","prompt":"[fail]","async":true}`)
			id := read.Create(created.StatusCode, created.Header, created.Body, api.KindImage).ID
			expect.Equal(t, id, s.Ledger()[0].ID, "the id in", created.Body)
			var last api.JobAnswer
			for !last.Ended() && t.Context().Err() == nil {
				r := s.Ask(t, "GET", sim.PathJobs+id, "")
				last = read.Job(r.StatusCode, r.Header, r.Body, api.KindImage)
				expect.Must(t, last.NotReadable.IsZero(), last.NotReadable, "in", string(r.Body))
			}
			expect.That(t, last.Class == api.StatusFailed && len(last.Results) == 0,
				last.Class, "with", len(last.Results), "results", string(last.Raw))
			bad := s.Ask(t, "POST", sim.PathImages, `{"model":"lumen/still-1","prompt":" "}`)
			refused := read.Error(bad.StatusCode, bad.Header, bad.Body)
			expect.That(t, refused != nil && refused.Class == api.ClassInvalid, "refusal", refused, "of", bad.StatusCode, string(bad.Body))
		})
	}
}

// Every dialect differs from all others, and says why a job failed and why a request was refused.
func TestDialectsDiffer(t *testing.T) {
	t.Parallel()
	said := map[string]string{}
	silent := []string{"inline", "operation"} // tell a failure by the status word alone
	for name, d := range dialects() {
		say := func(means any) string {
			a := sim.Answer{Means: means}
			d.say(&a, "job", "req_1")
			expect.That(t, json.Valid(a.Body) && (a.Status == 0 || a.Status == 200 || a.Status == 422), name, a.Status, string(a.Body))
			return string(a.Body)
		}
		done := say(sim.Job{ID: "job_1", Kind: api.KindImage, Status: sim.Completed, URL: "https://example.com/a.png", Expires: time.Unix(9, 0)})
		other, twice := said[done]
		expect.That(t, !twice, name, "speaks as", other)
		said[done] = name
		failed := say(sim.Job{ID: "job_1", Status: sim.Failed, Reason: "the reason"})
		expect.That(t, slices.Contains(silent, name) || strings.Contains(failed, "the reason"), name, "failed", failed)
		refused := say(sim.Refusal{Status: 422, Code: "the_code", Message: "the message"})
		expect.That(t, strings.Contains(refused, "the message") || strings.Contains(refused, "the_code"), name, "refusal", refused)
	}
	expect.Fails(t, expect.Err(Start(t.Context(), Options{Dialect: "no such"})), "", "an unknown name has a dialect")
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

// faulty are faults of every kind, with what is seen of a create that waits for its result.
var faulty = []struct {
	fault                   Fault
	status                  int  // 0: there is no answer
	broken, reset, accepted bool // broken: the transport or the body ends in an error
	check                   func(Reply) bool
}{
	{Fault{Do: "reset-at-accept"}, 0, true, true, false, nil},
	{Fault{Do: "reset"}, 0, true, true, false, nil},
	{Fault{Do: "reset-after-headers"}, 0, true, true, false, nil},
	{Fault{Do: "status", Status: 429, Header: http.Header{"Retry-After": {"2"}}, Body: `{"a":1}`}, 429, false, false, false, func(r Reply) bool {
		return r.Header.Get("Retry-After") == "2" && string(r.Body) == `{"a":1}`
	}},
	{Fault{Do: "html"}, 200, false, false, false, has("Content-Type", "text/html")},
	{Fault{Do: "redirect", Body: "https://a.test/"}, 307, false, false, false, has("Location", "https://a.test/")},
	{Fault{Do: "late-status", Status: 500, Body: "oops"}, 500, false, false, true, says("oops")},
	{Fault{Do: "latency", Delay: 30 * time.Millisecond}, 200, false, false, true, says("COMPLETED")},
	{Fault{Do: "reset-after-body"}, 0, true, true, true, nil},
	{Fault{Do: "reset-after-status"}, 200, true, true, true, func(r Reply) bool { return len(r.Body) == 0 }},
	{Fault{Do: "reset-mid-body"}, 200, true, true, true, func(r Reply) bool { return len(r.Body) > 0 }},
	{Fault{Do: "truncated"}, 200, true, false, true, func(r Reply) bool { return errors.Is(r.Err, io.ErrUnexpectedEOF) }},
	{Fault{Do: "empty"}, 200, false, false, true, func(r Reply) bool { return len(r.Body) == 0 }},
	{Fault{Do: "body", Body: `{"odd":true}`}, 200, false, false, true, func(r Reply) bool { return string(r.Body) == `{"odd":true}` }},
	{Fault{Do: "garbage"}, 200, false, false, true, says("\x1b")},
	{Fault{Do: "not-http"}, 0, true, false, true, nil},
	{Fault{Do: "binary"}, 200, false, false, true, isPicture},
	{Fault{Do: "slow-binary", Delay: 40 * time.Millisecond}, 200, false, false, true, isPicture},
	{Fault{Do: "huge", Size: 3_000_000}, 200, false, false, true, func(r Reply) bool { return len(r.Body) > 3_000_000 }},
	{Fault{Do: "no-id"}, 200, false, false, true, func(r Reply) bool {
		return json.Valid(r.Body) && !bytes.Contains(r.Body, []byte("job_")) && says("COMPLETED", "credits_used")(r)
	}},
	{Fault{Do: "wrong-length"}, 200, false, false, true, func(r Reply) bool { return !bytes.HasSuffix(bytes.TrimSpace(r.Body), []byte("}}")) }},
	{Fault{Do: "wrong-type"}, 200, false, false, true, has("Content-Type", "text/html")},
	{Fault{Do: "slow-body", Delay: 40 * time.Millisecond}, 200, false, false, true, says("COMPLETED")},
	{Fault{Do: "price", Body: "7"}, 200, false, false, true, says(`"credits_used":12.5`)}, // of an estimate alone
	{Fault{Do: "http-result"}, 200, false, false, true, says(`"url":"http://media.example.com/image.png"`)},
	{Fault{Do: "http-result", Body: "http://cdn.example.net/a"}, 200, false, false, true, says(`"url":"http://cdn.example.net/a"`)},
	{Fault{Do: "html-result"}, 200, false, false, true, says("/image.png?", "/viewer.html?")},
	{Fault{Do: "shuffled-results"}, 200, false, false, true, says("/image.png?", "/image-2.png?", "/image-3.png?")},
	{Fault{Do: "other-id"}, 200, false, false, true, func(r Reply) bool {
		return bytes.Count(r.Body, []byte(`"id":"job_of_somebody_else"`)) == 2 && says("COMPLETED", "/files/job_")(r)
	}},
	{Fault{Do: "other-id", Body: "job_7"}, 200, false, false, true, says(`{"id":"job_7","job":{"error":null,"id":"job_7"`)},
	{Fault{Do: "hang", Delay: 20 * time.Millisecond}, 0, true, false, true, nil},
	{Fault{Do: "h2-goaway"}, 0, true, true, true, nil},
	{Fault{Do: "at-accept"}, 200, false, false, true, nil},
	{Fault{Do: "at-headers"}, 200, false, false, true, nil},
	{Fault{Do: "at-body"}, 200, false, false, true, nil},
	{Fault{Do: "before-status"}, 200, false, false, true, nil},
	{Fault{Do: "after-status"}, 200, false, false, true, nil},
	{Fault{Do: "mid-body"}, 200, false, false, true, nil},
	{Fault{Do: "after-body"}, 200, false, false, true, nil},
}

func TestEveryFaultBehavesAsNamed(t *testing.T) {
	t.Parallel()
	tried := map[string]bool{}
	for _, row := range faulty {
		tried[row.fault.Do] = true
		t.Run(row.fault.Do+row.fault.Body, func(t *testing.T) {
			t.Parallel()
			moments := make(chan struct{}, 9)
			f := row.fault
			f.Then = func() { moments <- struct{}{} }
			s := Run(t, Options{LongSide: 32, Faults: []Fault{f}})
			got := s.Ask(t, "POST", sim.PathImages, `{"model":"lumen/still-1","prompt":"a kettle"}`)
			status := 0
			if got.Response != nil {
				status = got.StatusCode
			}
			// A reset that comes while the request is still being written shows as a broken pipe.
			reset := errors.Is(got.Err, syscall.ECONNRESET) || errors.Is(got.Err, syscall.EPIPE)
			expect.That(t, status == row.status && (got.Err != nil) == row.broken && reset == row.reset, "status", status, "error", got.Err)
			expect.That(t, row.check == nil || got.Response == nil || row.check(got), status, got.Response, string(got.Body))
			expect.Equal(t, len(s.Ledger()) == 1, row.accepted, "accepted")
			<-moments
		})
	}
	expect.That(t, maps.Equal(tried, kinds), "tried are", tried)
}

func TestGoAwayIsAcceptedAndDenied(t *testing.T) {
	t.Parallel()
	s := Run(t, Options{TLS: true})
	tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: s.CertPool()}, ForceAttemptHTTP2: true}
	defer tr.CloseIdleConnections()
	client := &http.Client{Transport: tr}
	first, err := client.Do(s.Request(t, "POST", sim.PathImages, stillBody))
	expect.Must(t, err == nil && first.ProtoMajor == 2, err, first)
	first.Body.Close()
	s.AddFault(Fault{Endpoint: "create", Do: "h2-goaway"})
	_, err = client.Do(s.Request(t, "POST", sim.PathImages, stillBody))
	expect.That(t, err != nil && (strings.Contains(err.Error(), "GOAWAY") || strings.Contains(err.Error(), "GetBody")), err)
	expect.Equal(t, len(s.Ledger()), 2, "accepted")
}

func TestFaultsCountTheirCalls(t *testing.T) {
	t.Parallel()
	s := Run(t, Options{Faults: []Fault{{Endpoint: "models", From: 2, Count: 1, Do: "status", Status: 503}}})
	for i, want := range []int{200, 503, 200} {
		s.Ask(t, "GET", estimateStill, "")
		expect.Equal(t, s.Ask(t, "GET", sim.PathModels, "").StatusCode, want, "call", i)
	}
}

// A call is recorded; the old key is refused, and the new one has its jobs.
func TestCallsAndKeys(t *testing.T) {
	t.Parallel()
	s := Run(t, Options{LongSide: 32})
	id := s.Ask(t, "POST", sim.PathImages, stillBody).Text(t, "id")
	c := s.Calls()[0]
	expect.That(t, c.Endpoint == "create" && c.JobID == id && c.Header.Get("Authorization") != "" && c.Status == 200 && string(c.Body) == stillBody, c)
	for _, c := range []struct {
		old, fresh, key string
		status          int
	}{{"ak_old", Key, Key, 404}, {Key, "ak_fresh", Key, 401}, {Key, "ak_fresh", "ak_fresh", 200}} {
		s.Rebuild(c.old, c.fresh)
		r := s.Request(t, "GET", sim.PathJobs+id, "")
		r.Header.Set("Authorization", "Bearer "+c.key)
		expect.Equal(t, Do(r).StatusCode, c.status, c)
	}
}
