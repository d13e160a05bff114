//go:build linux

package blackbox

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
)

// TestSimultaneousResends lets four commands send one unknown job again at the
// same time: all have asked for the price before one of them sends.
func TestSimultaneousResends(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{Faults: []simtest.Fault{{Endpoint: "create", Count: 1, Do: "reset-after-body"}}})
	h := newHome(t, service.URL()).with("DARKROOM_TIME_SCALE", "0.1")
	j := document[job](t, h.run("image", "one", "--model", "lumen/still-1", "--yes", "--json").wantCode(t, 6))
	service.AddFault(simtest.Fault{Endpoint: "estimate", Do: "latency", Delay: time.Second})
	ids := make(chan string, 4)
	for range cap(ids) {
		go func() {
			out, err := h.command(t.Context(), "job", j.ID, "--resend", "--yes", "--yes", "--json").Output()
			if err != nil {
				t.Errorf("%v: %s %s", err, out, err.(*exec.ExitError).Stderr)
			}
			ids <- document[job](t, ended{stdout: string(out)}).ID
		}()
	}
	first := <-ids
	for range cap(ids) - 1 {
		if id := <-ids; id != first {
			t.Errorf("jobs %s and %s", first, id)
		}
	}
	if n := creates(service); n != 2 {
		t.Errorf("%d creates, want 2", n)
	}
}

// TestAResendHasAPrice: the price is shown before the question, and a limit
// refuses it.
func TestAResendHasAPrice(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{Faults: []simtest.Fault{{Endpoint: "create", Count: 1, Do: "reset-after-body"}}})
	h := newHome(t, service.URL()).with("DARKROOM_TIME_SCALE", "0.1")
	j := document[job](t, h.run("image", "one", "--model", "lumen/still-1", "--yes", "--json").wantCode(t, 6))
	resend := func(code int, more ...string) string {
		t.Helper()
		return h.run(append([]string{"job", j.ID, "--resend"}, more...)...).wantCode(t, code).stderr
	}
	if text := resend(2); !strings.Contains(text, "12.5 credits") {
		t.Errorf("asked without a price: %s", text)
	}
	if text := resend(2, "--yes", "--yes", "--max-credits", "12"); !strings.Contains(text, "--max-credits is 12") || creates(service) != 1 {
		t.Errorf("%s, %d creates", text, creates(service))
	}
	resend(0, "--yes", "--yes", "--max-credits", "12.5")
	if n := creates(service); n != 2 {
		t.Errorf("%d creates, want 2", n)
	}
}
