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

	"darkroom/api"
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
		expect.That(t, len(c.Body) == 0 || json.Unmarshal(c.Body, &body) == nil, "a create with the body", string(c.Body))
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
	n := len(createsOf(t, service, 0))
	expect.Must(t, n == queueLen, n, "requests of an undisturbed queue were sent")
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
		expect.Must(t, v.killed() || random, "round", round, "it was not killed", v)
		service.ClearFaults()
		k.settleService()
		h.checkQueue(service, round, moment, &held, &unknown)
	}
	expect.That(t, held != 0 && unknown != 0, held, "requests waited and", unknown, "were unknown: the kills came at the wrong time")
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
	expect.Must(t, len(all) == queueLen, "round", round, moment, len(all), "of", queueLen, "requests are in the list")
	first := ""
	for _, j := range all {
		var body struct{ Prompt string }
		must(t, json.Unmarshal(j.Request, &body))
		if j.Phase == "held" {
			*held++
			first = j.ID
			expect.That(t, sent[body.Prompt] == 0 && j.Error != nil, "round", round, body.Prompt, "is held, was sent", sent[body.Prompt], "times")
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
		expect.That(t, j.Phase != "held", "round", round, "job", j.ID, "is still held")
	}
}

// TestExpandCommand: what --expand sends, refuses and prints.
func TestExpandCommand(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	lists := filepath.Join(h.dir, "config", "darkroom", "wildcards")
	must(t, os.MkdirAll(lists, 0o700))
	must(t, os.WriteFile(filepath.Join(lists, "colour.txt"), []byte("red\nblue\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(lists, "loop.txt"), []byte("x\n__loop__\n"), 0o600))
	must(t, os.Mkdir(filepath.Join(lists, "bad.txt"), 0o700))
	must(t, os.Symlink("worse.txt", filepath.Join(lists, "worse.txt")))
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
		{"a list that cannot be read", "a __bad__ boat", []string{"--expand"}, "bad.txt cannot be read"},
		{"a list whose file cannot be found out about", "a __worse__ boat", []string{"--expand"}, "bad.txt cannot be read"},
		{"a list that names itself", "__loop__", []string{"--expand"}, "names itself: loop → loop"},
		{"a variation that is too long", "{" + strings.Repeat("x", 5001) + "|b}", []string{"--expand"}, "invalid request"},
		{"a list of sizes without --expand", "boat", []string{"--size", "1K,2K"}, "invalid request"},
	} {
		image(c.prompt, c.more...).wantCode(t, 2).prints(t, c.says)
	}
	wantCreates(t, service, 0)
	done := document[struct{ Jobs []job }](t, image("a {big|small} __colour__ boat", "--expand", "--size", "1K,2K", "--max-credits", "130").wantCode(t, 0))
	prompts := api.Map(service.Ledger(), func(e simtest.Entry) string { return e.Prompt })
	want := []string{"a big red boat", "a big red boat", "a big blue boat", "a big blue boat", "a small red boat", "a small red boat", "a small blue boat", "a small blue boat"}
	expect.That(t, slices.Equal(prompts, want) && len(done.Jobs) == 8, "sent", prompts, len(done.Jobs), "jobs printed")
	for _, j := range done.Jobs {
		expect.That(t, j.Phase == "done" && len(j.Files) == 1, "job", j.ID, "is", j.Phase)
	}
	literal := document[job](t, image(`code {"a": "b|c"} { x }`).wantCode(t, 0))
	h.run("video", "a boat", "--expand", "--seed=-1", "--dry-run").wantCode(t, 0) // which is no list
	expect.Contains(t, string(literal.Request), `code {\"a\": \"b|c\"} { x }`, "a literal brace")
}

// TestHeldCommands: what is left of a queue is shown, sent and removed by
// commands.
func TestHeldCommands(t *testing.T) {
	service, h := begin(t, simtest.Options{Faults: []simtest.Fault{{Endpoint: "create", From: 2, Count: 1, Do: "reset-after-body"}}})
	e := h.run("image", "{a|b|c|d|e}", "--expand", "--model", "lumen/still-1", "--yes", "--json").wantCode(t, 6)
	jobs := document[struct{ Jobs []job }](t, e).Jobs
	phase := func(j job) string { return j.Phase }
	expect.List(t, api.Map(jobs, phase), []string{"done", "unknown", "held", "held", "held"}, "the phases")
	expect.Contains(t, *jobs[2].Error, "may have been accepted and charged")
	text := h.run("jobs").wantCode(t, 0).stdout
	expect.Equal(t, strings.Count(text, "held"), 3, "held in the list", text)
	expect.That(t, strings.Index(text, "held") < strings.Index(text, "unknown"), "the list is", text)
	h.run("job", jobs[2].ID, "--remove").wantCode(t, 0)
	h.run("job", jobs[2].ID).wantCode(t, 2)
	h.run("job", jobs[0].ID, "--remove").wantCode(t, 2)
	h.run("job", jobs[3].ID, "--send", "--yes", "--max-credits", "12").wantCode(t, 2)
	wantCreates(t, service, 2)
	h.run("job", jobs[3].ID, "--send").wantCode(t, 2) // nobody to ask
	h.run("job", jobs[3].ID, "--send", "--yes").wantCode(t, 0)
	wantCreates(t, service, 3)
	h.run("job", jobs[4].ID, "--remove", "--all").wantCode(t, 0)
	left := api.Map(h.jobs(), phase)
	expect.That(t, len(left) == 3 && !slices.Contains(left, "held"), "left", left)
	wantCreates(t, service, 3)
}

// TestAJobRemovedInItsTurn is left out of what is printed: the others are not.
func TestAJobRemovedInItsTurn(t *testing.T) {
	var h *home
	_, h = begin(t, simtest.Options{Faults: []simtest.Fault{{Endpoint: "create", Count: 1, Do: "at-body", Then: func() {
		h.run("job", h.jobs()[0].ID, "--remove") // the second, while the first is sent
	}}}})
	e := h.run("image", "{a|b|c}", "--expand", "--model", "lumen/still-1", "--yes", "--no-wait", "--json").wantCode(t, 0)
	expect.Len(t, document[struct{ Jobs []job }](t, e).Jobs, 2, "are printed")
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
	e.says(t, "copied or restored", "--yes --yes")
	wantCreates(t, service, 3)
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
		<-w.done
		expect.That(t, slices.Contains([]int{0, 7}, w.cmd.ProcessState.ExitCode()), "exit", w.cmd.ProcessState.ExitCode(), w)
	}
	wantCreates(t, service, 9)
	h.run("image", "a gull", "--yes", "--no-wait").wantCode(t, 0)
	must(t, os.WriteFile(list, []byte("prompt\na gull\na net\n"), 0o600))
	h.run(run...).wantCode(t, 2).says(t, "no line was sent: run the list again once that job")
	wantCreates(t, service, 10)
}

// TestABatchCopiesItsResults to where each line says, or --output does; nothing is overwritten.
func TestABatchCopiesItsResults(t *testing.T) {
	service, h := begin(t, simtest.Options{})
	list, out := filepath.Join(h.dir, "list.csv"), filepath.Join(h.dir, "out")
	must(t, os.Mkdir(out, 0o700))
	must(t, os.Symlink(".", filepath.Join(out, "self")))
	text := "prompt,output\na boat,{}/boat.png\na pier,\n"
	must(t, os.WriteFile(list, []byte(strings.ReplaceAll(text+"a quay,{}/self/boat\na wharf,{}/boat.png\n,\n", "{}", out)), 0o600))
	e := h.run("batch", list, "--kind", "image", "--yes", "--output", out).wantCode(t, 2)
	e.says(t, "line 4: --output "+out+"/self/boat: another line has it as well\n  line 5: --output "+out+"/boat.png: another line has it as well\n  line 6: there is no prompt")
	wantCreates(t, service, 0)
	must(t, os.WriteFile(list, []byte(strings.ReplaceAll(text, "{}", out)), 0o600))
	h.run("batch", list, "--kind", "image", "--yes", "--output", out).wantCode(t, 0)
	files, _ := filepath.Glob(out + "/*.png")
	expect.That(t, len(files) == 2 && filepath.Base(files[1]) == "boat.png", "copies", files)
}

// TestKillsInABatch kills a list of 12 again and again and starts it again: every line
// reaches the service once, or its outcome is unknown, and an end sends nothing more.
func TestKillsInABatch(t *testing.T) {
	const lines = 12
	service, h := begin(t, simtest.Options{}, "DARKROOM_TIME_SCALE", "0.1")
	rng := random(t)
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
		h.run(run...).says(t, "all 12 lines were sent before")
		wantCreates(t, service, before)
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
			n := reached[prompt]
			expect.That(t, n <= want && n+open[prompt] >= want, "round", round, prompt, "reached the service", n, "times, unknown", open[prompt])
			if sent++; open[prompt] > 0 {
				unknown++
			}
		}
	}
	t.Logf("%d lines in lists that were killed %d times: none sent twice, the outcome of %d unknown", sent, kills, unknown)
}
