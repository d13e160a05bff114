package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"darkroom/api"
)

// elsewhere is a server that must never be called, least of all with a key.
func elsewhere(t *testing.T, secure bool) *httptest.Server {
	t.Helper()
	var calls atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	if secure {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(func() {
		s.Close()
		if n := calls.Load(); n != 0 {
			t.Errorf("%d requests to another address", n)
		}
	})
	return s
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	other, secure := elsewhere(t, false), elsewhere(t, true)
	for _, http2 := range []bool{false, true} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			for name, location := range map[string]string{
				"port": other.URL, "scheme": secure.URL, "host": strings.Replace(other.URL, "127.0.0.1", "localhost", 1), "path": "/elsewhere",
			} {
				t.Run(fmt.Sprintf("%d to another %s, http2 %v", status, name, http2), func(t *testing.T) {
					t.Parallel()
					var calls, protocol atomic.Int64
					s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						calls.Add(1)
						protocol.Store(int64(r.ProtoMajor))
						http.SetCookie(w, &http.Cookie{Name: "session", Value: "1"})
						if r.Header.Get("Cookie") != "" || r.Header.Get("Authorization") != "Bearer "+clientSecret || r.Header.Get("Idempotency-Key") != "" {
							t.Errorf("headers %v", r.Header)
						}
						w.Header().Set("Location", location+"/x?token="+clientSecret)
						w.WriteHeader(status)
					}))
					s.EnableHTTP2 = http2
					s.StartTLS()
					defer s.Close()
					roots := s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
					client := testClient(t, s.URL, roots, nil)
					o := client.testCreate(CreateOptions{})
					checkOutcome(t, o, api.PhaseUnknown, api.ClassUnreadable)
					if calls.Load() != 1 || (protocol.Load() == 2) != http2 {
						t.Errorf("%d calls, HTTP/%d", calls.Load(), protocol.Load())
					}
					_, err := client.Job(context.Background(), "job_1", api.KindVideo)
					if err == nil || calls.Load() != 2 {
						t.Errorf("%v after %d calls", err, calls.Load())
					}
					if s := fmt.Sprintf("%v %s %q", o, o.Raw, o.Header); strings.Contains(s, clientSecret) {
						t.Error("the outcome holds the key")
					}
				})
			}
		}
	}
}

func TestKeyOnlyForTheBase(t *testing.T) {
	t.Parallel()
	sent := 0
	k := keyed{origin: "https://api.example.com:443", key: testKey(), next: roundTrip(func(r *http.Request) (*http.Response, error) {
		sent++
		return nil, io.EOF
	})}
	for _, u := range []string{
		"http://api.example.com/", "http://api.example.com:443/", "https://api.example.com:444/", "https://api.example.org/",
		"https://api.example.com.evil.example/", "https://evil.example/api.example.com", "https://me@api.example.com/",
		"https://api.example.com./", "https://127.0.0.1/",
	} {
		r, err := http.NewRequest(http.MethodPost, u, strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.RoundTrip(r); !errors.Is(err, errOrigin) || sent != 0 {
			t.Errorf("%s: %v, %d sent", u, err, sent)
		}
	}
	r, _ := http.NewRequest(http.MethodGet, "https://api.example.com/", nil)
	r.Host = "evil.example"
	if _, err := k.RoundTrip(r); !errors.Is(err, errOrigin) || sent != 0 {
		t.Errorf("another Host header: %v", err)
	}
	r, _ = http.NewRequest(http.MethodGet, "https://API.example.com:443/x", nil)
	if _, err := k.RoundTrip(r); err != io.EOF || sent != 1 || r.Header.Get("Authorization") != "" {
		t.Errorf("the base itself: %v, %d sent, the caller's request has %q", err, sent, r.Header)
	}
}

// The service echoes the key wherever it can: it must be nowhere in what the
// client gives back or logs.
func TestEchoedKeyIsRedacted(t *testing.T) {
	t.Parallel()
	echo := `{"id":"` + clientSecret + `","error":{"message":"bad key ` + clientSecret + `"},"x":"` + clientSecret + `"}`
	headers := "X-Request-Id: " + clientSecret + "\r\nRetry-After: " + clientSecret + "\r\nLocation: /" + clientSecret + "\r\n"
	for _, raw := range []string{
		answer("200 OK", headers+jsonType, echo),
		answer("401 Unauthorized", headers+jsonType, echo),
		answer("500 Internal Server Error", headers, "no "+clientSecret),
		answer("302 Found", headers, echo),
		"HTTP/1.1 " + clientSecret + "\r\n\r\n",
		"HTTP/1.1 200 OK\r\n" + clientSecret + "\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n" + echo,
	} {
		t.Run(raw[:min(len(raw), 20)], func(t *testing.T) {
			t.Parallel()
			h := newHostileServer(t, nil, says(raw))
			var mu sync.Mutex
			var out bytes.Buffer
			client := testClient(t, "http://"+h.Addr().String(), nil, func(format string, args ...any) {
				mu.Lock()
				defer mu.Unlock()
				fmt.Fprintf(&out, format+"\n", args...)
			})
			o := client.testCreate(CreateOptions{})
			fmt.Fprintf(&out, "%+v %s %+v %s %v\n", o, o.Raw, o.Err, o.Answer.Raw, o.Header)
			if o.Err != nil {
				fmt.Fprintf(&out, "%+v %v %s\n", *o.Err, o.Err.Cause, o.Err.Raw)
			}
			a, err := client.Job(context.Background(), "job_1", api.KindVideo)
			fmt.Fprintf(&out, "%+v %s %+v\n", a, a.Raw, err)
			_, _, err = client.Models(context.Background())
			fmt.Fprintf(&out, "%+v %v\n", err, client)
			if strings.Contains(out.String(), clientSecret) {
				t.Errorf("the key is in\n%s", out.String())
			}
			if strings.Count(out.String(), "connected true") != 3 {
				t.Errorf("not one log line per call in\n%s", out.String())
			}
			if h.keys.Load() != h.requests.Load() {
				t.Errorf("%d of %d requests had the key", h.keys.Load(), h.requests.Load())
			}
		})
	}
}
