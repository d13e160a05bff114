package sim

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// faultWant is what a caller sees of a faulty create.
type faultWant struct {
	status   int  // 0: there is no answer
	broken   bool // the transport or the body ends in an error
	reset    bool // and that error is a reset
	accepted bool
	check    func(reply) bool
}

// faultWants has a row for every kind of fault.
var faultWants = map[string]faultWant{
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
	"create:hang=20ms":             {0, true, false, true, nil},
	"create:h2-goaway":             {0, true, true, true, nil},
	"*:at-accept":                  {200, false, false, true, nil},
	"create:at-headers":            {200, false, false, true, nil},
	"create:at-body":               {200, false, false, true, nil},
	"create:before-status":         {200, false, false, true, nil},
	"create:after-status":          {200, false, false, true, nil},
	"create:mid-body":              {200, false, false, true, nil},
	"create:after-body":            {200, false, false, true, nil},
}

func TestEveryFaultBehavesAsNamed(t *testing.T) {
	t.Parallel()
	if len(faultWants) != len(faultKinds) {
		t.Errorf("%d rows for %d kinds", len(faultWants), len(faultKinds))
	}
	for text, want := range faultWants {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			f, err := ParseFault(text)
			if err != nil {
				t.Fatal(err)
			}
			moments := make(chan int, 9)
			s := start(t, Options{LongSide: 64})
			f.Then = func() { moments <- len(s.Ledger()) }
			s.AddFault(f)
			got := ask(t, s, "POST", pathImages, stillBody)
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
			if accepted := len(s.Ledger()) == 1; accepted != want.accepted {
				t.Errorf("accepted %v", accepted)
			}
			select {
			case <-moments:
			case <-time.After(5 * time.Second):
				t.Error("its moment never came")
			}
		})
	}
}

// wasReset reports a reset; one that comes while the request is still being
// written shows as a broken pipe.
func wasReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

func TestGoAwayIsAcceptedAndDenied(t *testing.T) {
	t.Parallel()
	s := start(t, Options{TLS: true})
	tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: s.CertPool()}, ForceAttemptHTTP2: true}
	defer tr.CloseIdleConnections()
	client := &http.Client{Transport: tr}
	first, err := client.Do(request(t, s, "POST", pathImages, stillBody))
	if err != nil || first.ProtoMajor != 2 {
		t.Fatalf("%v %+v", err, first)
	}
	first.Body.Close()
	s.AddFault(Fault{Endpoint: "create", Do: "h2-goaway"})
	if _, err := client.Do(request(t, s, "POST", pathImages, stillBody)); err == nil || !strings.Contains(err.Error(), "GOAWAY") && !strings.Contains(err.Error(), "GetBody") {
		t.Errorf("%v", err)
	}
	if n := len(s.Ledger()); n != 2 {
		t.Errorf("%d accepted", n)
	}
}

func TestFaultsCountTheirCalls(t *testing.T) {
	t.Parallel()
	f, err := ParseFault("models@2+1:status=503")
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, Options{Faults: []Fault{f}})
	for i, want := range []int{200, 503, 200} {
		ask(t, s, "GET", pathEstimate+"?model=seedance2", "")
		if r := ask(t, s, "GET", pathModels, ""); r.StatusCode != want {
			t.Errorf("call %d: %d", i, r.StatusCode)
		}
	}
}

func TestParseFaultRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "create", "create:", "create:explode", "nowhere:reset", "create@0:reset", "create@x:reset", "create@1+0:reset",
		"create:status", "create:status=99", "create:status=abc", "create:status=500,header", "create:latency=soon", "create:redirect",
		"create:huge=much", "create:reset=1",
	} {
		if f, err := ParseFault(text); err == nil {
			t.Errorf("%q was taken: %+v", text, f)
		}
	}
	for _, k := range faultKinds {
		if !strings.Contains(FaultHelp(), "  "+k.name) {
			t.Errorf("help lacks %s", k.name)
		}
	}
}

func FuzzParseFault(f *testing.F) {
	for text := range faultWants {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := ParseFault(text); err == nil && got.check() != nil {
			t.Errorf("%q: %+v", text, got)
		}
	})
}
