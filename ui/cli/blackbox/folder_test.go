//go:build linux

package blackbox

import (
	"os"
	"strings"
	"testing"

	"darkroom/api/sim/simtest"
)

// TestAResultHasToHaveAPlace: a downloads folder that cannot be written is found
// before anything is paid for.
func TestAResultHasToHaveAPlace(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	h := newHome(t, service.URL())
	must(t, os.WriteFile(h.env["DARKROOM_DOWNLOADS"], nil, 0o600)) // no folder
	for _, args := range [][]string{
		{"image", "x", "--model", "lumen/still-1", "--yes"},
		{"tools", "call", "generate_image", `{"prompt":"x"}`, "--yes"},
	} {
		if e := h.run(args...).wantCode(t, 2); !strings.Contains(e.stderr, "cannot be saved in "+h.env["DARKROOM_DOWNLOADS"]) {
			t.Errorf("%s", e.stderr)
		}
	}
	if n := creates(service); n != 0 || len(service.Ledger()) != 0 || len(h.jobs()) != 0 {
		t.Errorf("%d creates, %d jobs", n, len(h.jobs()))
	}
}
