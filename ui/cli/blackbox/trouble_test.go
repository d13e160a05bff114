//go:build linux

package blackbox

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// troubles are what goes wrong for a while. None of them is about the key or the
// credits, after which a person is waited for.
var troubles = []simtest.Fault{
	{Endpoint: "create", Do: "reset"}, {Endpoint: "create", Do: "reset-after-headers"}, {Endpoint: "create", Do: "reset-after-body"},
	{Endpoint: "create", Do: "reset-mid-body"}, {Endpoint: "create", Do: "truncated"}, {Endpoint: "create", Do: "empty"},
	{Endpoint: "create", Do: "late-status", Status: 500}, {Endpoint: "create", Do: "status", Status: 429},
	{Endpoint: "create", Do: "status", Status: 503}, {Endpoint: "create", Do: "status", Status: 400}, {Endpoint: "create", Do: "no-id"},
	{Endpoint: "create", Do: "latency", Delay: 400 * time.Millisecond}, {Endpoint: "job", Do: "status", Status: 500},
	{Endpoint: "job", Do: "status", Status: 503}, {Endpoint: "job", Do: "status", Status: 429}, {Endpoint: "job", Do: "reset"},
	{Endpoint: "job", Do: "truncated"}, {Endpoint: "job", Do: "garbage"}, {Endpoint: "job", Do: "html"}, {Endpoint: "job", Do: "other-id"},
	{Endpoint: "job", Do: "slow-binary", Delay: 2 * time.Second}, {Endpoint: "job", Do: "huge", Size: 2 << 20},
	{Endpoint: "job", Do: "hang", Delay: time.Second}, {Endpoint: "job", Do: "empty"},
	{Endpoint: "job", Do: "latency", Delay: 300 * time.Millisecond}, {Endpoint: "job", Do: "no-id"},
	{Endpoint: "result", Do: "status", Status: 500}, {Endpoint: "result", Do: "status", Status: 403},
	{Endpoint: "result", Do: "reset-mid-body"}, {Endpoint: "result", Do: "truncated"}, {Endpoint: "result", Do: "wrong-length"},
	{Endpoint: "result", Do: "slow-body", Delay: time.Second}, {Endpoint: "estimate", Do: "status", Status: 500},
	{Endpoint: "estimate", Do: "hang", Delay: 500 * time.Millisecond}, {Endpoint: "models", Do: "garbage"},
	{Endpoint: "models", Do: "status", Status: 503}, {Do: "reset-at-accept"},
}

// troubled is a home on which everything happens, beside one window that stays.
type troubled struct {
	t       *testing.T
	h       *home
	service *simtest.Server
	window  *terminal
	rng     *rand.Rand
	sent    int
	running []*window
	deeds   map[string]int
}

// TestRandomTrouble makes trouble of every kind at random, for 30 minutes in its
// long form: faults of the service, windows that are killed or stopped, clocks that
// were ahead, resizes and pastes. Nothing that the service accepted is lost or was
// sent twice, every job comes to its end, and the window that was open all the time
// holds no more memory and files than before.
func TestRandomTrouble(t *testing.T) {
	t.Parallel()
	lasts := 20 * time.Second
	if *long {
		lasts = 30 * time.Minute
	}
	service := startService(t, simtest.Options{LongSide: 64, TimeScale: 0.1})
	u := &troubled{t: t, service: service, rng: random(t), deeds: map[string]int{},
		h: newHome(t, service.URL()).with("DARKROOM_TIME_SCALE", "0.02")}
	u.h.configure("on_done = \"nothing\"\n")
	u.window = u.h.open(110, 32)
	u.window.waitFor("/ 5,000")
	u.send()
	u.settle()
	memory, files := rss(u.window), u.descriptors()
	var course []string // the memory on the way, of its own and of files that are mapped
	begun := time.Now()
	for time.Since(begun) < lasts {
		if time.Since(begun) >= lasts/6*time.Duration(len(course)+1) {
			course = append(course, fmt.Sprint(statusMiB(u.window.cmd.Process.Pid, "RssAnon:"), "+", statusMiB(u.window.cmd.Process.Pid, "RssFile:")))
		}
		u.deed()
		time.Sleep(time.Duration(u.rng.IntN(120)) * time.Millisecond)
	}
	u.settle()
	lost, twice, open, phases := u.ledger()
	expect.That(t, lost+twice+open == 0, lost, "lost", twice, "sent twice", open, "not at their end")
	grown := rss(u.window) - memory
	expect.That(t, grown <= mostGrowth, "the window grew by", grown>>20, "MiB")
	u.awaitDescriptors(files)
	t.Logf("%v: %d requests, %v; %d lost, %d sent twice, %d without an end; in the store %v; memory %d to %d KiB (on the way %v), descriptors %d to %d",
		lasts, u.sent, u.deeds, lost, twice, open, phases, memory>>10, rss(u.window)>>10, course, files, u.descriptors())
	u.window.keys("<ctrl+q>")
	expect.Equal(t, u.window.end(), 0, "how the window ended")
	expect.Equal(t, crashNotes(t, u.h), "")
}

// deed makes one kind of trouble, or sends something.
func (u *troubled) deed() {
	u.t.Helper()
	do := []struct {
		name string
		f    func()
	}{
		{"sent", func() { u.send() }},
		{"killed", func() { go u.send().killAfter(u.while(600)) }},
		{"stopped", u.stopSender},
		{"fault", u.fault},
		{"clock", u.clock},
		{"window stopped", func() { u.stop(u.window.cmd.Process.Pid, u.while(700)) }},
		{"resized", func() { u.window.resize(20+u.rng.IntN(160), 5+u.rng.IntN(50)) }},
		{"pasted", func() { u.window.write("\x1b[200~pasted\ryes\ny\n\x13\r\r\x1b[201~") }},
		{"walked", func() {
			u.window.write([]string{"<alt+1>", "<alt+2>", "<alt+3>", "<down>", "<up>", "<esc>"}[u.rng.IntN(6)])
		}},
	}[u.rng.IntN(9)]
	u.deeds[do.name]++
	do.f()
}

func (u *troubled) while(most int) time.Duration {
	return time.Duration(u.rng.IntN(most)) * time.Millisecond
}

// send starts a command with a prompt of its own. A few run at a time.
func (u *troubled) send() *window {
	for len(u.running) >= 4 {
		<-u.running[0].done
		u.running = u.running[1:]
	}
	args := []string{"image", fmt.Sprintf("trouble%06dx", u.sent), "--model", "lumen/still-1", "--yes", "--json"}
	if u.rng.IntN(2) == 0 {
		args = append(args, "--no-wait")
	}
	u.sent++
	v := u.h.startWindow(args...)
	u.running = append(u.running, v)
	return v
}

func (u *troubled) stopSender() {
	v := u.send()
	time.Sleep(u.while(300))
	u.stop(v.cmd.Process.Pid, u.while(1500))
}

// stop stops a process, which may have ended, and lets it go on later.
func (u *troubled) stop(pid int, d time.Duration) {
	_ = syscall.Kill(pid, syscall.SIGSTOP)
	time.Sleep(d)
	_ = syscall.Kill(pid, syscall.SIGCONT)
}

func (u *troubled) fault() {
	u.t.Helper()
	if u.rng.IntN(3) == 0 {
		u.service.ClearFaults()
		return
	}
	f := troubles[u.rng.IntN(len(troubles))]
	f.Count = 1 + u.rng.IntN(3)
	u.service.AddFault(f)
}

// clock leaves in the store what a window writes whose clock is ahead.
func (u *troubled) clock() {
	u.t.Helper()
	db := openStore(u.t, u.h.storePath())
	defer db.Close()
	ahead := []time.Duration{time.Minute, time.Hour, 8 * 24 * time.Hour}[u.rng.IntN(3)].Milliseconds()
	_, err := db.Exec(`UPDATE jobs SET next_poll = next_poll + ? WHERE owner = '' AND phase IN ('queued','running','fetching')`, ahead)
	if err == nil {
		_, err = db.Exec(`UPDATE gate SET refilled = refilled + ?`, ahead)
	}
	must(u.t, err)
}

// settle ends the trouble and waits until no job goes on.
func (u *troubled) settle() {
	u.t.Helper()
	u.service.ClearFaults()
	for _, v := range u.running {
		within(u.t, "a command ends", v.done)
	}
	u.running = nil
	u.window.resize(110, 32)
	db := u.h.store()
	active := -1
	for limit := time.Now().Add(2 * runLimit); active != 0 && time.Now().Before(limit); time.Sleep(50 * time.Millisecond) {
		must(u.t, db.QueryRow(`SELECT count(*) FROM jobs WHERE phase IN ('intent','sending','queued','running','fetching')`).Scan(&active))
	}
}

// ledger compares what the service accepted with what the store knows.
func (u *troubled) ledger() (lost, twice, open int, phases map[string]int) {
	u.t.Helper()
	accepted := map[string][]string{}
	for _, e := range u.service.Ledger() {
		accepted[e.Prompt] = append(accepted[e.Prompt], e.ID)
		expect.That(u.t, strings.HasPrefix(e.Prompt, "trouble"), "nobody confirmed", e.Prompt)
	}
	db := u.h.store()
	rows := simtest.Must(db.Query(`SELECT phase, remote_id, body, error FROM jobs JOIN details USING (seq)`))(u.t)
	defer rows.Close()
	phases = map[string]int{}
	known := map[string]storedJob{}
	for rows.Next() {
		var j storedJob
		var why string
		must(u.t, rows.Scan(&j.phase, &j.remoteID, &j.body, &why))
		phases[j.phase]++
		at := strings.Index(j.body, "trouble")
		known[j.body[at:at+len("trouble000000x")]] = j
		switch j.phase {
		case "intent", "sending", "queued", "running", "fetching":
			open++
			u.t.Errorf("%s is %s: %s", j.remoteID, j.phase, why)
		}
	}
	must(u.t, rows.Err())
	for prompt, ids := range accepted {
		j, ok := known[prompt]
		switch {
		case len(ids) > 1:
			twice++
			u.t.Errorf("%s was accepted as %v", prompt, ids)
		case !ok, j.remoteID != ids[0] && j.phase != "unknown" && j.phase != "unread":
			lost++
			u.t.Errorf("%s was accepted as %v, and is %+v", prompt, ids, j)
		}
	}
	return lost, twice, open, phases
}

func (u *troubled) descriptors() int {
	u.t.Helper()
	list := simtest.Must(os.ReadDir(fmt.Sprintf("/proc/%d/fd", u.window.cmd.Process.Pid)))(u.t)
	return len(list)
}

// awaitDescriptors waits until idle connections are closed.
func (u *troubled) awaitDescriptors(before int) {
	u.t.Helper()
	const idle = 2 * time.Minute
	for limit := time.Now().Add(idle); u.descriptors() > before+4 && time.Now().Before(limit); {
		time.Sleep(100 * time.Millisecond)
	}
	if n := u.descriptors(); n > before+4 { // a window keeps up to four connections
		u.t.Errorf("%d descriptors, %d before", n, before)
	}
}
