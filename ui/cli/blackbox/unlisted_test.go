//go:build linux

package blackbox

import (
	"strings"
	"testing"

	"darkroom/api/sim/simtest"
)

// TestAnUnlistedModelIsSaid before a request for it is sent.
func TestAnUnlistedModelIsSaid(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	h := newHome(t, service.URL())
	for model, unlisted := range map[string]bool{"lumen/still-1": false, "lumen/stil-1": true} {
		e := h.run("image", "x", "--model", model, "--yes", "--no-wait")
		if strings.Contains(e.stderr, model+" is not in the service's list") != unlisted {
			t.Errorf("%s", e.stderr)
		}
	}
}
