//go:build linux

package blackbox

import (
	"strings"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
)

// rebuiltKey takes the place of testKey on the service's page.
const rebuiltKey = "ak_Jd5pWq8sVn2Fg7Tz0LmXe4Hc"

// TestKeyRefusedMidway: the key is rebuilt on the service's page while a job
// runs. Every call stops, the job keeps its phase, and a new key typed in place
// goes on with it.
func TestKeyRefusedMidway(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{TimeScale: 2})
	h := newHome(t, service.URL())
	s := h.open(120, 36)
	s.submit("outlives a key")
	s.toJobs()
	s.waitFor("running")
	service.Rebuild(testKey, rebuiltKey)
	s.waitFor("refused the key ak_…3Ls8")
	refused := len(service.Calls())
	time.Sleep(500 * time.Millisecond) // a poll is due each 20 ms: none may come
	rested := len(service.Calls())
	if rested > refused+4 { // those that were in flight
		t.Errorf("%d calls with a refused key", rested-refused)
	}
	if jobs := h.with("DARKROOM_API_KEY", "").jobs(); len(jobs) != 1 || jobs[0].Phase != "running" && jobs[0].Phase != "queued" {
		t.Errorf("the job did not keep its phase: %+v", jobs)
	}
	s.keys(testKey + "<enter>") // the old one once more
	s.waitFor("✕ The service refused")
	s.keys(strings.Repeat("\x7f", len(testKey)))
	s.keys(rebuiltKey + "<enter>")
	s.waitFor("The key works")
	s.keys("<alt+2>")
	s.waitFor("v video from this") // of a finished job alone, in the list or once it opens
	if n := creates(service); n != 1 {
		t.Errorf("%d creates, want 1", n)
	}
	s.keys("<ctrl+q>")
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	t.Logf("%d calls until the refusal, %d in the half second after it, %d in all, 1 create", refused, rested-refused, len(service.Calls()))
	for what, content := range map[string][]byte{"stream": s.bytes()} {
		if hits := append(searchBytes(what, content, keyForms(testKey)), searchBytes(what, content, keyForms(rebuiltKey))...); len(hits) != 0 {
			t.Errorf("a key was shown: %v", hits)
		}
	}
}

// TestKeyRefusedWhileWaiting is the same on the command line: exit code 5, and
// the way back to the job, which a new key finishes.
func TestKeyRefusedWhileWaiting(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{TimeScale: 2})
	h := newHome(t, service.URL())
	service.AddFault(simtest.Fault{Endpoint: "job", From: 2, Count: 1, Do: "at-headers", Then: func() { service.Rebuild(testKey, rebuiltKey) }})
	e := h.run("image", "outlives a key", "--yes").wantCode(t, 5)
	if !strings.Contains(e.stderr, "wait") || !strings.Contains(e.stderr, "login") && !strings.Contains(e.stderr, "DARKROOM_API_KEY") {
		t.Errorf("it does not say how to go on: %s", e.stderr)
	}
	t.Logf("says: %s", e.stderr)
	h.run("image", "not with this key", "--yes").wantCode(t, 5)
	other := h.with("DARKROOM_API_KEY", rebuiltKey)
	before := other.jobs()
	if n := creates(service); len(service.Ledger()) != 1 || len(before) == 0 {
		t.Fatalf("accepted %d of %d creates, %d jobs", len(service.Ledger()), n, len(before))
	}
	for _, j := range before {
		if j.RemoteID != nil {
			other.run("wait", j.ID).wantCode(t, 0)
			sameAsServed(t, service, other.jobs()[len(before)-1])
		}
	}
	if n := len(service.Ledger()); n != 1 {
		t.Errorf("accepted %d jobs, want 1", n)
	}
}
