//go:build linux

package blackbox

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
)

// TestWhatWaitsSaysForWhat: after a second a command says what it waits for, and
// what nothing would end is not waited for.
func TestWhatWaitsSaysForWhat(t *testing.T) {
	t.Parallel()
	begun := make(chan bool, 1)
	service := startService(t, simtest.Options{Faults: []simtest.Fault{
		{Endpoint: "create", Count: 1, Do: "at-headers", Then: func() { begun <- true }},
		{Endpoint: "create", Count: 1, Do: "latency", Delay: 5 * time.Second},
	}})
	h := newHome(t, service.URL()).with("DARKROOM_TIME_SCALE", "0.2")
	first := make(chan ended)
	go func() { first <- h.run("image", "one", "--yes", "--no-wait") }()
	<-begun
	second := h.run("image", "two", "--yes", "--no-wait").wantCode(t, 0)
	if !strings.Contains(second.stderr, "waits for its turn: another request is being sent, until ") {
		t.Errorf("the second request says %q", second.stderr)
	}
	(<-first).wantCode(t, 0)
	id := strings.TrimSpace(second.stdout)
	far := homeAt(t, h.dir, startService(t, simtest.Options{}).URL())
	h.run("wait", id).wantCode(t, 0)
	far.run("wait", id).wantCode(t, 0) // it has ended
	id = strings.TrimSpace(h.run("video", "three", "--yes", "--no-wait").wantCode(t, 0).stdout)
	if got := far.run("wait", id, "--timeout", "20s").wantCode(t, 1); !strings.Contains(got.stderr, service.URL()) {
		t.Errorf("at another address it says %q", got.stderr)
	}
}

// TestAScreenSaysWhatItWaitsFor, where the person is after sending.
func TestAScreenSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	begun := make(chan bool, 1)
	service := startService(t, simtest.Options{Faults: []simtest.Fault{
		{Endpoint: "create", Count: 1, Do: "at-headers", Then: func() { begun <- true }},
		{Endpoint: "create", Count: 1, Do: "latency", Delay: 10 * time.Second},
	}})
	h := newHome(t, service.URL()).with("DARKROOM_TIME_SCALE", "0.2")
	s := h.open(120, 36)
	s.waitFor("/ 5,000")
	s.keys("a kite")
	first := make(chan ended)
	go func() { first <- h.run("image", "one", "--yes", "--no-wait") }()
	<-begun
	s.keys("<ctrl+s>")
	s.waitFor("12.5", "enter")
	s.keys("<enter>")
	s.waitFor("Waits for its turn: another request is being sent, until ")
	s.waitUntil("it has been sent", func(screen string) bool { return !strings.Contains(screen, "Waits for its turn") })
	(<-first).wantCode(t, 0)
}

// TestAFaultOfTheEstimateHoldsBackEstimatesOnly: requests are sent at once, while a
// rest that is asked for with 429 is one of all calls.
func TestAFaultOfTheEstimateHoldsBackEstimatesOnly(t *testing.T) {
	t.Parallel()
	for status, rest := range map[int]string{503: "3600", 429: "200"} {
		service := startService(t, simtest.Options{Faults: []simtest.Fault{
			{Endpoint: "estimate", Do: "status", Status: status, Header: http.Header{"Retry-After": {rest}}},
		}})
		h := newHome(t, service.URL())
		h.run("estimate", "image", "one")
		got := h.run("image", "one", "--yes", "--no-wait").wantCode(t, 0)
		if said := strings.Contains(got.stderr, "waits until "); said != (status == 429) || got.took > 20*time.Second {
			t.Errorf("%d: %q after %v", status, got.stderr, got.took)
		}
	}
}
