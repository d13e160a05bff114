//go:build linux

package blackbox

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"darkroom/api/sim/simtest"
)

// TestPastedKeysSpendNothing: a paste that holds its own end mark is followed by
// keys that look typed. They reach the review and send nothing; after a pause
// one enter sends once.
func TestPastedKeysSpendNothing(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	s := newHome(t, service.URL()).with("DARKROOM_TIME_SCALE", "3").open(120, 40) // keys confirm nothing for 3 s
	s.waitFor("/ 5,000")
	s.write("a paper boat")
	s.waitFor("a paper boat", "quoted")
	for range times(1, 3) {
		s.write("\x1b[200~drifts\x1b[201~\x13\r\r\r\x1b[201~")
		s.waitUntil("the review has its price", func(screen string) bool {
			return strings.Contains(screen, "/api/v1/") && !strings.Contains(screen, "asking the service")
		})
		s.write("\r\r")
		s.waitFor("Press enter again.")
		if n := creates(service); n != 0 {
			t.Fatalf("%d requests were sent by a paste", n)
		}
		s.keys("<esc>")
		s.waitUntil("the review is closed", func(screen string) bool { return !strings.Contains(screen, "/api/v1/") })
		s.pause()
	}
	s.review()
	s.keys("<enter>")
	s.waitFor("Accepted.")
	s.keys("<ctrl+q>")
	s.end()
	if n := creates(service); n != 1 {
		t.Errorf("%d requests were sent, want 1", n)
	}
}

// TestLinearPasteIsNoAnswer: lines that were pasted or typed before a question
// was shown do not answer it, with and without the marks around a paste; a block
// is one prompt; a later answer counts.
func TestLinearPasteIsNoAnswer(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	h := newHome(t, service.URL()).with("DARKROOM_TIME_SCALE", "1")
	secret := filepath.Join(h.dir, "secret.txt")
	must(t, os.WriteFile(secret, []byte("a private note"), 0o600))
	s := h.lines()
	s.waitFor("image>")
	for _, text := range []string{"@" + secret + "\ny\nyes\n", "\x1b[200~a boat\ny\nyes\n\x1b[201~\ny\n", "\x1b[200~a boat\x1b[201~\ny\ny\n\x1b[201~\n"} {
		before := len(s.bytes())
		s.write(text)
		s.waitUntil("the question is asked", func(string) bool { return contains(s.bytes()[before:], "Send it?") })
		s.says("n", "not sent")
	}
	if n := creates(service); n != 0 {
		t.Fatalf("%d requests were sent by a paste", n)
	}
	s.write("\x1b[200~a boat\nof paper\x1b[201~\n")
	s.waitUntil("the question is asked", func(screen string) bool { return contains([]byte(screen), "Send it?") })
	s.says("y", "\u00b7 done \u00b7")
	s.keys("/quit<enter>")
	s.end()
	if n := creates(service); n != 1 {
		t.Errorf("%d requests were sent, want 1", n)
	}
	if list := h.jobs(); len(list) != 1 || !contains(list[0].Request, `a boat\nof paper`) {
		t.Errorf("jobs %+v", list)
	}
}

// TestPipedInputConfirmsNothing: what is piped cannot answer a question.
func TestPipedInputConfirmsNothing(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	h := newHome(t, service.URL())
	if e := h.runWith("a boat\ny\ny\n/quit\n", "--linear"); !contains([]byte(e.stderr), "need a terminal") {
		t.Errorf("lines without a terminal: %+v", e)
	}
	if e := h.runWith("y\ny\n", "image", "a boat").wantCode(t, 2); !contains([]byte(e.stderr), "--yes") {
		t.Errorf("a command without a terminal: %+v", e)
	}
	if n := creates(service); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func contains(b []byte, part string) bool { return bytes.Contains(b, []byte(part)) }
