//go:build linux

package blackbox

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
)

// TestSameRequestIsAQuestion sends a body again while its outcome is unknown.
func TestSameRequestIsAQuestion(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{Faults: []simtest.Fault{{Endpoint: "create", Count: 1, Do: "reset-after-body"}}})
	h := newHome(t, service.URL()).with("DARKROOM_TIME_SCALE", "0.1")
	args := []string{"image", "a harbour", "--model", "lumen/still-1", "--yes", "--json"}
	first := document[job](t, h.run(args...).wantCode(t, 6))
	if e := h.run(args...).wantCode(t, 2); !strings.Contains(e.stdout, "--again") || strings.Contains(e.stderr, "--again") {
		t.Errorf("the refusal does not name --again: %s", e.stderr)
	}
	if n := creates(service); n != 1 {
		t.Fatalf("%d creates, want 1: a question was taken for an answer", n)
	}
	h.run(append(args, "--again")...).wantCode(t, 0)
	if n := creates(service); n != 2 {
		t.Errorf("%d creates after --again, want 2", n)
	}
	attached := document[job](t, h.run("job", first.ID, "--attach", service.Ledger()[0].ID, "--json").wantCode(t, 0))
	if attached.Phase != "queued" {
		t.Errorf("attached: %s", attached.Phase)
	}
	if done := document[job](t, h.run("wait", first.ID, "--json").wantCode(t, 0)); done.Phase != "done" {
		t.Errorf("the attached job ended as %s", done.Phase)
	}
	if n := creates(service); n != 2 {
		t.Errorf("attaching sent %d creates", n-2)
	}
}

// TestUnknownIsSettled dismisses one unknown job and sends another again.
func TestUnknownIsSettled(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{Faults: []simtest.Fault{{Endpoint: "create", Count: 2, Do: "reset-after-body"}}})
	h := newHome(t, service.URL()).with("DARKROOM_TIME_SCALE", "0.1").with("DARKROOM_BUDGET", "30")
	send := func(prompt string, code int) ended {
		return h.run("image", prompt, "--model", "lumen/still-1", "--yes", "--json").wantCode(t, code)
	}
	one, two := document[job](t, send("one", 6)), document[job](t, send("two", 6))
	send("three", 2) // 12.5 credits each: what is unknown counts as spent
	if e := h.run("job", one.ID, "--dismiss", "--json").wantCode(t, 2); !strings.Contains(e.stderr+e.stdout, "pass --yes") {
		t.Errorf("without a terminal: %s%s", e.stdout, e.stderr)
	}
	h.run("job", one.ID, "--dismiss", "--yes", "--json").wantCode(t, 0)
	if e := h.run("job", two.ID, "--resend").wantCode(t, 2); !strings.Contains(e.stderr, "charged twice") {
		t.Errorf("resend without yes: %s", e.stderr)
	}
	h.run("job", two.ID, "--resend", "--yes").wantCode(t, 2)
	if n := creates(service); n != 2 {
		t.Fatalf("%d creates, want 2: settling sent something", n)
	}
	again := document[job](t, h.run("job", two.ID, "--resend", "--yes", "--yes", "--json").wantCode(t, 0))
	if n := creates(service); n != 3 || again.ID == two.ID {
		t.Errorf("%d creates after sending again, want 3; job %s", n, again.ID)
	}
	e := h.run("job", two.ID, "--resend", "--yes", "--yes").wantCode(t, 2)
	if as := h.run("job", two.ID, "--jq", ".resent_as").stdout; as != again.ID+"\n" || !strings.Contains(e.stderr, again.ID) || creates(service) != 3 {
		t.Errorf("sent again as %s, want %s: %s", as, again.ID, e.stderr)
	}
	send("four", 2)
}

// TestBudgetHoldsOverWindows lets windows that confirm at once compete for a
// budget that has room for two requests.
func TestBudgetHoldsOverWindows(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	h := newHome(t, service.URL()).with("DARKROOM_TIME_SCALE", "0.1").with("DARKROOM_BUDGET", "30")
	k := &killLane{t: t, h: h, service: service}
	var windows []*victim
	for _, prompt := range []string{"one", "two", "three", "four", "five"} {
		windows = append(windows, k.send(prompt))
	}
	sent := 0
	for _, v := range windows {
		if <-v.dead; v.cmd.ProcessState.ExitCode() == 0 {
			sent++
		} else if code := v.cmd.ProcessState.ExitCode(); code != 2 {
			t.Errorf("exit code %d, want 2: %s", code, &v.out)
		}
	}
	if n := creates(service); n != 2 || sent != 2 {
		t.Errorf("%d creates and %d runs that sent, want 2", n, sent)
	}
}

// TestSameRequestOverWindows lets windows confirm the same request at once:
// one sends it, to the others it is a question.
func TestSameRequestOverWindows(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{TimeScale: endless})
	h := newHome(t, service.URL()).with("DARKROOM_TIME_SCALE", "0.1")
	k := &killLane{t: t, h: h, service: service}
	sent, asked := 0, 0
	for range times(2, 10) {
		var windows []*victim
		for range 5 {
			windows = append(windows, k.send("the same for all"))
		}
		for _, v := range windows {
			<-v.dead
			switch code := v.cmd.ProcessState.ExitCode(); {
			case code == 0:
				sent++
			case code == 2 && strings.Contains(v.out.String(), "--again"):
				asked++
			default:
				t.Errorf("exit code %d: %s", code, &v.out)
			}
		}
	}
	if n := creates(service); n != 1 || sent != 1 {
		t.Errorf("%d creates and %d runs that sent, want 1", n, sent)
	}
	t.Logf("%d windows with the same request: %d sent it, %d were asked first", sent+asked, sent, asked)
}

// TestRedirectsLeadNowhere answers every call of the key with a redirect to
// another port, host or scheme, which must never hear of it.
func TestRedirectsLeadNowhere(t *testing.T) {
	t.Parallel()
	var heard atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { heard.Add(1) }))
	t.Cleanup(elsewhere.Close)
	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { heard.Add(1) }))
	secure.StartTLS()
	t.Cleanup(secure.Close)
	service := startService(t, simtest.Options{})
	h := newHome(t, service.URL()).with("DARKROOM_TIME_SCALE", "0.1")
	accepted := document[job](t, h.run("image", "first", "--model", "lumen/still-1", "--yes", "--json", "--no-wait").wantCode(t, 0))
	targets := []string{elsewhere.URL, strings.Replace(elsewhere.URL, "127.0.0.1", "localhost", 1), secure.URL}
	for i, code := range []int{301, 302, 303, 307, 308} {
		for j, target := range targets {
			service.ClearFaults()
			for _, endpoint := range []string{"create", "job", "models", "estimate"} {
				service.AddFault(simtest.Fault{Endpoint: endpoint, Do: "redirect", Status: code, Body: target + "/api/v1/moved"})
			}
			prompt := strings.Repeat("x", 1+i*len(targets)+j)
			before := creates(service)
			h.run("image", prompt, "--model", "lumen/still-1", "--yes", "--json").wantCode(t, 6)
			if n := creates(service) - before; n != 1 {
				t.Errorf("%d to %s: %d creates, want 1", code, target, n)
			}
			h.run("models", "--json")
			h.run("wait", accepted.ID, "--timeout", "50ms", "--json").wantCode(t, 7)
		}
	}
	if n := heard.Load(); n != 0 {
		t.Errorf("%d requests were led elsewhere, want none", n)
	}
	service.ClearFaults()
	h.run("wait", accepted.ID, "--json").wantCode(t, 0)
	t.Logf("15 redirects of 4 kinds of call: %d requests elsewhere", heard.Load())
}

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
