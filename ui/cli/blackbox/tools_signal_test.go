//go:build linux

package blackbox

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
)

// TestASignalWaitsForATool: a call that may spend is given 3 s for its answer,
// as a create is.
func TestASignalWaitsForATool(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	h := newHome(t, service.URL()).with("DARKROOM_TIME_SCALE", "1")
	h.run("tools").wantCode(t, 0)
	before := len(service.Calls())
	service.AddFault(simtest.Fault{Endpoint: "tools", Do: "latency", Delay: 700 * time.Millisecond})
	cmd := h.command(t.Context(), "tools", "call", "generate_image", `{"prompt":"a kettle"}`, "--yes")
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	must(t, cmd.Start())
	for len(service.Ledger()) == 0 { // the tool has begun its generation
		time.Sleep(10 * time.Millisecond)
	}
	must(t, cmd.Process.Signal(syscall.SIGINT))
	if err := cmd.Wait(); err != nil || !strings.Contains(errs.String(), "It began job") {
		t.Errorf("%v after %d calls: %s%s", err, len(service.Calls())-before, &out, &errs)
	}
}
