//go:build linux

package blackbox

import (
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
	s.waitFor("Prompt")
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
