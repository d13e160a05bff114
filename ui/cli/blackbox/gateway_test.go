//go:build linux

package blackbox

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
)

// inFront is the address of what answers some calls of a service itself and
// hands on the others.
func inFront(t *testing.T, service *simtest.Server, answers func(w http.ResponseWriter, endpoint string) bool) string {
	t.Helper()
	to, err := url.Parse(service.URL())
	must(t, err)
	on := httputil.NewSingleHostReverseProxy(to)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !answers(w, endpointOf(r.URL.Path)) {
			on.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(func() {
		front.CloseClientConnections()
		front.Close()
	})
	return front.URL
}

// switches answers that another protocol is spoken from now on, and is silent.
func switches(t *testing.T, w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	t.Cleanup(func() { _ = conn.Close() })
	_, _ = fmt.Fprint(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n")
}

// TestAnswersThatSwitchProtocols: net/http hands over the connection of a 101,
// whose reads no limit ends. Such a create is unknown at once, and such polls,
// one for each worker, do not end polling.
func TestAnswersThatSwitchProtocols(t *testing.T) {
	t.Parallel()
	for endpoint, code := range map[string]int{"create": 6, "job": 0, "models": 0, "estimate": 0} {
		t.Run(endpoint, func(t *testing.T) {
			t.Parallel()
			service := startService(t, simtest.Options{})
			var given, seen atomic.Int64
			h := newHome(t, inFront(t, service, func(w http.ResponseWriter, at string) bool {
				if at == "create" {
					seen.Add(1)
				}
				if at != endpoint || given.Add(1) > 4 {
					return false
				}
				switches(t, w)
				return true
			}))
			e := h.run("image", "x", "--model", "lumen/still-1", "--yes").wantCode(t, code)
			if e.took > 20*time.Second || seen.Load() != 1 {
				t.Errorf("%v, %d creates: %s", e.took, seen.Load(), e.stderr)
			}
		})
	}
}

// TestAJobThatAnotherKeyDoesNotKnow is given up, but not for good: it was sent
// with the key of another account, or a gateway answered in the service's place.
func TestAJobThatAnotherKeyDoesNotKnow(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	var known atomic.Bool
	h := newHome(t, inFront(t, service, func(w http.ResponseWriter, endpoint string) bool {
		if endpoint != "job" || known.Load() {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = fmt.Fprint(w, `{"error":"no such job"}`)
		return true
	}))
	e := h.run("image", "x", "--model", "lumen/still-1", "--yes").wantCode(t, 1)
	if !strings.Contains(e.stderr, "not by this key") {
		t.Errorf("%s", e.stderr)
	}
	id := h.jobs()[0].ID
	h.run("wait", id).wantCode(t, 1)
	known.Store(true)
	if e := h.run("wait", id).wantCode(t, 0); !strings.Contains(e.stdout, ".png") {
		t.Errorf("%+v", e)
	}
}
