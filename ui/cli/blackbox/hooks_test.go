//go:build linux

package blackbox

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// TestHooksOverWindows: of four windows one runs each hook, once; of those that are
// killed all the time none runs one twice. What watch prints goes on after a number.
func TestHooksOverWindows(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	log := filepath.Join(h.dir, "hooks")
	h.configure("[[hook]]\non = ['done']\nrun = ['sh', '-c', 'read -r line; echo \"$line\" >>" + log + "']\n")
	h.run("status").wantCode(t, 0) // from now on they are waited for
	changes := func() (all []int) {
		text, _ := os.ReadFile(log)
		for line := range strings.Lines(string(text)) {
			if line == "\n" { // its window was killed before it wrote the job
				continue
			}
			var e struct {
				Change int
				Phase  string
				Files  []struct{ Path string }
			}
			must(t, json.Unmarshal([]byte(line), &e))
			expect.That(t, e.Phase == "done" && len(e.Files) == 1, "read by a hook", line)
			all = append(all, e.Change)
		}
		slices.Sort(all)
		return all
	}
	once := func(most int) {
		t.Helper()
		all := changes()
		n := len(slices.Compact(slices.Clone(all)))
		expect.That(t, n == len(all) && n <= most, n, "changes of", most, "at most", len(all), "times", all)
	}
	const jobs = 12
	ids := h.seed(service, jobs)
	var windows []*window
	for range 4 {
		windows = append(windows, h.startWindow("watch", "--ndjson", "--jq", "select(.phase == \"done\") | .change"))
	}
	h.run(append([]string{"wait"}, ids...)...).wantCode(t, 0)
	for range 300 {
		if len(changes()) >= jobs {
			break
		}
		h.run("status")
	}
	h.run("fetch", ids[0]).wantCode(t, 0) // done once more
	h.run("status").wantCode(t, 0)
	once(jobs)
	at := random(t)
	for range times(5, 60) {
		id := strings.TrimSpace(h.run("image", "a koi", "--yes", "--no-wait", "--again", "--quiet").stdout)
		n := at.IntN(len(windows))
		windows[n].kill()
		windows[n] = h.startWindow("watch")
		h.run("wait", id).wantCode(t, 0)
	}
	once(jobs + times(5, 60))
	all := changes()
	left, want := strconv.Itoa(all[len(all)-2]), "done "+strconv.Itoa(all[len(all)-1])
	again := h.command(t.Context(), "watch", "--ndjson", "--jq", `"\(.phase) \(.change)"`, "--since", left)
	out := simtest.Must(again.StdoutPipe())(t)
	must(t, again.Start())
	defer time.AfterFunc(screenLimit, func() { _ = again.Process.Kill() }).Stop()
	lines := bufio.NewScanner(out)
	seen := 0
	for lines.Scan() && lines.Text() != want { // between them are those whose window was killed before it wrote
		if change, done := strings.CutPrefix(lines.Text(), "done "); done {
			if n, err := strconv.Atoi(change); err != nil || n <= all[len(all)-2] || n > all[len(all)-1] || n <= seen {
				t.Fatalf("after %s comes %q, and %s is to come", left, change, want)
			} else {
				seen = n
			}
		}
	}
	expect.Equal(t, lines.Text(), want, "after", left, "no")
	must(t, again.Process.Kill())
	_ = again.Wait()
	status := h.run("status", "--short").wantCode(t, 0)
	expect.That(t, strings.HasPrefix(status.stdout, strconv.Itoa(jobs+times(5, 60))+" new · today "), "the status is", status.stdout)
	expect.Equal(t, strings.Count(status.stdout, "\n"), 1, "lines of the status")
}

// TestAHookThatFailsIsToldAtOnce, while watch goes on.
func TestAHookThatFailsIsToldAtOnce(t *testing.T) {
	_, h := begin(t, simtest.Options{})
	h.configure("[[hook]]\non = ['done']\nrun = ['sh', '-c', 'echo no such thing >&2; exit 1']\n")
	watch := h.command(t.Context(), "watch")
	complaints := simtest.Must(watch.StderrPipe())(t)
	must(t, watch.Start())
	defer time.AfterFunc(screenLimit, func() { _ = watch.Process.Kill() }).Stop()
	h.run("image", "a koi", "--yes", "--no-wait").wantCode(t, 0)
	said := bufio.NewReader(complaints)
	_, _ = said.ReadString('\n') // how to end it
	expect.Equal(t, simtest.Must(said.ReadString('\n'))(t), "darkroom: hook: sh failed: no such thing\n")
	must(t, watch.Process.Kill())
	_ = watch.Wait()
}

// TestWhatWaitsSaysForWhat: after a second a command says what it waits for, and
// what nothing would end is not waited for.
func TestWhatWaitsSaysForWhat(t *testing.T) {
	begun := make(chan bool, 1)
	service, h := begin(t, simtest.Options{Faults: []simtest.Fault{
		{Endpoint: "create", Count: 1, Do: "at-headers", Then: func() { begun <- true }},
		{Endpoint: "create", Count: 1, Do: "latency", Delay: 5 * time.Second},
	}}, "DARKROOM_TIME_SCALE", "0.2")
	first := make(chan ended)
	go func() { first <- h.run("image", "one", "--yes", "--no-wait") }()
	within(t, "the service is asked", begun)
	second := h.run("image", "two", "--yes", "--no-wait").wantCode(t, 0)
	second.says(t, "waits for its turn: another request is being sent, until ")
	within(t, "the first ends", first).wantCode(t, 0)
	id := strings.TrimSpace(second.stdout)
	far := homeAt(t, h.dir, startService(t, simtest.Options{}).URL())
	h.run("wait", id).wantCode(t, 0)
	far.run("wait", id).wantCode(t, 0) // it has ended
	id = strings.TrimSpace(h.run("video", "three", "--yes", "--no-wait").wantCode(t, 0).stdout)
	far.run("wait", id, "--timeout", "20s").wantCode(t, 1).says(t, service.URL())
}

// TestAScreenSaysWhatItWaitsFor, where the person is after sending, and so do plain lines.
func TestAScreenSaysWhatItWaitsFor(t *testing.T) {
	begun := make(chan bool, 1)
	_, h := begin(t, simtest.Options{Faults: []simtest.Fault{
		{Endpoint: "create", Count: 1, Do: "at-headers", Then: func() { begun <- true }},
		{Endpoint: "create", Count: 1, Do: "latency", Delay: 10 * time.Second},
	}}, "DARKROOM_TIME_SCALE", "0.2")
	l := h.lines("--linear")
	s := h.screens(120, 36)
	s.keys("a kite")
	l.says("a boat", "Send it? [y/N]")
	first := make(chan ended)
	go func() { first <- h.run("image", "one", "--yes", "--no-wait") }()
	within(t, "the service is asked", begun)
	l.says("y", "a boat · waits for its turn: another request is being sent, until ")
	s.keysTo("<ctrl+s>", "12.5", "enter")
	s.keysTo("<enter>", "Waits for its turn: another request is being sent, until ")
	s.waitUntil("it has been sent", func(screen string) bool { return !strings.Contains(screen, "Waits for its turn") })
	within(t, "the first ends", first).wantCode(t, 0)
}

// TestAFaultOfTheEstimateHoldsBackEstimatesOnly: requests are sent at once, while a
// rest that is asked for with 429 is one of all calls.
func TestAFaultOfTheEstimateHoldsBackEstimatesOnly(t *testing.T) {
	t.Parallel()
	for status, rest := range map[int]string{503: "3600", 429: "200"} {
		_, h := serve(t, simtest.Options{Faults: []simtest.Fault{
			{Endpoint: "estimate", Do: "status", Status: status, Header: http.Header{"Retry-After": {rest}}},
		}})
		h.run("estimate", "image", "one")
		late := h.run("image", "{a|b}", "--expand", "--yes", "--timeout", "1s")
		expect.Equal(t, strings.Contains(late.stderr, "not_sent · stopped before it was sent"), status == 429, status, late.stderr)
		got := h.run("image", "one", "--yes", "--no-wait").wantCode(t, 0)
		expect.Equal(t, strings.Contains(got.stderr, "waits until "), status == 429, status, got.stderr)
		expect.That(t, got.took <= 20*time.Second, status, "took", got.took)
	}
}
