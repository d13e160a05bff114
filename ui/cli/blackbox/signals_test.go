//go:build linux

package blackbox

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
)

// TestSignalsDuringACreate: every signal waits up to 3 s for the answer of a
// create; what is not known then is exit 6.
func TestSignalsDuringACreate(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT} {
		for name, c := range map[string]struct {
			delay time.Duration
			phase string
			code  int
		}{
			"answered": {300 * time.Millisecond, "queued", 7},
			"silent":   {time.Minute, "unknown", 6},
		} {
			t.Run(sig.String()+" "+name, func(t *testing.T) {
				t.Parallel()
				called := make(chan struct{}, 1)
				service := startService(t, simtest.Options{TimeScale: endless, Faults: []simtest.Fault{
					{Endpoint: "create", Do: "at-body", Then: func() { called <- struct{}{} }},
					{Endpoint: "create", Do: "latency", Delay: c.delay},
				}})
				h := newHome(t, service.URL()).with("DARKROOM_TIME_SCALE", "1")
				cmd := h.command(t.Context(), "image", "x", "--model", "lumen/still-1", "--yes", "--json")
				var out, errs strings.Builder
				cmd.Stdout, cmd.Stderr = &out, &errs
				must(t, cmd.Start())
				<-called
				must(t, cmd.Process.Signal(sig))
				began := time.Now()
				_ = cmd.Wait()
				if code := cmd.ProcessState.ExitCode(); code != c.code || time.Since(began) > 30*time.Second { // without the signal the call has a minute
					t.Errorf("exit code %d after %v, want %d: %s%s", code, time.Since(began), c.code, &out, &errs)
				}
				j := h.jobs()[0]
				if j.Phase != c.phase || (j.RemoteID != nil) != (c.phase == "queued") || !strings.Contains(out.String(), `"phase": "`+c.phase) {
					t.Errorf("%s: %s", j.Phase, &out)
				}
			})
		}
	}
}

// TestAnAnswerThatCameWhileStopped: a sender that is stopped past the limit of
// its call uses the answer that has come meanwhile.
func TestAnAnswerThatCameWhileStopped(t *testing.T) {
	t.Parallel()
	called := make(chan struct{}, 1)
	service := startService(t, simtest.Options{TimeScale: endless, Faults: []simtest.Fault{
		{Endpoint: "create", Do: "at-body", Then: func() { called <- struct{}{} }},
		{Endpoint: "create", Do: "latency", Delay: 300 * time.Millisecond},
	}})
	h := newHome(t, service.URL()).with("DARKROOM_TIME_SCALE", "0.05") // headers 3 s, the whole 4.5 s
	cmd := h.command(t.Context(), "image", "x", "--model", "lumen/still-1", "--yes", "--json", "--no-wait")
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	must(t, cmd.Start())
	<-called
	must(t, cmd.Process.Signal(syscall.SIGSTOP))
	time.Sleep(5 * time.Second) // the limits of the call are over
	must(t, cmd.Process.Signal(syscall.SIGCONT))
	if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), `"queued"`) {
		t.Errorf("%v: %s%s", err, &out, &errs)
	}
}

// TestAStoppedSenderIsNotWaitedForForEver: other windows go on after its turn.
func TestAStoppedSenderIsNotWaitedForForEver(t *testing.T) {
	t.Parallel()
	called := make(chan struct{}, 1)
	service := startService(t, simtest.Options{TimeScale: endless, Faults: []simtest.Fault{
		{Endpoint: "create", Count: 1, Do: "at-body", Then: func() { called <- struct{}{} }},
		{Endpoint: "create", Count: 1, Do: "latency", Delay: 300 * time.Millisecond},
	}})
	h := newHome(t, service.URL()).with("DARKROOM_TIME_SCALE", "0.02") // a turn lasts 2.4 s
	args := []string{"--model", "lumen/still-1", "--yes", "--json", "--no-wait"}
	cmd := h.command(t.Context(), append([]string{"image", "one"}, args...)...)
	must(t, cmd.Start())
	<-called
	must(t, cmd.Process.Signal(syscall.SIGSTOP))
	defer func() { _ = cmd.Process.Signal(syscall.SIGCONT); _ = cmd.Wait() }()
	h.run(append([]string{"image", "two"}, args...)...).wantCode(t, 0)
	if n := creates(service); n != 2 {
		t.Errorf("%d creates", n)
	}
}
