//go:build linux

package blackbox

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
)

// TestKillsInABatch kills a list of 12 again and again and starts it again: every line
// reaches the service once, or its outcome is unknown, and an end sends nothing more.
func TestKillsInABatch(t *testing.T) {
	t.Parallel()
	const lines = 12
	service, rng := startService(t, simtest.Options{}), random(t)
	h := newHome(t, service.URL()).with("DARKROOM_TIME_SCALE", "0.1")
	k := &killLane{t: t, h: h, service: service}
	kills, sent, unknown, usual := 0, 0, 0, time.Duration(0)
	for round := range 1 + times(2, 8) {
		list, prefix := filepath.Join(h.dir, "shots.csv"), fmt.Sprintf("queue%03d ", round)
		text := "kind,prompt,size\nvideo," + prefix + "clip,\n"
		for i := range lines - 1 {
			text += fmt.Sprintf("image,%sshot %d,1K\n", prefix, i/2) // most stand there twice
		}
		must(t, os.WriteFile(list, []byte(text), 0o600))
		run := []string{"batch", list, "--yes", "--json", "--no-wait"}
		begin := time.Now()
		for range min(round, 1) * times(6, 20) { // the first list is left alone
			started, chosen := make(chan *victim, 1), rng.IntN(3) == 0
			if chosen {
				service.AddFault(simtest.Fault{Endpoint: "create", From: 1 + rng.IntN(2), Count: 1, Do: moments[1+rng.IntN(len(moments)-1)],
					Then: func() { (<-started).kill() }})
			}
			v := h.start(run...)
			if started <- v; !chosen {
				v.killAfter(time.Duration(rng.Int64N(int64(usual / 2))))
			}
			if v.killed() {
				kills++
			}
			service.ClearFaults()
			k.settleService()
		}
		for code := -1; code != 0 && code != 6; code = h.run(run...).code { // a limit of the test ends it
		}
		if round == 0 {
			usual = time.Since(begin) / 2
		}
		before := creates(service)
		if e := h.run(run...); creates(service) != before || !strings.Contains(e.stderr, "all 12 lines were sent before") {
			t.Errorf("round %d: exit %d after all was sent: %s", round, e.code, e.stderr)
		}
		open := map[string]int{}
		for _, j := range h.jobs() {
			var body struct{ Prompt string }
			must(t, json.Unmarshal(j.Request, &body))
			if j.Phase == "unknown" {
				open[body.Prompt]++
			}
		}
		reached := createsOf(t, service, round)
		for _, line := range strings.Split(strings.TrimSpace(text), "\n")[1:] {
			prompt := strings.Split(line, ",")[1]
			want := strings.Count(text, prompt+",")
			if n := reached[prompt]; n > want || n+open[prompt] < want {
				t.Errorf("round %d: %q reached the service %d times, %d of %d are unknown", round, prompt, n, open[prompt], want)
			}
			if sent++; open[prompt] > 0 {
				unknown++
			}
		}
	}
	t.Logf("%d lines in lists that were killed %d times: none sent twice, the outcome of %d unknown", sent, kills, unknown)
}
