//go:build linux

package blackbox

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// queueLen is how many requests the queues of these tests have.
const queueLen = 12

// queuePattern is a prompt with queueLen alternatives, of one round alone.
func queuePattern(round int) string {
	parts := make([]string, queueLen)
	for i := range parts {
		parts[i] = fmt.Sprintf("part%02d", i+1)
	}
	return fmt.Sprintf("queue%03d {%s}", round, strings.Join(parts, "|"))
}

// createsOf counts the create calls that the service saw with a round's
// prompts, by prompt.
func createsOf(t *testing.T, service *simtest.Server, round int) map[string]int {
	t.Helper()
	seen := map[string]int{}
	for _, c := range ofEndpoint(service.Calls(), "create") {
		var body struct{ Prompt string }
		if len(c.Body) > 0 && json.Unmarshal(c.Body, &body) != nil {
			t.Errorf("a create with the body %q", c.Body)
		}
		if strings.HasPrefix(body.Prompt, fmt.Sprintf("queue%03d ", round)) {
			seen[body.Prompt]++
		}
	}
	return seen
}

// TestKillsInAQueue kills the program in the middle of a queue of 12, at every
// moment that the service can choose and at random ones: each request reaches
// the service once at most, and what was not sent waits, also after the next
// start, until a command sends it.
func TestKillsInAQueue(t *testing.T) {
	service, h := begin(t, simtest.Options{}, "DARKROOM_TIME_SCALE", "0.1")
	k := &killLane{t: t, h: h, service: service}
	begin := time.Now()
	h.startWindow("image", queuePattern(0), "--expand", "--model", "lumen/still-1", "--yes", "--json", "--no-wait").killed()
	usual := time.Since(begin)
	if n := len(createsOf(t, service, 0)); n != queueLen {
		t.Fatalf("%d requests of an undisturbed queue were sent", n)
	}
	rounds := times(8, 60)
	held, unknown := 0, 0
	for round := 1; round <= rounds; round++ {
		at := 1 + (round*5)%queueLen
		started := make(chan *window, 1)
		moment := moments[1+round%(len(moments)-1)]
		random := round%3 == 0
		if !random {
			service.AddFault(simtest.Fault{Endpoint: "create", From: at, Count: 1, Do: moment, Then: func() { (<-started).kill() }})
		}
		v := h.startWindow("image", queuePattern(round), "--expand", "--model", "lumen/still-1", "--yes", "--json", "--no-wait")
		started <- v
		if random {
			v.killAfter(usual * time.Duration(round%7+2) / 10)
		}
		if !v.killed() && !random {
			t.Fatalf("round %d: it was not killed: %s", round, v)
		}
		service.ClearFaults()
		k.settleService()
		h.checkQueue(service, round, moment, &held, &unknown)
	}
	if held == 0 || unknown == 0 {
		t.Errorf("%d requests waited and %d were unknown: the kills came at the wrong time", held, unknown)
	}
	t.Logf("%d queues of %d killed: %d requests waited, %d unknown, none sent twice", rounds, queueLen, held, unknown)
}

// checkQueue looks at a round's queue after a kill, and sends what is left.
func (h *home) checkQueue(service *simtest.Server, round int, moment string, held, unknown *int) {
	t := h.t
	t.Helper()
	prefix := fmt.Sprintf("queue%03d ", round)
	ofRound := func() (list []job) {
		for _, j := range h.jobs() {
			if strings.Contains(string(j.Request), prefix) {
				list = append(list, j)
			}
		}
		return list
	}
	sent := createsOf(t, service, round)
	for prompt, n := range sent {
		expect.Equal(t, n, 1, "round", round, prompt, "how often it reached the service")
	}
	all := ofRound()
	if len(all) == 0 && len(sent) == 0 {
		return // killed before anything was agreed to
	}
	if len(all) != queueLen {
		t.Fatalf("round %d, %s: %d of %d requests are in the list", round, moment, len(all), queueLen)
	}
	first := ""
	for _, j := range all {
		var body struct{ Prompt string }
		must(t, json.Unmarshal(j.Request, &body))
		if j.Phase == "held" {
			*held++
			first = j.ID
			if sent[body.Prompt] != 0 || j.Error == nil {
				t.Errorf("round %d: %q is held, was sent %d times and says %v", round, body.Prompt, sent[body.Prompt], j.Error)
			}
		} else if j.Phase == "unknown" {
			*unknown++
		}
	}
	if first != "" {
		h.run("job", first, "--send", "--all", "--yes", "--json").wantCode(t, 0)
	}
	sent = createsOf(t, service, round)
	for prompt, n := range sent {
		expect.Equal(t, n, 1, "round", round, "after the rest was sent", prompt, "how often it had reached the service")
	}
	for _, j := range ofRound() {
		if j.Phase == "held" {
			t.Errorf("round %d: job %s is still held", round, j.ID)
		}
	}
}

// TestExpandCommand: what --expand sends, refuses and prints.
func TestExpandCommand(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	lists := filepath.Join(h.dir, "config", "darkroom", "wildcards")
	must(t, os.MkdirAll(lists, 0o700))
	must(t, os.WriteFile(filepath.Join(lists, "colour.txt"), []byte("red\nblue\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(lists, "loop.txt"), []byte("x\n__loop__\n"), 0o600))
	image := func(prompt string, more ...string) ended {
		t.Helper()
		return h.run(append([]string{"image", prompt, "--model", "lumen/still-1", "--yes", "--json"}, more...)...)
	}
	for _, c := range []struct {
		name, prompt string
		more         []string
		says         string
	}{
		{"alternatives without --expand", "a {red|blue} boat", nil, "--expand"},
		{"a list without --expand", "a __colour__ boat", nil, "--expand"},
		{"above the total", "{a|b|c}", []string{"--expand", "--max-credits", "37"}, "37.5 credits"},
		{"too many", "{1|2|3|4|5}{1|2|3|4|5}", []string{"--expand"}, "these are 25 requests, and at most 24"},
		{"a list that is not there", "a __nowhere__ boat", []string{"--expand"}, "there is no list nowhere"},
		{"a list that names itself", "__loop__", []string{"--expand"}, "names itself: loop → loop"},
		{"a variation that is too long", "{" + strings.Repeat("x", 5001) + "|b}", []string{"--expand"}, "invalid request"},
		{"a list of sizes without --expand", "boat", []string{"--size", "1K,2K"}, "invalid request"},
	} {
		if e := image(c.prompt, c.more...); e.code != 2 || !strings.Contains(e.stdout, c.says) {
			t.Errorf("%s: exit %d, %s", c.name, e.code, e.stdout)
		}
	}
	wantCreates(t, service, 0)
	done := document[struct{ Jobs []job }](t, image("a {big|small} __colour__ boat", "--expand", "--size", "1K,2K", "--max-credits", "130").wantCode(t, 0))
	var prompts []string
	for _, e := range service.Ledger() {
		prompts = append(prompts, e.Prompt)
	}
	want := []string{"a big red boat", "a big red boat", "a big blue boat", "a big blue boat", "a small red boat", "a small red boat", "a small blue boat", "a small blue boat"}
	if !slices.Equal(prompts, want) || len(done.Jobs) != 8 {
		t.Errorf("sent %q, %d jobs printed", prompts, len(done.Jobs))
	}
	for _, j := range done.Jobs {
		if j.Phase != "done" || len(j.Files) != 1 {
			t.Errorf("job %s is %s", j.ID, j.Phase)
		}
	}
	literal := document[job](t, image(`code {"a": "b|c"} { x }`).wantCode(t, 0))
	expect.Contains(t, string(literal.Request), `code {\"a\": \"b|c\"} { x }`, "a literal brace")
}

// TestHeldCommands: what is left of a queue is shown, sent and removed by
// commands.
func TestHeldCommands(t *testing.T) {
	service, h := begin(t, simtest.Options{Faults: []simtest.Fault{{Endpoint: "create", From: 2, Count: 1, Do: "reset-after-body"}}})
	e := h.run("image", "{a|b|c|d|e}", "--expand", "--model", "lumen/still-1", "--yes", "--json").wantCode(t, 6)
	jobs := document[struct{ Jobs []job }](t, e).Jobs
	var phases []string
	for _, j := range jobs {
		phases = append(phases, j.Phase)
	}
	if !slices.Equal(phases, []string{"done", "unknown", "held", "held", "held"}) || !strings.Contains(*jobs[2].Error, "may have been accepted and charged") {
		t.Fatalf("the phases are %q: %v", phases, jobs[2].Error)
	}
	if text := h.run("jobs").wantCode(t, 0).stdout; strings.Count(text, "held") != 3 || strings.Index(text, "held") > strings.Index(text, "unknown") {
		t.Errorf("the list is\n%s", text)
	}
	h.run("job", jobs[2].ID, "--remove").wantCode(t, 0)
	h.run("job", jobs[2].ID).wantCode(t, 2)
	h.run("job", jobs[0].ID, "--remove").wantCode(t, 2)
	if e := h.run("job", jobs[3].ID, "--send", "--yes", "--max-credits", "12"); e.code != 2 || creates(service) != 2 {
		t.Errorf("above the limit: exit %d, %d creates", e.code, creates(service))
	}
	h.run("job", jobs[3].ID, "--send").wantCode(t, 2) // nobody to ask
	h.run("job", jobs[3].ID, "--send", "--yes").wantCode(t, 0)
	wantCreates(t, service, 3)
	h.run("job", jobs[4].ID, "--remove", "--all").wantCode(t, 0)
	var left []string
	for _, j := range h.jobs() {
		left = append(left, j.Phase)
	}
	if len(left) != 3 || slices.Contains(left, "held") || creates(service) != 3 {
		t.Errorf("left: %q, %d creates", left, creates(service))
	}
}

// TestACopiedStoreAsksTwice: what is held in a copy of the data folder may have
// been sent from the other one, so that no single --yes sends it.
func TestACopiedStoreAsksTwice(t *testing.T) {
	service, h := begin(t, simtest.Options{Faults: []simtest.Fault{{Endpoint: "create", From: 1, Count: 1, Do: "reset-after-body"}}})
	h.run("image", "{a|b|c}", "--expand", "--model", "lumen/still-1", "--yes", "--json").wantCode(t, 6)
	data := filepath.Join(h.dir, "data")
	must(t, os.CopyFS(filepath.Join(h.dir, "backup"), os.DirFS(data)))
	held := h.jobs()[0]
	h.run("job", held.ID, "--send", "--all", "--yes").wantCode(t, 0)
	must(t, os.RemoveAll(data))
	must(t, os.Rename(filepath.Join(h.dir, "backup"), data)) // put back
	e := h.run("job", held.ID, "--send", "--all", "--yes").wantCode(t, 2)
	if n := creates(service); n != 3 || !strings.Contains(e.stderr, "copied or restored") || !strings.Contains(e.stderr, "--yes --yes") {
		t.Errorf("%d creates: %s", n, e.stderr)
	}
	h.run("job", held.ID, "--send", "--all", "--yes", "--yes").wantCode(t, 0)
	wantCreates(t, service, 5)
}

// TestABatchWithoutAPriceIsNotSent: --quiet leaves out what is said, not what is looked at.
func TestABatchWithoutAPriceIsNotSent(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	list := filepath.Join(h.dir, "list.csv")
	must(t, os.WriteFile(list, []byte("prompt,kind,model\na boat,image,lumen/still-1\na pier,image,nope/x\n"), 0o600))
	h.run("batch", list, "--yes", "--no-wait").wantCode(t, 2)
	h.run("batch", list, "--yes", "--no-wait", "--quiet").wantCode(t, 2)
	expect.Equal(t, creates(service), 0, "requests were sent")
}

// TestRunsOfOneList at the same time send each line once, and none is refused.
func TestRunsOfOneList(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	list := filepath.Join(h.dir, "list.csv")
	must(t, os.WriteFile(list, []byte("prompt\n"+strings.Repeat("a boat\na pier\na quay\n", 3)), 0o600))
	run := []string{"batch", list, "--kind", "image", "--yes", "--no-wait"}
	windows := []*window{h.startWindow(run...), h.startWindow(run...), h.startWindow(run...)}
	for _, w := range windows {
		if <-w.done; w.cmd.ProcessState.ExitCode() != 0 && w.cmd.ProcessState.ExitCode() != 7 {
			t.Errorf("exit %d: %s", w.cmd.ProcessState.ExitCode(), w)
		}
	}
	wantCreates(t, service, 9)
	h.run("image", "a gull", "--yes", "--no-wait").wantCode(t, 0)
	must(t, os.WriteFile(list, []byte("prompt\na gull\na net\n"), 0o600))
	if e := h.run(run...).wantCode(t, 2); !strings.Contains(e.stderr, "no line was sent: run the list again once that job") {
		t.Error(e.stderr)
	}
	wantCreates(t, service, 10)
}

// TestABatchCopiesItsResults to where each line says, or --output does; nothing is overwritten.
func TestABatchCopiesItsResults(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	list, out := filepath.Join(h.dir, "list.csv"), filepath.Join(h.dir, "out")
	must(t, os.Mkdir(out, 0o700))
	text := "prompt,output\na boat,{}/boat.png\na pier,\n"
	must(t, os.WriteFile(list, []byte(strings.ReplaceAll(text+"a quay,{}/boat.png\n,\n", "{}", out)), 0o600))
	e := h.run("batch", list, "--kind", "image", "--yes", "--output", out).wantCode(t, 2)
	if !strings.Contains(e.stderr, "line 4: --output "+out+"/boat.png: another line has it as well\n  line 5: there is no prompt") || creates(service) != 0 {
		t.Errorf("%d creates: %s", creates(service), e.stderr)
	}
	must(t, os.WriteFile(list, []byte(strings.ReplaceAll(text, "{}", out)), 0o600))
	h.run("batch", list, "--kind", "image", "--yes", "--output", out).wantCode(t, 0)
	if files, _ := filepath.Glob(out + "/*.png"); len(files) != 2 || filepath.Base(files[1]) != "boat.png" {
		t.Errorf("copies: %q", files)
	}
}

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
			started, chosen := make(chan *window, 1), rng.IntN(3) == 0
			if chosen {
				service.AddFault(simtest.Fault{Endpoint: "create", From: 1 + rng.IntN(2), Count: 1, Do: moments[1+rng.IntN(len(moments)-1)],
					Then: func() { (<-started).kill() }})
			}
			v := h.startWindow(run...)
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
